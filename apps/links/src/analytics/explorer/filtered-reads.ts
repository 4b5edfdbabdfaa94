import { EventEmitter, on } from 'node:events'
import { ReaderUnavailable } from '@latchkey/database/errors'
import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import { Failure } from '@latchkey/http/failure'
import { failure, failures } from '../../api/failures.ts'
import type { FilteredRead } from './filtered-read.ts'
import type { FilteredReply, FilteredRequest } from './filtered-worker.ts'

/** Reads of one person at a time: some pages, or the clicks on filters of one. */
const MAX_PER_PERSON = 4
/** Limit for all people together, since reads take turns on one thread. */
const MAX_READS = 16
/** Retry advice for a refused caller, in seconds. */
const RETRY_AFTER = { 'Retry-After': '2' }
/** Time without reads after which the thread ends, because it takes memory. */
const IDLE_MS = 60_000

type Reply = Exclude<FilteredReply, { error: unknown }>

/**
 * The reads of filtered statistics of this node, on one thread that starts with the first of them.
 */
export class FilteredReads {
  readonly #databaseUrl: string
  readonly #idleMs: number
  /** The running reads of each person. */
  readonly #running = new Map<string, number>()
  readonly #replies = new EventEmitter<Record<string, [FilteredReply]>>().setMaxListeners(0)
  readonly #shutdown = new AbortController()
  #worker: Worker | undefined
  #lastId = 0
  #idleTimer: Timer | undefined

  constructor(databaseUrl: string, idleMs = IDLE_MS) {
    this.#databaseUrl = databaseUrl
    this.#idleMs = idleMs
  }

  /** Whether the thread runs, and takes memory. */
  get isOpen(): boolean {
    return this.#worker !== undefined
  }

  /**
   * Yields the progress of a read and at last its result. The first step throws `analytics_busy` if
   * the person or the node has too many; any step throws `analytics_stopped` when the signal aborts
   * or the service stops. The read ends when the caller leaves the loop.
   */
  async *run(identity: string, clientAbort: AbortSignal, read: FilteredRead): AsyncGenerator<Reply> {
    requireNoTransaction('filtered statistics')
    this.#acquire(identity)
    const signal = AbortSignal.any([clientAbort, this.#shutdown.signal])
    const id = ++this.#lastId
    try {
      signal.throwIfAborted()
      const replies = on(this.#replies, String(id), { signal }) as AsyncIterable<[FilteredReply]>
      this.#worker ??= this.#start()
      this.#worker.postMessage({ id, read } satisfies FilteredRequest)
      for await (const [reply] of replies) {
        if ('error' in reply) throw errorOf(reply.error)
        yield reply
        if ('result' in reply) return
      }
    } catch (error) {
      throw signal.aborted ? failure('analytics_stopped') : error
    } finally {
      this.#worker?.postMessage({ cancel: id } satisfies FilteredRequest)
      this.#release(identity)
    }
  }

  /** Ends all reads. */
  drain(): void {
    this.#shutdown.abort()
  }

  /** Resolves when the thread, if there is one, has closed its database. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const worker = this.#worker
    this.#worker = undefined
    if (!worker) return
    const closed = Promise.withResolvers<void>()
    worker.addEventListener('message', ({ data }) => void (data === 'closed' && closed.resolve()))
    worker.addEventListener('error', () => closed.resolve())
    worker.postMessage('close' satisfies FilteredRequest)
    await closed.promise
    worker.terminate()
  }

  #acquire(identity: string): void {
    const own = this.#running.get(identity) ?? 0
    const all = this.#running.values().reduce((sum, count) => sum + count, 0)
    if (own >= MAX_PER_PERSON || all >= MAX_READS)
      throw new Failure('analytics_busy', failures.analytics_busy, RETRY_AFTER)
    this.#running.set(identity, own + 1)
    clearTimeout(this.#idleTimer)
  }

  #release(identity: string): void {
    const left = (this.#running.get(identity) ?? 1) - 1
    if (left > 0) this.#running.set(identity, left)
    else this.#running.delete(identity)
    if (this.#running.size > 0) return
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => void this.close(), this.#idleMs)
    this.#idleTimer.unref()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./filtered-worker.ts', import.meta.url).href)
    worker.addEventListener('message', ({ data }) => {
      if (data !== 'closed') this.#replies.emit(String(data.id), data.reply)
    })
    worker.addEventListener('error', ({ message }) => {
      if (this.#worker === worker) this.#worker = undefined
      const error = { message: `The thread that reads has ended: ${message}`, isUnavailable: true }
      for (const id of this.#replies.eventNames()) this.#replies.emit(id, { error })
    })
    worker.postMessage({ open: this.#databaseUrl } satisfies FilteredRequest)
    return worker
  }
}

function errorOf({ message, isUnavailable }: { message: string; isUnavailable: boolean }): Error {
  return isUnavailable ? new ReaderUnavailable(message) : new Error(message)
}
