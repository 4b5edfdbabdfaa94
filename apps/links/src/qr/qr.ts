import { encode as encodePng } from 'fast-png'
import { type Modules, type QrLevel, encodeModules } from './modules.ts'
import { channels } from './styled/colours.ts'

export type QrFormat = 'svg' | 'png'

export interface QrOptions {
  text: string
  format: QrFormat
  /** Pixels, 1 to 2048. */
  size: number
  level: QrLevel
  /** Modules, 0 to 16. */
  margin: number
  /** Six hex digits, without `#`. */
  dark: string
  light: string
}

export interface QrImage {
  contentType: 'image/svg+xml' | 'image/png'
  body: string | Uint8Array<ArrayBuffer>
}

export class QrTooSmall extends Error {
  readonly minSize: number

  constructor(minSize: number) {
    super(`size must be at least ${minSize} pixels for this PNG QR code`)
    this.name = 'QrTooSmall'
    this.minSize = minSize
  }
}

export function renderQr(options: QrOptions): QrImage {
  const modules = encodeModules(options.text, options.level)
  if (options.format === 'svg') return { contentType: 'image/svg+xml', body: drawSvg(modules, options) }
  return { contentType: 'image/png', body: drawPng(modules, options) }
}

/**
 * The WCAG 2.2 contrast ratio of dark on light, 1 to 21. It is below 1 for inverted codes, so "at
 * least 3" (L11) also refuses those: many scanners recognise only dark modules on a light
 * background.
 */
export function contrastRatio(dark: string, light: string): number {
  return (luminance(light) + 0.05) / (luminance(dark) + 0.05)
}

function drawSvg(modules: Modules, { size, margin, dark, light }: QrOptions): string {
  const side = modules.length + 2 * margin
  const path = modules.map((row, y) => drawRow(row, margin, y + margin)).join('')
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<rect width="${side}" height="${side}" fill="#${light}"/><path fill="#${dark}" d="${path}"/></svg>`
  )
}

/** One rectangle for each run of dark modules. */
function drawRow(row: readonly boolean[], left: number, top: number): string {
  let path = ''
  for (let start = row.indexOf(true); start !== -1;) {
    const light = row.indexOf(false, start)
    const end = light === -1 ? row.length : light
    path += `M${left + start} ${top}h${end - start}v1h${start - end}z`
    start = row.indexOf(true, end)
  }
  return path
}

function drawPng(modules: Modules, { size, margin, dark, light }: QrOptions): Uint8Array<ArrayBuffer> {
  const side = modules.length + 2 * margin
  // A whole number of pixels per module: scanners fail on blurred edges.
  const scale = Math.floor(size / side)
  if (scale === 0) throw new QrTooSmall(side)
  const offset = Math.floor((size - modules.length * scale) / 2)
  const rowBytes = Math.ceil(size / 8)
  const data = new Uint8Array(rowBytes * size)
  for (const [y, row] of modules.entries()) {
    const line = drawLine(row, scale, offset, rowBytes)
    for (let copy = 0; copy < scale; copy++) data.set(line, (offset + y * scale + copy) * rowBytes)
  }
  const palette = [channels(light), channels(dark)]
  return new Uint8Array(encodePng({ width: size, height: size, data, depth: 1, channels: 1, palette }))
}

/**
 * One row of pixels, one bit each, with the leftmost in the highest bit. 1 is the palette's dark
 * colour.
 */
function drawLine(row: readonly boolean[], scale: number, offset: number, bytes: number): Uint8Array {
  const line = new Uint8Array(bytes)
  for (let x = 0; x < row.length * scale; x++) {
    if (!row[Math.floor(x / scale)]) continue
    const pixel = offset + x
    line[pixel >> 3] = (line[pixel >> 3] ?? 0) | (0x80 >> (pixel & 7))
  }
  return line
}

/** WCAG 2.2 relative luminance, with its constants. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
