import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { failure } from '../../failures.ts'
import { unavailable } from '../explain-storage-error.ts'
import { hashFile } from '../spool.ts'
import type { NewContent } from '../upload.ts'
import { IMAGE_TYPES, type ImageType } from './image-types.ts'

export function isImageType(type: string): type is ImageType {
  return IMAGE_TYPES.some((each) => each === type)
}

/**
 * Copies the pixels of the image `sent` in this folder, and nothing else of it: no position, no
 * other metadata, and nothing that is appended (R31.4). Throws for images that are too large or
 * cannot be read.
 */
export async function cleanImage(
  { images, policy, log, requestId }: Context,
  folder: string,
  type: ImageType,
): Promise<NewContent> {
  const [target, thumbnail] = [join(folder, 'image'), join(folder, 'thumbnail')]
  const maxPixels = policy.limits.image_pixels
  const result = await images.run({ source: join(folder, 'sent'), target, thumbnail, type, maxPixels })
  if ('size' in result) {
    const { path, bytes, sha256 } = await hashFile(target)
    const { size: thumbnail_bytes } = await stat(thumbnail)
    return { path, bytes, thumbnail, facts: { sha256, type, ...result.size, thumbnail_bytes } }
  }
  if (result.refusal === 'too_large') throw failure('image_too_large')
  if (result.refusal === 'unreadable')
    throw failure('file_type_refused', { text: 'The image is damaged or of an unusual kind' })
  log.error('files: images cannot be processed', { requestId, reason: result.refusal })
  throw unavailable()
}
