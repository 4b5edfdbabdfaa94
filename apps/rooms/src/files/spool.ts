import { HOUR_MS } from '@latchkey/http/duration'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { transportFailure } from '@latchkey/http/failure'
import { HEAD_BYTES } from './media-type.ts'

/** Large enough for fast writes. The only copy of an upload in memory. */
const BUFFER_BYTES = 256 * 1024

/** A client on a slow line has this long. Silent connections are closed earlier. */
const UPLOAD_TIMEOUT_MS = 900_000

/** A file in the spool folder with all bytes of an upload. */
export interface SpooledFile {
  path: string
  bytes: number
  sha256: string
  /** The first bytes. */
  head: Uint8Array
}

/**
 * Passes a new folder in the spool folder to `work`, and deletes it with what `work` leaves there. A
 * crash leaves a folder that nothing refers to; `sweepSpool` deletes it.
 */
export async function withSpool<Result>(
  folder: string,
  work: (own: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = join(folder, crypto.randomUUID())
  await mkdir(own, { mode: 0o700 })
  try {
    return await work(own)
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/** Far longer than an upload takes with its image. */
const LEFTOVER_MS = HOUR_MS

/**
 * Deletes now and every hour what broken uploads of this node have left in its spool folder, which
 * other nodes may share. Returns a function that ends this.
 */
export function sweepSpool(folder: string): () => void {
  // Files of the spool have the times of this machine.
  const sweep = () => void deleteSpoolBefore(folder, Date.now() - LEFTOVER_MS)
  sweep()
  const timer = setInterval(sweep, LEFTOVER_MS)
  return () => clearInterval(timer)
}

async function deleteSpoolBefore(folder: string, beforeMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const path of names.map((name) => join(folder, name))) {
    const stats = await stat(path).catch(() => undefined)
    // Another node may be deleting the same.
    if (stats && stats.mtimeMs < beforeMs) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

/** A file on disk with its hash, which is computed at the pace of the disk. */
export async function hashFile(path: string): Promise<Omit<SpooledFile, 'head'>> {
  const hash = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const piece of Bun.file(path).stream()) {
    bytes += piece.length
    hash.update(piece)
  }
  return { path, bytes, sha256: hash.digest('hex') }
}

/** Writes an upload to `path` at the pace of the disk. Throws what `content` throws. */
export async function spool(content: AsyncIterable<Uint8Array>, path: string): Promise<SpooledFile> {
  const hash = new Bun.CryptoHasher('sha256')
  const deadline = performance.now() + UPLOAD_TIMEOUT_MS
  const file = await open(path, 'wx', 0o600)
  try {
    const writer = new BufferedWriter(file)
    for await (const chunk of content) {
      if (performance.now() > deadline)
        throw transportFailure('invalid_request', { text: 'The upload took too long' })
      hash.update(chunk)
      await writer.write(chunk)
    }
    await writer.flush()
    return { path, bytes: writer.bytes, sha256: hash.digest('hex'), head: writer.head }
  } finally {
    await file.close()
  }
}

/** One buffer for all writes keeps the memory of an upload constant. */
class BufferedWriter {
  readonly #file: FileHandle
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #used = 0
  #flushed = 0
  head = new Uint8Array()

  constructor(file: FileHandle) {
    this.#file = file
  }

  get bytes(): number {
    return this.#flushed + this.#used
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const length = Math.min(chunk.length - at, BUFFER_BYTES - this.#used)
      this.#buffer.set(chunk.subarray(at, at + length), this.#used)
      this.#used += length
      at += length
      if (this.#used === BUFFER_BYTES) await this.flush()
    }
  }

  async flush(): Promise<void> {
    if (this.#flushed === 0)
      this.head = Uint8Array.from(this.#buffer.subarray(0, Math.min(this.#used, HEAD_BYTES)))
    // A nearly full disk accepts a part, and reports the reason only for the rest.
    for (let at = 0; at < this.#used;)
      at += (await this.#file.write(this.#buffer, at, this.#used - at)).bytesWritten
    this.#flushed += this.#used
    this.#used = 0
  }
}
