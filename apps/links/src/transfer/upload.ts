import { type ReadStream, createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
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
      for await (const piece of pieces) bytes += (await file.write(piece)).bytesWritten
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
