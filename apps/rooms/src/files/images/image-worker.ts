import { rm } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import type { ImageType } from './image-types.ts'
import { loadSharp } from './load-sharp.ts'

// Reads and writes images on a thread of its own: decoding is where hostile files do their harm.

export interface ImageRequest {
  /** Path of the image, and of the files to write. */
  source: string
  target: string
  thumbnail: string
  /** Media type of the image, recognised by its bytes. */
  type: ImageType
  maxPixels: number
}

export type ImageReply = { size: ImageSize } | { refusal: 'too_large' | 'unreadable' }

/** In pixels, as displayed. */
export interface ImageSize {
  width: number
  height: number
}

declare const self: Worker

const THUMBNAIL_PIXELS = 640
/** Further frames would take longer than their size in pixels suggests. */
const MAX_FRAMES = 1_000

/**
 * Decoder and encoder of each type. No other decoder runs: among those of the library are programs
 * for documents and for scripts of drawings. Of AVIF, higher efforts take minutes.
 */
const FORMATS = {
  'image/png': { loader: 'VipsForeignLoadPng', write: (image: Sharp) => image.png() },
  'image/jpeg': { loader: 'VipsForeignLoadJpeg', write: (image: Sharp) => image.jpeg({ quality: 92 }) },
  'image/webp': {
    loader: 'VipsForeignLoadWebp',
    write: (image: Sharp, isLossless: boolean) =>
      image.webp({ quality: 90, lossless: isLossless, effort: 2 }),
  },
  'image/gif': { loader: 'VipsForeignLoadNsgif', write: (image: Sharp) => image.gif() },
  'image/avif': {
    loader: 'VipsForeignLoadHeif',
    write: (image: Sharp) => image.avif({ quality: 65, effort: 0 }),
  },
} as const satisfies Record<ImageType, unknown>

type Library = Awaited<ReturnType<typeof loadSharp>>

let loading: Promise<Library> | undefined

/** Loaded by the first request: until the module has run, the thread would lose its messages. */
async function load(): Promise<Library> {
  const sharp = await loadSharp()
  // One image at a time on one thread: uploads must not take the processors from conversations.
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: Object.values(FORMATS).map(({ loader }) => loader) })
  return sharp
}

/** Copies the pixels without any metadata, and writes a thumbnail of the first frame. */
async function convert(
  sharp: Library,
  { source, target, thumbnail, type, maxPixels }: ImageRequest,
): Promise<ImageReply> {
  const open = (pages: number) =>
    sharp(source, { limitInputPixels: maxPixels, failOn: 'error', pages, sequentialRead: true })
  try {
    // The header only.
    const { width, height, pages = 1 } = await open(1).metadata()
    const frames = Math.min(pages, MAX_FRAMES)
    if (width * height * frames > maxPixels || pages > MAX_FRAMES) return { refusal: 'too_large' }
    const isLossless = type === 'image/webp' && (await isLosslessWebp(source))
    const image = frames > 1 ? open(frames) : open(1).autoOrient()
    const written = await FORMATS[type].write(image, isLossless).toFile(target)
    await open(1)
      .autoOrient()
      .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80, effort: 2 })
      .toFile(thumbnail)
    return { size: { width: written.width, height: written.pageHeight ?? written.height } }
  } catch (error) {
    await Promise.all([target, thumbnail].map((path) => rm(path, { force: true })))
    return { refusal: /pixel limit|too large/i.test((error as Error).message) ? 'too_large' : 'unreadable' }
  }
}

async function isLosslessWebp(path: string): Promise<boolean> {
  return (await Bun.file(path).slice(12, 16).text()) === 'VP8L'
}

async function answer(request: ImageRequest): Promise<void> {
  self.postMessage(await convert(await (loading ??= load()), request))
}

self.addEventListener('message', ({ data }: MessageEvent<ImageRequest>) => void answer(data))
