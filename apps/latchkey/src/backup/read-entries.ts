import { BLOCK_BYTES, InvalidBackup, type TarEntry, paddingOf, readTarHeader } from './tar.ts'

export interface ArchiveEntry extends TarEntry {
  /** Offset of the content in the file. */
  readonly start: number
  /** Read to its end before the next entry. */
  readonly content: AsyncGenerator<Buffer>
}

/**
 * The entries of a tar file, at the pace of their reader and with one piece of it in memory. Throws
 * `InvalidBackup` unless it ends with two empty blocks and nothing else.
 */
export async function* readEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const bytes = new ByteReader(source)
  try {
    for (;;) {
      const entry = readTarHeader(await bytes.take(BLOCK_BYTES))
      if (!entry) break
      yield { ...entry, start: bytes.position, content: bytes.stream(entry.bytes) }
      const padding = await bytes.take(paddingOf(entry.bytes))
      if (padding.some((byte) => byte !== 0)) throw new InvalidBackup('the end of an entry is damaged')
    }
    const isEnd = !readTarHeader(await bytes.take(BLOCK_BYTES)) && (await bytes.isAtEnd())
    if (!isEnd) throw new InvalidBackup('it goes on after its end')
  } finally {
    await bytes.close()
  }
}

class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  /** Number of bytes that were read. */
  position = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]()
  }

  /** Returns the next bytes. Throws `InvalidBackup` if there are fewer. */
  async take(bytes: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.stream(bytes)) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  async *stream(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0;) {
      if (!(await this.#fill())) throw new InvalidBackup('it ends too early')
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      this.position += piece.length
      yield piece
    }
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill())
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#pieces.next()
      if (done) return false
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }
}
