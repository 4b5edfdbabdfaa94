import { Paper, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type CSSProperties, type SVGProps, useState } from 'react'
import { useText } from '../texts/text.ts'
import { type BarPosition, barPath, chooseLabels, positionBars, scaleTicks } from './bar-layout.ts'
import type { Bucket, Timeline } from './bucket.ts'

const [ABOVE, BELOW] = [5, 30]

interface Props {
  timeline: Timeline
  /** Pixels. */
  height: number
  name: string
  texts: {
    short: (bucket: Bucket) => string
    long: (bucket: Bucket) => string
    noteOf: (index: number) => string | undefined
  }
  onSelect: (first: number, last: number) => void
}

/**
 * Bars of a `TimeChart`. The pointer and the arrow keys choose the one that has a tooltip. A click
 * or a drag selects bars, as Enter and Shift with the arrow keys do.
 */
export function Bars({ timeline, height, name, texts, onSelect }: Props) {
  const { t, number } = useText()
  const { buckets, comparison } = timeline
  const { ref, width } = useElementSize()
  const [pointed, point] = useState<Pointed>({})
  const total = buckets.reduce((sum, { clicks }) => sum + clicks, 0)
  const plot = layOut(timeline, { width, height, number })
  const { active } = pointed
  const [bucket, position] = active === undefined ? [] : [buckets[active], plot.positions[active]]
  return (
    <div ref={ref} className="bars">
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="application"
          aria-label={t('chart.summary', { title: name, total: number(total) })}
          tabIndex={0}
          {...selectionHandlers(plot, pointed, { point, onSelect })}
        >
          <g aria-hidden>
            <Axes plot={plot} labels={buckets.map(texts.short)} />
            <Cursor plot={plot} pointed={pointed} />
            {buckets.map(({ label, clicks }, index) => (
              <path
                key={label}
                className="bars-bar"
                data-partial={texts.noteOf(index) !== undefined || undefined}
                d={barPath(plot.positions[index] as BarPosition, plot.heightOf(clicks), plot.base)}
              />
            ))}
            {comparison && (
              <Comparison
                points={comparisonPoints(plot, comparison)}
                isPartial={(index) => texts.noteOf(index) !== undefined}
              />
            )}
          </g>
        </svg>
      )}
      {/* Screen readers announce a status only if its element exists before its text. */}
      <div className="bars-tip" role="status" style={position && tipPosition(position, width)}>
        {bucket && active !== undefined && (
          <Tip
            when={texts.long(bucket)}
            note={texts.noteOf(active)}
            clicks={bucket.clicks}
            compared={comparison?.[active]}
            long={texts.long}
          />
        )}
      </div>
    </div>
  )
}

/** Indexes of bars: the one with the tooltip, and the one at which a selection began. */
interface Pointed {
  active?: number | undefined
  anchor?: number | undefined
}

type Plot = ReturnType<typeof layOut>

interface Frame {
  width: number
  height: number
  number: (value: number) => string
}

function layOut({ buckets, comparison }: Timeline, { width, height, number }: Frame) {
  const max = Math.max(0, ...[...buckets, ...(comparison ?? [])].map(({ clicks }) => clicks))
  const ticks = scaleTicks(max)
  const left = axisWidth(number(max))
  const base = height - BELOW
  return {
    ticks,
    left,
    width,
    base,
    positions: positionBars(buckets.length, left, width - left),
    heightOf: (clicks: number) => base - (clicks / (ticks.at(-1) ?? 1)) * (base - ABOVE),
  }
}

/** Pixels for numbers up to this width, and the gap beside them. */
const axisWidth = (widest: string) => 8 * widest.length + 24

interface Point {
  x: number
  y: number
}

/** Points of the comparison above the bars that it has a value for. */
const comparisonPoints = ({ positions, heightOf }: Plot, comparison: readonly Bucket[]): Point[] =>
  positions
    .slice(0, comparison.length)
    .map(({ x }, index) => ({ x, y: heightOf(comparison[index]?.clicks ?? 0) }))

/**
 * A dashed line of the whole buckets. A bucket of which the window has a part is a dot: in the line it
 * would look like a fall.
 */
