import { constants, setPriority } from 'node:os'
import process from 'node:process'
import { embeddedAsset } from '@latchkey/http/embedded-asset'
import {
  type ImageReply,
  type ImageRequest,
  type SquareRequest,
  convertImage,
  convertToSquare,
  loadDecoders,
} from './convert-image.ts'
import { limitResources } from './limit-resources.ts'
import { NATIVE_ASSETS } from './load-sharp.ts'

/** The argument with which the executable is such a process. */
export const IMAGE_PROCESS = 'image-process'

/** Memory for one image, beside that of the program. */
export const MEMORY_BYTES = 512 * 1024 ** 2

/** Time of one image on a processor. Others wait meanwhile. */
const PROCESSOR_SECONDS = 4

/** `ready` begins the time of the image. */
export type ImageMessage = 'ready' | ImageReply

/** The command line of a process for one image. */
export function imageProcessCommand(): string[] {
  const isExecutable = embeddedAsset(NATIVE_ASSETS) !== undefined
  return [process.execPath, isExecutable ? IMAGE_PROCESS : import.meta.filename]
}

/**
 * Converts the one image that its parent sends, and ends: decoding is where hostile files do their
 * harm, and only a process can be stopped, bounded in memory, and crash alone.
 */
export async function runImageProcess(processorSeconds = PROCESSOR_SECONDS): Promise<void> {
  // A parent that ends takes this process along. Its terminal and service manager signal both.
  process.on('disconnect', () => process.exit())
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {})
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const request = new Promise<ImageRequest | SquareRequest>((resolve) => process.once('message', resolve))
  const sharp = await loadDecoders()
  limitResources(MEMORY_BYTES, processorSeconds)
  send('ready')
  const image = await request
  send(await ('side' in image ? convertToSquare(sharp, image) : convertImage(sharp, image)))
}

function send(message: ImageMessage): void {
  process.send?.(message)
}

if (import.meta.main && process.argv[1] === import.meta.filename) await runImageProcess()
