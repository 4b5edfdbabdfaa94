import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Source } from './lines.ts'

/** A file that was uploaded whole, on disk without a name: nothing is left of it, however the process ends. */
export interface Upload {
  bytes: number
  /** Good in every thread of this process until it is closed. */
  fd: number
  close(): Promise<void>
}

/** Takes the upload to its end before anything is made of it: one that breaks off or is too large changes nothing. */
export async function storeUpload(chunks: Source): Promise<Upload> {
  const file = await openUnlinkedFile()
  try {
    let bytes = 0
    for await (const chunk of chunks) bytes += await writeAll(file, chunk)
    return { bytes, fd: file.fd, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openUnlinkedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `latchkey-import-${crypto.randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** A disk that is nearly full takes a part of it, and says why only when it is given the rest. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<number> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten
  return chunk.length
}
