import type { Database } from '@latchkey/database/database'
import { withTimeout } from '@latchkey/database/with-timeout'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { Progress } from './drain.ts'
import type { DrainReply, DrainRequest } from './drain-worker.ts'
import type { Journal } from './journal.ts'

/** Clicks wait this long for company: the larger the batch, the cheaper each click. Nobody sees it, reads settle first. */
const DRAIN_DELAY_MS = 1_000
/** How often hours that are over are closed and summed. Figures are exact before; afterwards they cost less. */
const ROLL_UP_EVERY_MS = 60_000
/** How long a stop counts what waits, unless requests have left less, and then waits for the thread to let go of its files. */
const CLOSE_TIMEOUT_MS = 3_000

/** Has this node's clicks counted by a worker thread: soon after they arrive, and before anybody reads a figure. */
export class DrainThread {
  readonly #journal: Journal
  readonly #database: Database<Tables>
  readonly #log: Log
  readonly #files: { journalPath: string; databaseUrl: string }
  #worker: Worker
  #reply: PromiseWithResolvers<DrainReply> | undefined
  #drainedSeq: number
  #clicksDrained = 0
  #running: Promise<boolean> | undefined
  #timer: Timer | undefined
  readonly #rollUpTimer: Timer
  #isRollingUp = false
  #isFailing = false
  /** Somebody has waited for it for too long, and it has not come to an end since. */
  #isLate = false
  #isClosed = false

  constructor(options: {
    journal: Journal
    /** The last batch that was counted before the start. */
    drainedSeq: number
    journalPath: string
    database: Database<Tables>
    databaseUrl: string
    log: Log
  }) {
    this.#journal = options.journal
    this.#drainedSeq = options.drainedSeq
    this.#database = options.database
    this.#log = options.log
    this.#files = { journalPath: options.journalPath, databaseUrl: options.databaseUrl }
    this.#worker = this.#start()
    this.#rollUpTimer = setInterval(() => void this.#rollUp(), ROLL_UP_EVERY_MS)
  }

  /** True while the database takes no clicks; they wait in the journal. */
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

  /** Told that clicks were committed. */
  wake(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.drainAll()
    }, DRAIN_DELAY_MS)
  }

  /** Ends when all that was committed before the call is counted; false when the database turned out not to take it. */
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
   * The same, for who would rather know less than wait: false when it takes longer, and at once while it is known to take
   * long, so that a hanging database is waited for once and not by each of those who ask.
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

  /** When the first click was made that is on disk and not counted, in Unix seconds; all before are counted. */
  get oldestPendingAt(): number | undefined {
    return this.#journal.oldestClickAfter(this.#drainedSeq)
  }

  /** Whether a click of this link or slug was redirected by this node and is not counted yet. */
  hasPending(query: { linkId: number } | { slug: string }): boolean {
    return this.#journal.hasClickAfter(this.#drainedSeq, query)
  }

  /** Counts what waits, but not for long: the next start goes on where the cursor stands (L20.2). */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<void> {
    const endMs = performance.now() + timeoutMs
    clearTimeout(this.#timer)
    await waitQuietly(timeoutMs * 0.8, this.drainAll())
    this.#isClosed = true
    clearTimeout(this.#timer)
    clearInterval(this.#rollUpTimer)
    await waitQuietly(endMs - performance.now(), this.#closeDrain())
    // A step that still runs is one transaction, of which all is stored or nothing.
    this.#worker.terminate()
    this.#reply?.resolve({ error: { message: 'The node stops' } })
    if (this.pendingBatches > 0)
      this.#log.warn('clicks wait in the journal for the next start', { clicks: this.pendingClicks })
  }

  async #closeDrain(): Promise<void> {
    await this.#running
    await this.#request('close')
  }

  /** One batch; false when it failed, to be tried again later. */
  async #step(): Promise<boolean> {
    // The worker writes to the same SQLite file: this process's own writers stay out instead of blocking the event loop.
    // Only what is on disk: a later batch may be written and still be lost with the power.
    const upTo = this.#journal.state.lastSeq
    const reply = await this.#database.pauseWriters(() => this.#request({ upTo }))
    if (typeof reply === 'object' && 'progress' in reply) {
      this.#recordProgress(reply.progress)
      return true
    }
    if (!this.#isFailing && !this.#isClosed)
      this.#log.error('clicks cannot be counted; they wait in the journal', { reply })
    this.#isFailing = true
    this.wake()
    return false
  }

  #recordProgress({ seq, clicks }: Progress): void {
    if (this.#isFailing) this.#log.info('clicks are counted again', {})
    this.#isFailing = false
    this.#drainedSeq = seq
    // What another process has counted is told as none.
    this.#clicksDrained = this.pendingBatches === 0 ? this.#clicksStored : this.#clicksDrained + clicks
    this.#journal.markDrained(seq)
  }

  /** Slice by slice, whenever nothing is being counted. */
  async #rollUp(): Promise<void> {
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
    this.#log.warn('clicks could not be summed; figures cost more until they are', { reply })
    return false
  }

  #start(): Worker {
    const worker = new Worker(new URL('./drain-worker.ts', import.meta.url).href)
    worker.addEventListener('message', ({ data }: MessageEvent<DrainReply>) => this.#reply?.resolve(data))
    // The thread is gone; the journal is not, and another one goes on where the cursor stands.
    worker.addEventListener('error', ({ message }) => {
      this.#worker = this.#start()
      this.#reply?.resolve({ error: { message } })
    })
    worker.postMessage({ open: this.#files } satisfies DrainRequest)
    return worker
  }

  #request(request: DrainRequest): Promise<DrainReply> {
    this.#reply = Promise.withResolvers<DrainReply>()
    this.#send(request)
    return this.#reply.promise
  }

  #send(request: DrainRequest): void {
    this.#worker.postMessage(request)
  }
}

/** Ends with the work, or without it when the time is over. */
async function waitQuietly(ms: number, work: Promise<unknown>): Promise<void> {
  await withTimeout(ms, 'Counting clicks', work).catch(() => undefined)
}
