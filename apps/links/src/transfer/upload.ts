import { type FileHandle, open } from 'node:fs/promises'
import type { Source } from './lines.ts'
import { openUnlinkedFile } from './unlinked-file.ts'

/**
 * A completely uploaded file on disk without a name. It disappears with the process, however that
 * ends.
 */
export interface Upload {
  bytes: number
  /** Valid in every thread of this process until it is closed. */
  fd: number
  close(): Promise<void>
}

/**
 * Stores the whole upload before anything uses it: one that breaks off or is too large changes
 * nothing.
 */
export async function storeUpload(chunks: Source): Promise<Upload> {
  const file = await openUnlinkedFile((path) => open(path, 'r+'))
  try {
    let bytes = 0
    for await (const chunk of chunks) bytes += await writeAll(file, chunk)
    return { bytes, fd: file.fd, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A nearly full disk accepts a part of the chunk, and reports the reason only for the rest. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<number> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
  return chunk.length
}
