import type { Database } from '@latchkey/database/database'
import { withTimeout } from '@latchkey/database/with-timeout'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { DrainOptions, Progress } from './drain.ts'
import type { DrainReply, DrainRequest } from './drain-worker.ts'
import type { Journal } from './journal.ts'

/**
 * Delay before a drain, to gather clicks: larger batches make each click cheaper. Readers do not
 * notice, since reads drain first.
 */
const DRAIN_DELAY_MS = 1_000
/**
 * Interval at which hours that are over are closed and rolled up. Statistics are exact before that,
 * and cheaper afterwards.
 */
const ROLL_UP_EVERY_MS = 60_000
/**
 * Time limit of the last drain before a stop, unless requests have left less, and then of the wait
 * until the thread has released its files.
 */
const CLOSE_TIMEOUT_MS = 3_000

/**
 * Drains this node's clicks in a worker thread, soon after they arrive and before statistics are
 * read.
 */
export class DrainThread {
  readonly #journal: Journal
  readonly #database: Database<Tables>
  readonly #log: Log
  readonly #drainOptions: DrainOptions
  /** Started with the first work: loading its modules takes longer than the rest of a start. */
  #worker: Worker | undefined
  #reply: PromiseWithResolvers<DrainReply> | undefined
  #drainedSeq: number
  #clicksDrained = 0
  #running: Promise<boolean> | undefined
  #timer: Timer | undefined
  readonly #rollUpTimer: Timer
  #isRollingUp = false
  #isFailing = false
  /** A caller has timed out while waiting for the current step. */
  #isLate = false
  #isClosed = false

  constructor(options: {
    journal: Journal
    /** The last batch that was counted before the start. */
    drainedSeq: number
    database: Database<Tables>
    log: Log
    drain: DrainOptions
  }) {
    this.#journal = options.journal
    this.#drainedSeq = options.drainedSeq
    this.#database = options.database
    this.#log = options.log
    this.#drainOptions = options.drain
    this.#rollUpTimer = setInterval(() => void this.#rollUp(), ROLL_UP_EVERY_MS)
  }

