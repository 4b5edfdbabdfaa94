/** A shape in the syntax of SVG, with the absolute commands M, L, Q, C and Z, and A for halves of circles. */
export type Path = string

export interface Segment {
  command: 'M' | 'L' | 'Q' | 'C' | 'Z'
  points: number[]
}

/** The share of the radius at which control points make a quarter of a circle. */
const QUARTER = 0.5523

/** Commands with their coordinates, arcs as curves. */
export function segmentsOf(path: Path): Segment[] {
  const segments: Segment[] = []
  for (const [, command, text = ''] of path.matchAll(/([MLQCAZ])([^MLQCAZ]*)/g)) {
    const points = text.match(/-?[\d.]+/g)?.map(Number) ?? []
    if (command !== 'A') segments.push({ command: command as Segment['command'], points })
    else segments.push(...toQuarters(segments.at(-1)?.points.slice(-2) ?? [], points.slice(-2)))
  }
  return segments
}

/** The clockwise half of a circle between two points. */
function toQuarters([x0 = 0, y0 = 0]: number[], [x1 = 0, y1 = 0]: number[]): Segment[] {
  const [middleX, middleY] = [(x0 + x1) / 2, (y0 + y1) / 2]
  const [x, y] = [x0 - middleX, y0 - middleY]
  const [topX, topY] = [middleX - y, middleY + x]
  const quarters = [
    [x0 - y * QUARTER, y0 + x * QUARTER, topX + x * QUARTER, topY + y * QUARTER, topX, topY],
    [topX - x * QUARTER, topY - y * QUARTER, x1 - y * QUARTER, y1 + x * QUARTER, x1, y1],
  ]
  return quarters.map((points) => ({ command: 'C', points }))
}

/** Scales a shape without arcs, and then moves it. */
export function transform(path: Path, scale: number, x: number, y: number): Path {
  return segmentsOf(path)
    .map(
      ({ command, points }) =>
        command + points.map((at, index) => shorten(at * scale + (index % 2 ? y : x))).join(' '),
    )
    .join('')
}

export function rectangle(x: number, y: number, width: number, height: number): Path {
  return `M${x} ${y}L${x + width} ${y}L${x + width} ${y + height}L${x} ${y + height}Z`
}

export function circle(x: number, y: number, radius: number): Path {
  const [left, right, size] = [shorten(x - radius), shorten(x + radius), shorten(radius)]
  return `M${left} ${y}A${size} ${size} 0 0 1 ${right} ${y}A${size} ${size} 0 0 1 ${left} ${y}Z`
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

export function roundedRectangle({ x, y, width, height }: Box, radius: number): Path {
  const [right, bottom] = [x + width, y + height]
  const near = radius * (1 - QUARTER)
  return (
    `M${coordinates(x + radius, y)}L${coordinates(right - radius, y)}` +
    `C${coordinates(right - near, y, right, y + near, right, y + radius)}L${coordinates(right, bottom - radius)}` +
    `C${coordinates(right, bottom - near, right - near, bottom, right - radius, bottom)}L${coordinates(x + radius, bottom)}` +
    `C${coordinates(x + near, bottom, x, bottom - near, x, bottom - radius)}L${coordinates(x, y + radius)}` +
    `C${coordinates(x, y + near, x + near, y, x + radius, y)}Z`
  )
}

function coordinates(...values: number[]): string {
  return values.map(shorten).join(' ')
}

/** Thousandths of a module are finer than any printer. */
function shorten(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
