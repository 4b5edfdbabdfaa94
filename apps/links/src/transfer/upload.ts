import { type ReadStream, createReadStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Source } from './lines.ts'

/** A file that was uploaded whole, on disk; gone when it is closed. */
export interface Upload {
  bytes: number
  source: ReadStream
  close(): Promise<void>
}

/** Takes the upload to its end before anything is made of it: one that breaks off or is too large changes nothing. */
export async function keepUpload(pieces: Source): Promise<Upload> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-import-'))
  const close = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'upload')
  try {
    const file = await open(path, 'wx', 0o600)
    let bytes = 0
    try {
      for await (const piece of pieces) bytes += await writeWhole(file, piece)
    } finally {
      await file.close()
    }
    const source = createReadStream(path)
    return {
      bytes,
      source,
      close() {
        source.destroy()
        return close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A disk that is nearly full takes a part of it, and says why only when it is given the rest. */
async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<number> {
  for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten
  return piece.length
}
