import type { CSSProperties } from 'react'
import { HEIGHT, WIDTH, drawTrend } from './sparkline-layout.ts'

/**
 * Trend of a count over its window. Hidden from screen readers, because the page has the values as
 * text. The last count, whose bucket is not over, is a dot. `color` is any CSS colour; the default
 * is the colour of charts.
 */
export function Sparkline({ counts, color }: { counts: readonly number[]; color?: string }) {
  const { line, area, dot } = drawTrend(counts)
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      width="100%"
      height={HEIGHT}
      aria-hidden
      style={color === undefined ? {} : ({ '--chart-1': color } as CSSProperties)}
    >
      <path className="sparkline-area" d={area} />
      <path className="sparkline-line" d={line} vectorEffect="non-scaling-stroke" />
      <path className="sparkline-dot" d={dot} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
