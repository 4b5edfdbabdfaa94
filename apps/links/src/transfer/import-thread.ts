import { ReaderUnavailable } from '@latchkey/database/errors'
import type { ImportJob, ImportReply, ImportRequest, ImportedBatch } from './import-job.ts'

/** An import in a thread of its own, which reads and stores only on request. */
export class ImportThread {
  readonly #worker = new Worker(new URL('./import-worker.ts', import.meta.url).href)
  /** The failure that answers all further requests. */
  #failure: ImportReply | undefined
  #reply = Promise.withResolvers<ImportReply>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(job: ImportJob) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<ImportReply>) =>
      this.#reply.resolve(data),
    )
    this.#worker.addEventListener('error', ({ message }) => {
      this.#failure = { error: { message, isUnavailable: false } }
      this.#reply.resolve(this.#failure)
    })
    this.#worker.postMessage({ open: job } satisfies ImportRequest)
  }

  /** Stores the next rows and returns them; undefined at the end of the file. */
  async next(): Promise<ImportedBatch | undefined> {
    const reply = await this.#request('next')
    if (reply === 'closed') return undefined
    if ('batch' in reply) return reply.batch
    const { message, isUnavailable } = reply.error
    throw isUnavailable ? new ReaderUnavailable(message) : new Error(message)
  }

  /**
   * Resolves once pending requests are done and the files are closed: no transaction is cut off.
   */
  async close(): Promise<void> {
    await this.#request('close')
    this.#worker.terminate()
  }

  /** Sends requests one after another. */
  #request(request: ImportRequest): Promise<ImportReply> {
    const pendingReply = this.#last.then(() => {
      if (this.#failure) return this.#failure
      this.#reply = Promise.withResolvers<ImportReply>()
      this.#worker.postMessage(request)
      return this.#reply.promise
    })
    this.#last = pendingReply
    return pendingReply
  }
}
