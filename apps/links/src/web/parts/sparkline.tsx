import type { CSSProperties } from 'react'

const WIDTH = 100
const HEIGHT = 28

/**
 * Trend of a count over its window. Hidden from screen readers, because the page has the values as
 * text. `color` is any CSS colour; the default is the colour of charts.
 */
export function Sparkline({ counts, color }: { counts: readonly number[]; color?: string }) {
  const max = Math.max(1, ...counts)
  // A single bucket becomes a level line.
  const values = counts.length === 1 ? [...counts, ...counts] : counts
  const points = values.map((count, index) => {
    const x = (index / (values.length - 1)) * WIDTH
    const y = HEIGHT - 2 - (count / max) * (HEIGHT - 4)
    return `${x.toFixed(2)},${y.toFixed(2)}`
  })
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
      {points.length > 0 && (
        <>
          <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
          <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
        </>
      )}
    </svg>
  )
}
