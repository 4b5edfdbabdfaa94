import { Paper, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type CSSProperties, type SVGProps, useState } from 'react'
import { useText } from '../texts/text.ts'
import { type BarPosition, barPath, chooseLabels, positionBars, scaleTicks } from './bar-layout.ts'
import type { Bucket } from './bucket.ts'

const [ABOVE, BELOW] = [5, 30]

interface Props {
  buckets: readonly Bucket[]
  /** Pixels. */
  height: number
  short: (label: string) => string
  long: (label: string) => string
  name: string
}

/**
 * Bars of a `TimeChart`. The bar under the pointer, or the one selected with the arrow keys, has a
 * tooltip.
 */
export function Bars({ buckets, height, short, long, name }: Props) {
  const { t, number } = useText()
  const { ref, width } = useElementSize()
  const [active, setActive] = useState<number>()
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  const plot = layOut(buckets, { width, height, number })
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
          {...selectionHandlers(plot, active, setActive)}
        >
          <g aria-hidden>
            <Axes plot={plot} labels={buckets.map(({ label }) => short(label))} />
            {position && <Cursor plot={plot} place={position} />}
            {buckets.map(({ label, count }, index) => (
              <path
                key={label}
                className="bars-bar"
                d={barPath(plot.positions[index] as BarPosition, plot.heightOf(count), plot.base)}
              />
            ))}
          </g>
        </svg>
      )}
      {/* Screen readers announce a status only if its element exists before its text. */}
      <div className="bars-tip" role="status" style={position && tipPosition(position, width)}>
        {bucket && <Tip when={long(bucket.label)} count={bucket.count} />}
      </div>
    </div>
  )
}

type Plot = ReturnType<typeof layOut>

interface Frame {
  width: number
  height: number
  number: (value: number) => string
}

function layOut(buckets: readonly Bucket[], { width, height, number }: Frame) {
  const max = Math.max(...buckets.map(({ count }) => count))
  const ticks = scaleTicks(max)
  const left = axisWidth(number(max))
  const base = height - BELOW
  return {
    ticks,
    left,
    width,
    base,
    positions: positionBars(buckets.length, left, width - left),
    heightOf: (count: number) => base - (count / (ticks.at(-1) ?? 1)) * (base - ABOVE),
  }
}

/** Pixels for numbers up to this width, and the gap beside them. */
const axisWidth = (widest: string) => 8 * widest.length + 24

function selectionHandlers(
  { left, positions }: Plot,
  active: number | undefined,
  select: (index: number | undefined) => void,
): SVGProps<SVGSVGElement> {
  const selectAt = (svg: Element, clientX: number) => {
    const index = Math.floor((clientX - svg.getBoundingClientRect().left - left) / (positions[0]?.share ?? 1))
    select(index in positions ? index : undefined)
  }
  return {
    onMouseMove: (event) => selectAt(event.currentTarget, event.clientX),
    onTouchMove: (event) => selectAt(event.currentTarget, event.touches[0]?.clientX ?? 0),
    onMouseLeave: () => select(undefined),
    onFocus: () => select(active ?? 0),
    onBlur: () => select(undefined),
    onKeyDown: (event) => {
      const index = indexForKey(event.key, active ?? 0, positions.length - 1)
      if (index === undefined) return
      event.preventDefault()
      select(index)
    },
  }
}

/** Returns the index of the bar that a key selects, or undefined for other keys. */
function indexForKey(key: string, from: number, last: number): number | undefined {
  if (key === 'ArrowRight') return Math.min(from + 1, last)
  if (key === 'ArrowLeft') return Math.max(from - 1, 0)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** The side of the bar with more space. */
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

function Cursor({ plot, place: { x, share } }: { plot: Plot; place: BarPosition }) {
  return <rect className="bars-cursor" x={x - share / 2} y={ABOVE} width={share} height={plot.base - ABOVE} />
}

function Tip({ when, count }: { when: string; count: number }) {
  const { t, number } = useText()
  return (
    <Paper withBorder shadow="md" px="sm" py={6}>
      <Text size="xs" c="dimmed">
        {when}
      </Text>
      <Text size="sm" fw={600} className="figure">
        {number(count)}{' '}
        <Text span size="sm" fw={400}>
          {t('links.clicks')}
        </Text>
      </Text>
    </Paper>
  )
}