  /** True while the database accepts no clicks. They wait in the journal. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  /** Batches on disk that are not counted yet. */
  get pendingBatches(): number {
    return Math.max(0, this.#journal.state.lastSeq - this.#drainedSeq)
  }

  /** Clicks on disk that are not counted yet. */
  get pendingClicks(): number {
    return this.pendingBatches === 0 ? 0 : Math.max(1, this.#clicksStored - this.#clicksDrained)
  }

  get #clicksStored(): number {
    return this.#journal.state.pendingAtStart + this.#journal.state.committed
  }

  /** Called when clicks were committed. */
  wake(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.drainAll()
    }, DRAIN_DELAY_MS)
  }

  /**
   * Resolves once all clicks committed before the call are counted, or with false if the database
   * does not accept them.
   */
  async drainAll(): Promise<boolean> {
    const lastSeq = this.#journal.state.lastSeq
    while (this.#drainedSeq < lastSeq) {
      if (this.#isClosed) return false
      this.#running ??= this.#step().finally(() => {
        this.#running = undefined
      })
      if (!(await this.#running)) return false
    }
    this.#isLate = false
    return true
  }

  /**
   * Like `drainAll`, but false after a timeout, and at once while draining is known to be slow. A
   * hanging database therefore delays one caller, not each.
   */
  async drainWithTimeout(ms: number): Promise<boolean> {
    const draining = this.drainAll()
    if (this.#isLate) return false
    try {
      return await withTimeout(ms, 'Counting clicks', draining)
    } catch {
      this.#isLate = true
      return false
    }
  }

  /**
   * The time of the first click on disk that is not counted, in Unix seconds. All earlier clicks
   * are counted.
   */
  get oldestPendingAt(): number | undefined {
    return this.#journal.oldestClickAfter(this.#drainedSeq)
  }

  /** Checks for a click of this link or slug that this node has redirected and not yet counted. */
  hasPending(query: { linkId: number } | { slug: string }): boolean {
    return this.#journal.hasClickAfter(this.#drainedSeq, query)
  }

  /** Drains pending clicks within the timeout. The next start continues from the cursor (L20.2). */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<void> {
    const endMs = performance.now() + timeoutMs
    clearTimeout(this.#timer)
    await waitQuietly(timeoutMs * 0.8, this.drainAll())
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#rollUpTimer)
    await waitQuietly(endMs - performance.now(), this.#closeDrain())
    // A running step is one transaction, which is stored as a whole or not at all.
    this.#worker?.terminate()
    this.#reply?.resolve({ error: { message: 'The node stops' } })
    this.#journal.eraseDrained(this.#drainedSeq)
    if (this.pendingBatches > 0)
      this.#log.warn('drain: clicks wait in the journal for the next start', { clicks: this.pendingClicks })
  }

  async #closeDrain(): Promise<void> {
    await this.#running
    if (this.#worker) await this.#request('close')
  }

  /** Drains one batch. False if it failed and is to be retried. */
  async #step(): Promise<boolean> {
    // The worker writes to the same SQLite file. Pausing this process's own writers keeps them from
    // blocking the event loop. Only batches on disk are drained: a later one may be written and
    // still be lost in a power failure.
    const upTo = this.#journal.state.lastSeq
    const reply = await this.#database.pauseWriters(() => this.#request({ upTo }))
    if (typeof reply === 'object' && 'progress' in reply) {
      this.#recordProgress(reply.progress)
      return true
    }
    if (!this.#isFailing && !this.#isClosed)
      this.#log.error('drain: clicks cannot be counted, they wait in the journal', { reply })
    this.#isFailing = true
    this.wake()
    return false
  }

  #recordProgress({ seq, clicks }: Progress): void {
    if (this.#isFailing) this.#log.info('drain: clicks are counted again', {})
    this.#isFailing = false
    this.#drainedSeq = seq
    // Clicks that another process has counted are not included.
    this.#clicksDrained = this.pendingBatches === 0 ? this.#clicksStored : this.#clicksDrained + clicks
    this.#journal.markDrained(seq)
  }

  /** Runs slice by slice, while no batch is being drained. */
  async #rollUp(): Promise<void> {
    this.#journal.eraseDrained(this.#drainedSeq)
    if (this.#isRollingUp) return
    this.#isRollingUp = true
    for (let hasMore = true; hasMore && !this.#isClosed;) {
      await this.#running
      if (this.#running || this.#isClosed) continue
      const slice = this.#rollUpSlice()
      this.#running = slice
        .then(() => true)
        .finally(() => {
          this.#running = undefined
        })
      hasMore = await slice
    }
    this.#isRollingUp = false
  }

  async #rollUpSlice(): Promise<boolean> {
    const now = Math.floor(Date.now() / 1000)
    const reply = await this.#database.pauseWriters(() => this.#request({ rollUp: now }))
    if (typeof reply === 'object' && 'more' in reply) return reply.more
    this.#log.warn('rollups: cannot be built, statistics are slower until they are', { reply })
    return false
  }

  #start(): Worker {
    const worker = new Worker(new URL('./drain-worker.ts', import.meta.url).href)
    worker.addEventListener('message', ({ data }: MessageEvent<DrainReply>) => this.#reply?.resolve(data))
    // The thread has crashed. The journal is intact, and a new worker continues from the cursor.
    worker.addEventListener('error', ({ message }) => {
      this.#worker = undefined
      this.#reply?.resolve({ error: { message } })
    })
    worker.postMessage({ open: this.#drainOptions } satisfies DrainRequest)
    return worker
  }

  #request(request: DrainRequest): Promise<DrainReply> {
    this.#reply = Promise.withResolvers<DrainReply>()
    this.#send(request)
    return this.#reply.promise
  }

  #send(request: DrainRequest): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
  }
}

/** Resolves with the work or after the timeout, whichever is first. */
async function waitQuietly(ms: number, work: Promise<unknown>): Promise<void> {
  await withTimeout(ms, 'Counting clicks', work).catch(() => undefined)
}
