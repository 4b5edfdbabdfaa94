import { once } from 'node:events'
import { type WriteStream, createWriteStream, openSync, statSync } from 'node:fs'
import { makePrivate } from './private-file.ts'

/**
 * A new file of JSON lines, written at the pace of the disk. The constructor throws if the file
 * cannot be created, or exists with content: it may be the file to import.
 */
export class JsonLinesFile {
  readonly #stream: WriteStream
  #failure: Error | undefined

  constructor(path: string) {
    // Pipes and devices have no size, and neither has the file of a run that failed at its
    // start.
    const isTaken = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
    const fd = openSync(path, isTaken ? 'wx' : 'w', 0o600)
    makePrivate(fd)
    this.#stream = createWriteStream(path, { fd })
    // Thrown by the next `write` or `close`.
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