function Comparison({
  points,
  isPartial,
}: {
  points: readonly Point[]
  isPartial: (index: number) => boolean
}) {
  const whole = points.filter((_, index) => !isPartial(index))
  const dots = whole.length === 1 ? points : points.filter((_, index) => isPartial(index))
  return (
    <>
      <polyline className="bars-comparison" points={whole.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {dots.map(({ x, y }) => (
        <circle key={x} className="bars-comparison-dot" cx={x} cy={y} r={3} />
      ))}
    </>
  )
}

interface SelectionActions {
  point: (pointed: Pointed) => void
  onSelect: (first: number, last: number) => void
}

function selectionHandlers(
  plot: Plot,
  { active, anchor }: Pointed,
  { point, onSelect }: SelectionActions,
): SVGProps<SVGSVGElement> {
  const last = plot.positions.length - 1
  const select = (end: number) => {
    point({ active: end })
    onSelect(Math.min(anchor ?? end, end), Math.max(anchor ?? end, end))
  }
  return {
    onPointerMove: ({ currentTarget, clientX }) => {
      const index = indexAt(plot, currentTarget, clientX)
      point({ active: anchor === undefined ? index : (index ?? active), anchor })
    },
    onPointerDown: ({ currentTarget, clientX, button, pointerType }) => {
      const index = indexAt(plot, currentTarget, clientX)
      // A finger reads the bars.
      point({ active: index, ...(button === 0 && pointerType !== 'touch' && { anchor: index }) })
    },
    onPointerUp: () => {
      if (anchor !== undefined && active !== undefined) select(active)
    },
    onPointerLeave: () => point({}),
    onFocus: () => point({ active: active ?? 0, anchor }),
    onBlur: () => point({}),
    onKeyDown: (event) => {
      const from = Math.min(active ?? 0, last)
      const index = indexForKey(event.key, from, last)
      if (index !== undefined) point({ active: index, ...(event.shiftKey && { anchor: anchor ?? from }) })
      else if (event.key === 'Enter') select(from)
      else if (event.key === 'Escape') point({ active: from })
      else return
      event.preventDefault()
    },
  }
}

/** Returns the index at a horizontal position of the window. */
function indexAt({ left, positions }: Plot, svg: Element, clientX: number): number | undefined {
  const index = Math.floor((clientX - svg.getBoundingClientRect().left - left) / (positions[0]?.share ?? 1))
  return index in positions ? index : undefined
}

/** Returns the index that a key selects, or undefined for other keys. */
function indexForKey(key: string, from: number, last: number): number | undefined {
  if (key === 'ArrowRight') return Math.min(from + 1, last)
  if (key === 'ArrowLeft') return Math.max(from - 1, 0)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** Puts the tooltip on the side with more space. */
function tipPosition({ x }: BarPosition, width: number): CSSProperties {
  return x < width / 2 ? { left: x + 10 } : { right: width - x + 10 }
}

function Axes({ plot, labels }: { plot: Plot; labels: readonly string[] }) {
  const { number } = useText()
  const { ticks, left, width, base, positions, heightOf } = plot
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="bars-line" x1={left} x2={width} y1={heightOf(tick)} y2={heightOf(tick)} />
          <text x={left - 18} y={heightOf(tick)} dy="0.355em" textAnchor="end">
            {number(tick)}
          </text>
        </g>
      ))}
      {chooseLabels(labels, positions).map((index) => (
        <text key={index} x={positions[index]?.x} y={base + 18} dy="0.71em" textAnchor="middle">
          {labels[index]}
        </text>
      ))}
    </>
  )
}

/** Background of the bars being selected, or of the one with the tooltip. */
function Cursor({ plot, pointed: { active, anchor = active } }: { plot: Plot; pointed: Pointed }) {
  if (active === undefined || anchor === undefined) return null
  const [first, last] = [Math.min(active, anchor), Math.max(active, anchor)]
  const [start, end] = [plot.positions[first], plot.positions[last]]
  if (!start || !end) return null
  const left = start.x - start.share / 2
  return (
    <rect
      className="bars-cursor"
      data-selecting={first < last || undefined}
      x={left}
      y={ABOVE}
      width={end.x + end.share / 2 - left}
      height={plot.base - ABOVE}
    />
  )
}

interface TipProps {
  when: string
  note: string | undefined
  clicks: number
  compared: Bucket | undefined
  long: (bucket: Bucket) => string
}

function Tip({ when, note, clicks, compared, long }: TipProps) {
  const { t, number } = useText()
  return (
    <Paper withBorder shadow="md" px="sm" py={6}>
      <Text size="xs" c="dimmed">
        {[when, note].filter(Boolean).join(' · ')}
      </Text>
      <Text size="sm" fw={600} className="figure">
        {number(clicks)}{' '}
        <Text span size="sm" fw={400}>
          {t('links.clicks')}
        </Text>
      </Text>
      {compared && (
        <Text size="xs" c="dimmed" className="figure">
          {long(compared)}: {number(compared.clicks)}
        </Text>
      )}
    </Paper>
  )
}
