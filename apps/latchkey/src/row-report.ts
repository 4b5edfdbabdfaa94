import { once } from 'node:events'
import { type WriteStream, createWriteStream } from 'node:fs'

/** A file of JSON lines, written at the pace of the disk. */
export class JsonLinesFile {
  readonly #stream: WriteStream
  #failure: Error | undefined

  constructor(path: string) {
    this.#stream = createWriteStream(path)
    // Told to whoever writes next, or closes.
    this.#stream.on('error', (error) => (this.#failure ??= error))
  }

  async write(line: unknown): Promise<void> {
    if (this.#failure) throw this.#failure
    if (!this.#stream.write(`${JSON.stringify(line)}\n`)) await once(this.#stream, 'drain')
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#stream.end(() => resolve())
      this.#stream.once('error', () => resolve())
    })
    if (this.#failure) throw this.#failure
  }
}
