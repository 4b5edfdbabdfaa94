import { encode as encodePng } from 'fast-png'
import { type Colours, channels } from './colours.ts'
import type { Drawing } from './drawing.ts'
import { type Path, type Segment, segmentsOf } from './path.ts'

/** A picture with red, green, blue and opacity of each pixel. */
export interface Raster {
  width: number
  height: number
  data: Uint8ClampedArray<ArrayBuffer>
}

/** Where a drawing is in a picture: pixels of a module, and of the free strips left and above. */
interface Placement {
  scale: number
  offset: number
}

/** Lines of each row of pixels at which the edges of shapes are measured. */
const LINES = 4
/** Straight pieces of a curve. Curves are a few modules long. */
const PIECES = 8

/** `width` in pixels, and at least that of the drawing in modules. */
export function toRaster(drawing: Drawing, width: number, colours: Colours): Raster {
  // Scanners fail on blurred edges, so a module has a whole number of pixels. A frame fills the width.
  const isFramed = drawing.width !== drawing.height
  const scale = isFramed ? width / drawing.width : Math.floor(width / drawing.width)
  const offset = isFramed ? 0 : Math.floor((width - drawing.width * scale) / 2)
  const height = isFramed ? Math.round(drawing.height * scale) : width
  const raster = { width, height, data: new Uint8ClampedArray(width * height * 4) }
  new Uint32Array(raster.data.buffer).fill(Buffer.from([...channels(colours.light), 255]).readUInt32LE())
  for (const { fill, path } of drawing.layers)
    fillPath(raster, path, channels(colours[fill]), { scale, offset })
  return raster
}

export function toPng({ width, height, data }: Raster): Uint8Array<ArrayBuffer> {
  const opaque = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; from < data.length; from++) if (from % 4 !== 3) opaque[to++] = data[from] ?? 0
  return new Uint8Array(encodePng({ width, height, data: opaque, depth: 8, channels: 3 }))
}

/** Where edges cross a line: `x` in pixels, and 1 downwards or -1 upwards. */
interface Crossing {
  x: number
  turn: number
}

/** Fills what is inside by the nonzero rule, which SVG and PDF have too. */
function fillPath(raster: Raster, path: Path, colour: readonly number[], placement: Placement): void {
  const lines = crossingsOf(path, raster.height, placement)
  const cover = new Float32Array(raster.width)
  for (let y = 0; y < raster.height; y++) {
    let isEmpty = true
    for (let line = 0; line < LINES; line++) {
      const crossings = lines.get(y * LINES + line)
      if (crossings) isEmpty = false
      coverLine(cover, crossings?.toSorted((a, b) => a.x - b.x) ?? [])
    }
    if (isEmpty) continue
    blendRow(raster, y, cover, colour)
    cover.fill(0)
  }
}

function crossingsOf(path: Path, height: number, { scale, offset }: Placement): Map<number, Crossing[]> {
  const lines = new Map<number, Crossing[]>()
  for (const [x0, y0, x1, y1] of edgesOf(segmentsOf(path))) {
    const [from, to] = [(y0 * scale + offset) * LINES, (y1 * scale + offset) * LINES]
    const turn = to > from ? 1 : -1
    // Each line is measured at its middle.
    const first = Math.max(Math.ceil(Math.min(from, to) - 0.5), 0)
    const end = Math.min(Math.ceil(Math.max(from, to) - 0.5), height * LINES)
    for (let line = first; line < end; line++) {
      const share = (line + 0.5 - from) / (to - from)
      const crossing = { x: (x0 + (x1 - x0) * share) * scale + offset, turn }
      const crossings = lines.get(line)
      if (crossings) crossings.push(crossing)
      else lines.set(line, [crossing])
    }
  }
  return lines
}

type Edge = readonly [x0: number, y0: number, x1: number, y1: number]

function* edgesOf(segments: readonly Segment[]): Generator<Edge> {
  let [x, y, startX, startY] = [0, 0, 0, 0]
  for (const { command, points } of segments) {
    if (command === 'M') [startX = 0, startY = 0] = points
    else
      for (const [toX, toY] of command === 'Z' ? [[startX, startY] as const] : piecesOf(x, y, points)) {
        yield [x, y, toX, toY]
        ;[x, y] = [toX, toY]
      }
    if (command === 'M') [x, y] = [startX, startY]
  }
}

/** Points on a line or a curve from (x, y), by the number of its control points. */
function piecesOf(x: number, y: number, points: readonly number[]): (readonly [number, number])[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = points
  if (points.length === 2) return [[a, b]]
  return Array.from({ length: PIECES }, (_, index) => {
    const t = (index + 1) / PIECES
    const s = 1 - t
    if (points.length === 4)
      return [s * s * x + 2 * s * t * a + t * t * c, s * s * y + 2 * s * t * b + t * t * d]
    const mix = (from: number, one: number, two: number, to: number) =>
      s ** 3 * from + 3 * s * s * t * one + 3 * s * t * t * two + t ** 3 * to
    return [mix(x, a, c, e), mix(y, b, d, f)]
  })
}

/** Adds the share of each pixel that is inside on this line. */
function coverLine(cover: Float32Array, crossings: readonly Crossing[]): void {
  let winding = 0
  for (const [at, { x, turn }] of crossings.entries()) {
    winding += turn
    const next = crossings[at + 1]
    if (winding === 0 || !next) continue
    const [from, to] = [Math.max(x, 0), Math.min(next.x, cover.length)]
    for (let pixel = Math.floor(from); pixel < to; pixel++) {
      const inside = Math.min(to, pixel + 1) - Math.max(from, pixel)
      cover[pixel] = (cover[pixel] ?? 0) + inside / LINES
    }
  }
}

function blendRow({ width, data }: Raster, y: number, cover: Float32Array, colour: readonly number[]): void {
  for (let x = 0; x < width; x++) {
    const share = cover[x] ?? 0
    if (share === 0) continue
    blend(data, (y * width + x) * 4, colour, Math.min(share, 1))
  }
}

function blend(data: Uint8ClampedArray, at: number, colour: readonly number[], share: number): void {
  for (let channel = 0; channel < 3; channel++) {
    const below = data[at + channel] ?? 0
    data[at + channel] = below + ((colour[channel] ?? 0) - below) * share
  }
}
