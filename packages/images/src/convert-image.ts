import type { Sharp } from 'sharp'
import type { ImageType } from './image-types.ts'
import { loadSharp } from './load-sharp.ts'

export interface ImageRequest {
  /** Path of the image, and of the files to write. */
  source: string
  target: string
  thumbnail: string
  /** Media type of the image, recognised by its bytes. */
  type: ImageType
  /** Pixels of what is stored, all frames together. A larger still image is scaled down. */
  maxPixels: number
  /** Bytes of what is stored: a small file can decode to what no encoder makes small again. */
  maxBytes: number
}

/** The middle of an image, as a WebP square of so many pixels a side. */
export interface SquareRequest {
  source: string
  target: string
  type: ImageType
  side: number
}

/** `too_large` needs more time, memory, pixels or bytes than an image may. */
export type ImageReply = { size: ImageSize } | { refusal: 'too_large' | 'unreadable' }

/** Size in pixels, as displayed. */
export interface ImageSize {
  width: number
  height: number
}

const THUMBNAIL_PIXELS = 640
/** Further frames would take longer than their size in pixels suggests. */
const MAX_FRAMES = 1_000
/** Pixels of all frames together. Animations are decoded and encoded whole. */
const MAX_ANIMATION_PIXELS = 20_000_000

interface Format {
  loader: string
  /** Pixels that may be decoded: what memory and time allow in the decoder of this type. */
  maxDecoded: number
  /** Pixels that may be encoded, likewise. */
  maxStored: number
  hasFrames?: true
  write: (image: Sharp, isLossless: boolean) => Sharp
}

/**
 * Decoder and encoder of each type. No other decoder runs: among those of the library are programs
 * for documents and for scripts of drawings. Of AVIF, higher efforts take minutes. Without optimised
 * coding, a JPEG is written in strips.
 */
const FORMATS: Readonly<Record<ImageType, Format>> = {
  'image/png': {
    loader: 'VipsForeignLoadPng',
    maxDecoded: 250_000_000,
    maxStored: 50_000_000,
    write: (image) => image.png(),
  },
  'image/jpeg': {
    loader: 'VipsForeignLoadJpeg',
    maxDecoded: 250_000_000,
    maxStored: 50_000_000,
    write: (image) => image.jpeg({ quality: 92, optimiseCoding: false }),
  },
  'image/webp': {
    loader: 'VipsForeignLoadWebp',
    maxDecoded: 50_000_000,
    maxStored: 8_000_000,
    hasFrames: true,
    write: (image, isLossless) =>
      image.webp({ quality: 90, lossless: isLossless, effort: isLossless ? 0 : 2 }),
  },
  'image/gif': {
    loader: 'VipsForeignLoadNsgif',
    maxDecoded: MAX_ANIMATION_PIXELS,
    maxStored: 8_000_000,
    hasFrames: true,
    write: (image) => image.gif({ effort: 1 }),
  },
  'image/avif': {
    loader: 'VipsForeignLoadHeif',
    maxDecoded: 16_000_000,
    maxStored: 4_000_000,
    write: (image) => image.avif({ quality: 65, effort: 0 }),
  },
}

export type Library = Awaited<ReturnType<typeof loadSharp>>

/** Loads the decoders. The library takes memory, so only a process for images does this. */
export async function loadDecoders(): Promise<Library> {
  const sharp = await loadSharp()
  // One thread: uploads must not take the processors from conversations.
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: Object.values(FORMATS).map(({ loader }) => loader) })
  return sharp
}

/** Writes the upright middle of the first frame, without any metadata. */
export async function convertToSquare(
  sharp: Library,
  { source, target, type, side }: SquareRequest,
): Promise<ImageReply> {
  const { maxDecoded } = FORMATS[type]
  const open = () => sharp(source, { limitInputPixels: maxDecoded, failOn: 'error', sequentialRead: true })
  try {
    const { width, height } = await open().metadata()
    if (width * height > maxDecoded) return { refusal: 'too_large' }
    const square = open().autoOrient().resize(side, side, { fit: 'cover' }).webp({ quality: 85, effort: 2 })
    await square.toFile(target)
    return { size: { width: side, height: side } }
  } catch (error) {
    return { refusal: refusalOf(error) }
  }
}

/** Copies the pixels without any metadata, and writes a thumbnail of the first frame. */
export async function convertImage(
  sharp: Library,
  { source, target, thumbnail, type, maxPixels, maxBytes }: ImageRequest,
): Promise<ImageReply> {
  const { maxDecoded, maxStored, hasFrames, write } = FORMATS[type]
  const open = (path: string, pages = 1) =>
    sharp(path, { limitInputPixels: maxDecoded, failOn: 'error', pages, sequentialRead: true })
  try {
    // The header only.
    const { width, height, pages = 1 } = await open(source).metadata()
    const isAnimated = hasFrames === true && pages > 1
    const frames = isAnimated ? pages : 1
    const pixels = width * height * frames
    const limit = Math.min(maxPixels, isAnimated ? MAX_ANIMATION_PIXELS : maxStored)
    if (pixels > (isAnimated ? limit : maxDecoded) || frames > MAX_FRAMES || maxPixels === 0)
      return { refusal: 'too_large' }
    const image = isAnimated ? open(source, frames) : open(source).autoOrient()
    if (pixels > limit) image.resize(boxOf(width, height, limit))
    const written = await write(image, await isLosslessWebp(source, type)).toFile(target)
    if (written.size > maxBytes) return { refusal: 'too_large' }
    await open(target)
      .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80, effort: 2 })
      .toFile(thumbnail)
    return { size: { width: written.width, height: written.pageHeight ?? written.height } }
  } catch (error) {
    return { refusal: refusalOf(error) }
  }
}

/** Messages of the library and its decoders for what exceeds a bound. */
const TOO_LARGE = /pixel limit|too large|out of memory|insufficient memory|memory/i

function refusalOf(error: unknown): 'too_large' | 'unreadable' {
  return TOO_LARGE.test((error as Error).message) ? 'too_large' : 'unreadable'
}

/** The largest size with at most so many pixels, in a square that rotation does not change. */
function boxOf(width: number, height: number, maxPixels: number) {
  const side = Math.floor(Math.max(width, height) * Math.sqrt(maxPixels / (width * height)))
  return { width: Math.max(side, 1), height: Math.max(side, 1), fit: 'inside' } as const
}

async function isLosslessWebp(path: string, type: ImageType): Promise<boolean> {
  return type === 'image/webp' && (await Bun.file(path).slice(12, 16).text()) === 'VP8L'
}
