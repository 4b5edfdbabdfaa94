import { ReaderUnavailable } from './errors.ts'
import type { ReadReply, ReadRequest, Row } from './read-worker.ts'
import { requireNoTransaction } from './transaction-scope.ts'
import { withTimeout } from './with-timeout.ts'

/**
 * A running statement cannot be cancelled. `close` waits this long for it, in milliseconds, and
 * then terminates the thread.
 */
const CLOSE_TIMEOUT_MS = 1_000

const WORKER = new URL('./read-worker.ts', import.meta.url).href

/**
 * A read-only thread with its own database handle, started by the first request. It serves one
 * request at a time.
 */
export class ReadThread {
  readonly #path: string
  readonly #program: string
  #worker: Worker | undefined
  #reply: PromiseWithResolvers<readonly Row[]> | undefined
  #closed = false

  constructor(path: string, program = WORKER) {
    this.#path = path
    this.#program = program
  }

  /**
   * Throws SQLite's error, or `ReaderUnavailable` when the thread has ended. The next request
   * starts another thread.
   */
  ask(request: ReadRequest): Promise<readonly Row[]> {
    requireNoTransaction('the thread that reads')
    if (this.#closed) return Promise.reject(new ReaderUnavailable('The database is being closed'))
    return this.#ask(request)
  }

  /** Resolves when the file is closed, or when the statement that keeps it open has timed out. */
  async close(): Promise<void> {
    this.#closed = true
    await settledWithin(this.#reply?.promise, CLOSE_TIMEOUT_MS)
    if (this.#reply) this.#reply.reject(new ReaderUnavailable('The database is being closed'))
    else if (this.#worker) await settledWithin(this.#ask('close'), CLOSE_TIMEOUT_MS)
    this.#worker?.terminate()
  }

  #ask(request: ReadRequest): Promise<readonly Row[]> {
    // A thread that has ended has nothing to stop.
    if (!this.#worker && request === 'stop') return Promise.resolve([])
    this.#worker ??= this.#start()
    this.#reply = Promise.withResolvers<readonly Row[]>()
    this.#worker.postMessage(request)
    return this.#reply.promise
  }

  #start(): Worker {
    const worker = new Worker(this.#program)
    worker.addEventListener('message', ({ data }: MessageEvent<ReadReply>) => {
      const reply = this.#end()
      if ('rows' in data) reply?.resolve(rowsOf(data.rows))
      else reply?.reject(Object.assign(new Error(data.error.message), { code: data.error.code }))
    })
    worker.addEventListener('error', ({ message }) => {
      this.#worker = undefined
      this.#end()?.reject(new ReaderUnavailable(`The thread that reads has ended: ${message}`))
    })
    worker.postMessage({ open: this.#path } satisfies ReadRequest)
    return worker
  }

  #end(): PromiseWithResolvers<readonly Row[]> | undefined {
    const reply = this.#reply
    this.#reply = undefined
    return reply
  }
}

function rowsOf(rows: string | readonly Row[]): readonly Row[] {
  return typeof rows === 'string' ? (JSON.parse(rows) as Row[]) : rows
}

async function settledWithin(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  await withTimeout(ms, 'closing', work ?? Promise.resolve()).catch(() => undefined)
}
