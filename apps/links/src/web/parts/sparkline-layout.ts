export const WIDTH = 100
export const HEIGHT = 28

/**
 * SVG paths of a trend: a line of the counts whose buckets are over, the area below it, and a dot
 * for the last count, which still grows. Drawn as a part of the line, it would look like a fall.
 */
export function drawTrend(counts: readonly number[]): { line: string; area: string; dot: string } {
  const max = Math.max(1, ...counts)
  const points = counts.map((count, index) => {
    const x = counts.length === 1 ? WIDTH : (index / (counts.length - 1)) * WIDTH
    const y = HEIGHT - 2 - (count / max) * (HEIGHT - 4)
    return { x: x.toFixed(2), at: `${x.toFixed(2)},${y.toFixed(2)}` }
  })
  const last = points.pop()
  const [first, end] = [points[0], points.at(-1)]
  // A line of no length is drawn as a dot.
  const dot = last ? `M${last.at}h0` : ''
  if (!first || !end) return { line: '', area: '', dot }
  const line = points.map(({ at }) => at).join('L')
  return { line: `M${line}h0`, area: `M${first.x},${HEIGHT}L${line}V${HEIGHT}Z`, dot }
}
