import type { FileHandle } from 'node:fs/promises'
import { HEAD, type Head, MANIFEST, type Manifest, SUMS, contentEntry, contentKeyOf } from './manifest.ts'
import { openOwn } from './own-file.ts'
import { readEntries } from './read-entries.ts'
import { BLOCK_BYTES, END_OF_TAR, InvalidBackup, paddingOf, tarHeader } from './tar.ts'
import { linesOf } from './text-lines.ts'
import { sumLine } from './verify.ts'

/** Large enough for fast writes of small pieces. */
const BUFFER_BYTES = 1024 ** 2

interface WrittenContent {
  readonly bytes: number
  readonly sha256: string
  /** Offset of the next entry. */
  readonly end: number
}

/**
 * Writes an archive to a file, one entry after the other, and the hashes of its entries beside it. A
 * file that an interrupted backup has left continues after the last content of a file in it that is
 * complete: contents never change.
 */
export class ArchiveWriter {
  readonly path: string
  readonly #file: FileHandle
  readonly #sums: FileHandle
  #at = 0
  #sumsBytes = 0
  /** The key of the last content. */
  lastKey = ''
  readonly files = { count: 0, bytes: 0 }

  private constructor(path: string, file: FileHandle, sums: FileHandle) {
    this.path = path
    this.#file = file
    this.#sums = sums
  }

  /** Opens or creates the file. One with another head begins again. Throws `BackupFailure`. */
  static async open(path: string, head: Head): Promise<ArchiveWriter> {
    const file = await openOwn(path)
    const sums = await openOwn(sumsPath(path)).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    const writer = new ArchiveWriter(path, file, sums)
    const headText = `${JSON.stringify(head)}\n`
    try {
      await writer.#resume(headText)
    } catch (error) {
      if (!(error instanceof InvalidBackup)) throw error
    }
    await writer.#file.truncate(writer.#at)
    await writer.#sums.truncate(writer.#sumsBytes)
    if (writer.#at === 0) await writer.addText(HEAD, headText)
    return writer
  }

  async addText(name: string, text: string): Promise<void> {
    await this.add(name, [Buffer.from(text)])
  }

  /**
   * Adds the content of a file. Returns false, and adds nothing, if it is not the content of this key
   * or cannot be read to its end because it was deleted.
   */
  async addContent(key: string, content: AsyncIterable<Uint8Array>): Promise<boolean> {
    const written = await this.#write(content).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    // The hash of a thumbnail is unknown.
    if (!written || (!key.includes('-') && written.sha256 !== key)) return false
    await this.#commit(contentEntry(key), written)
    this.#countContent(key, written.bytes)
    return true
  }

  /** Adds an entry, whose size is known at its end. */
  async add(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.#commit(name, await this.#write(content))
  }

  /** Writes a content after the place of its header. The next entry overwrites it unless it gets one. */
  async #write(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<WrittenContent> {
    const hash = new Bun.CryptoHasher('sha256')
    const output = new BufferedOutput(this.#file, this.#at + BLOCK_BYTES)
    for await (const piece of content) {
      hash.update(piece)
      await output.write(piece)
    }
    const bytes = output.at - this.#at - BLOCK_BYTES
    await output.write(Buffer.alloc(paddingOf(bytes)))
    await output.flush()
    return { bytes, sha256: hash.digest('hex'), end: output.at }
  }

  async #commit(name: string, { bytes, sha256, end }: WrittenContent): Promise<void> {
    await writeAll(this.#file, tarHeader({ name, bytes }, Math.floor(Date.now() / 1000)), this.#at)
    const line = Buffer.from(sumLine(sha256, name))
    await writeAll(this.#sums, line, this.#sumsBytes)
    this.#sumsBytes += line.length
    this.#at = end
  }

  /** The keys of all contents so far, in the order in which they were added. */
  async *keys(): AsyncGenerator<string> {
    for await (const line of linesOf(Bun.file(sumsPath(this.path)).stream())) {
      const key = contentKeyOf(line.slice(SHA256_LENGTH + 2))
      if (key !== undefined) yield key
    }
  }

  /** Adds the last entries, and returns when all of the file is on disk. */
  async finish(manifest: Manifest): Promise<void> {
    await this.addText(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`)
    await this.add(SUMS, Bun.file(sumsPath(this.path)).slice(0, this.#sumsBytes).stream())
    await writeAll(this.#file, END_OF_TAR, this.#at)
    await this.#file.truncate(this.#at + END_OF_TAR.length)
    await this.#file.sync()
  }

  async close(): Promise<void> {
    await this.#file.close()
    await this.#sums.close()
  }

  /** Finds the end of the contents that are complete. */
  async #resume(headText: string): Promise<void> {
    const lines = linesOf(Bun.file(sumsPath(this.path)).stream())
    const entries = readEntries(Bun.file(this.path).stream())
    for await (const { name, bytes, content } of entries) {
      const hash = new Bun.CryptoHasher('sha256')
      let received = 0
      for await (const piece of content) {
        hash.update(piece)
        received += piece.length
      }
      const sha256 = hash.digest('hex')
      const line = await lines.next()
      const key = contentKeyOf(name)
      const isFirst = this.#at === 0
      const isKept = isFirst ? name === HEAD && sha256 === sha256Of(headText) : key !== undefined
      if (!isKept || received < bytes || line.done || `${line.value}\n` !== sumLine(sha256, name)) break
      this.#at += BLOCK_BYTES + bytes + paddingOf(bytes)
      this.#sumsBytes += Buffer.byteLength(sumLine(sha256, name))
      if (key !== undefined) this.#countContent(key, bytes)
    }
    await lines.return(undefined)
  }

  #countContent(key: string, bytes: number): void {
    this.lastKey = key
    this.files.count++
    this.files.bytes += bytes
  }
}

const SHA256_LENGTH = 64

function sha256Of(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

/** The hashes beside an archive that is not complete. */
export function sumsPath(path: string): string {
  return `${path}.sums`
}

/** One buffer for small pieces. Large ones pass it. */
class BufferedOutput {
  readonly #file: FileHandle
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #used = 0
  #flushedTo: number

  constructor(file: FileHandle, start: number) {
    this.#file = file
    this.#flushedTo = start
  }

  get at(): number {
    return this.#flushedTo + this.#used
  }

  async write(piece: Uint8Array): Promise<void> {
    if (this.#used + piece.length > BUFFER_BYTES) await this.flush()
    if (piece.length > BUFFER_BYTES) {
      await writeAll(this.#file, piece, this.#flushedTo)
      this.#flushedTo += piece.length
      return
    }
    this.#buffer.set(piece, this.#used)
    this.#used += piece.length
  }

  async flush(): Promise<void> {
    await writeAll(this.#file, this.#buffer.subarray(0, this.#used), this.#flushedTo)
    this.#flushedTo += this.#used
    this.#used = 0
  }
}

/** A nearly full disk accepts a part, and reports the reason only for the rest. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;)
    at += (await file.write(bytes, at, bytes.length - at, position + at)).bytesWritten
}
