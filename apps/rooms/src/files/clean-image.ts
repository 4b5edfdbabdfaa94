import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Failure } from '@latchkey/http/failure'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { unavailable } from './explain-storage-error.ts'
import { hashFile } from './spool.ts'
import { turnOf } from './turn.ts'
import type { NewContent } from './new-content.ts'
import type { ImageRequest, ImageSize, SquareRequest } from '@latchkey/images/convert-image'
import type { ImageResult } from '@latchkey/images/image-queue'
import { IMAGE_TYPES, type ImageType } from '@latchkey/images/image-types'

export function isImageType(type: string): type is ImageType {
  return IMAGE_TYPES.some((imageType) => imageType === type)
}

type Refusal = Extract<ImageResult, { refusal: unknown }>['refusal']

/** Seconds after which one of the images of a person that wait is probably done. */
const RETRY_SECONDS = '3'

/**
 * Copies the pixels of the image `sent` in this folder, and nothing else of it: no position, no
 * other metadata, and nothing that is appended (R31.4). Throws for images that are too large or
 * cannot be read, and where the person has too many waiting or has used up the hour's time.
 */
export async function cleanImage(context: Context, folder: string, type: ImageType): Promise<NewContent> {
  const [target, thumbnail] = [join(folder, 'image'), join(folder, 'thumbnail')]
  const { image_pixels: maxPixels, file_bytes: maxBytes } = context.policy.limits
  const source = join(folder, 'sent')
  const size = await convert(context, { source, target, thumbnail, type, maxPixels, maxBytes })
  const { path, bytes, sha256 } = await hashFile(target)
  const { size: thumbnail_bytes } = await stat(thumbnail)
  return { path, bytes, thumbnail, facts: { sha256, type, ...size, thumbnail_bytes } }
}

/** The middle of the image `sent` in this folder, as a WebP square. Throws as `cleanImage` does. */
export async function cleanSquare(
  context: Context,
  folder: string,
  { type, side }: { type: ImageType; side: number },
): Promise<NewContent> {
  if (context.policy.limits.image_pixels === 0) throw failure('image_too_large')
  const target = join(folder, 'square')
  await convert(context, { source: join(folder, 'sent'), target, type, side })
  const { path, bytes, sha256 } = await hashFile(target)
  const facts = { sha256, type: 'image/webp', width: null, height: null, thumbnail_bytes: null }
  return { path, bytes, facts }
}

async function convert(context: Context, request: ImageRequest | SquareRequest): Promise<ImageSize> {
  const { images, rates, actor } = context
  const turn = turnOf(context)
  rates.check('image_seconds_per_hour', turn)
  const { seconds, ...result } = await images.run({ personId: actor.user.id, turn }, request)
  rates.charge('image_seconds_per_hour', turn, seconds)
  if ('size' in result) return result.size
  throw explainRefusal(result.refusal)
}

function explainRefusal(refusal: Refusal): Failure {
  switch (refusal) {
    case 'too_large':
      return failure('image_too_large')
    case 'unreadable':
      return failure('file_type_refused', { text: 'The image is damaged or of an unusual kind' })
    case 'busy':
      return failure('rate_limited', { headers: { 'Retry-After': RETRY_SECONDS } })
    default:
      return unavailable()
  }
}
