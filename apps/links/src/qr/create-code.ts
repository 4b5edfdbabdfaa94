import { isReadBack } from './read-back.ts'
import { QrTooLong, encodeModules } from './modules.ts'
import { type QrImage, type QrOptions, QrTooSmall, renderQr } from './qr.ts'
import { type Drawing, type QrStyle, drawStyled } from './styled/drawing.ts'
import { toPdf } from './styled/pdf.ts'
import { type Raster, toPng, toRaster } from './styled/raster.ts'
import { toSvg } from './styled/svg.ts'

export type CodeFormat = 'svg' | 'png' | 'pdf'

export interface CodeOptions extends Omit<QrOptions, 'format'>, QrStyle {
  format: CodeFormat
}

export interface CodeImage extends Omit<QrImage, 'contentType'> {
  contentType: QrImage['contentType'] | 'application/pdf'
}

/** What to change so that a scanner can read a code. */
export type UnreadableField = 'size' | 'margin' | 'shape' | 'eyes' | 'dark'

/** The image, or why there is none. */
export type CodeReply =
  | { image: CodeImage }
  | { refusal: 'too_small'; minSize: number }
  | { refusal: 'too_long' }
  | { refusal: 'unreadable'; field: UnreadableField }

/** Pixels of a module in the picture that is read instead of a drawing. */
const SAMPLE_SCALE = 4

/**
 * Values with which a code could be read, in the order in which they are tried: as drawings, since a
 * wider one may not fit in the size of a PNG.
 */
const REMEDIES: readonly [UnreadableField, Partial<CodeOptions>][] = [
  ['size', {}],
  ['margin', { margin: 4 }],
  ['shape', { shape: 'square' }],
  ['eyes', { eyes: 'square' }],
]

/** Draws a code, and reads it back (L32.4). */
export async function createCode(options: CodeOptions): Promise<CodeReply> {
  try {
    const { image, sample } = drawCode(options)
    if (await isReadBack(sample, options.text)) return { image }
    return { refusal: 'unreadable', field: await findCause(options) }
  } catch (error) {
    if (error instanceof QrTooSmall) return { refusal: 'too_small', minSize: error.minSize }
    if (error instanceof QrTooLong) return { refusal: 'too_long' }
    throw error
  }
}

interface Drawn {
  image: CodeImage
  /** The pixels of a PNG itself, or those of a drawing. */
  sample: Uint8Array<ArrayBuffer> | Raster
}

function drawCode(options: CodeOptions): Drawn {
  const { format, shape, eyes, frame } = options
  const isPlain = shape === 'square' && eyes === 'square' && frame === undefined
  return isPlain && format !== 'pdf' ? drawPlain({ ...options, format }) : drawStyledCode(options)
}

function drawPlain(options: QrOptions): Drawn {
  const image = renderQr(options)
  if (typeof image.body !== 'string') return { image, sample: image.body }
  const side = encodeModules(options.text, options.level).length + 2 * options.margin
  const { body } = renderQr({ ...options, format: 'png', size: side * SAMPLE_SCALE })
  if (typeof body === 'string') throw new TypeError('a PNG is bytes')
  return { image, sample: body }
}

function drawStyledCode(options: CodeOptions): Drawn {
  const { size, margin, format } = options
  const drawing = drawStyled(encodeModules(options.text, options.level), margin, options)
  if (format === 'png') {
    if (size < drawing.width) throw new QrTooSmall(Math.ceil(drawing.width))
    const body = toPng(toRaster(drawing, size, options))
    return { image: { contentType: 'image/png', body }, sample: body }
  }
  return { image: toVectors(drawing, options), sample: sampleOf(drawing, options) }
}

function toVectors(drawing: Drawing, options: CodeOptions): CodeImage {
  const { size } = options
  return options.format === 'pdf'
    ? { contentType: 'application/pdf', body: toPdf(drawing, size, options) }
    : { contentType: 'image/svg+xml', body: toSvg(drawing, size, options) }
}

function sampleOf(drawing: Drawing, options: CodeOptions): Raster {
  return toRaster(drawing, Math.ceil(drawing.width * SAMPLE_SCALE), options)
}

async function findCause(options: CodeOptions): Promise<UnreadableField> {
  for (const [field, values] of REMEDIES)
    if (await isReadBack(drawCode({ ...options, format: 'svg', ...values }).sample, options.text))
      return field
  return 'dark'
}
