import type { Database } from '@latchkey/database/database'
import { withTimeout } from '@latchkey/database/with-timeout'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { Progress } from './drain.ts'
import type { DrainReply, DrainRequest } from './drain-worker.ts'
import type { Journal } from './journal.ts'

/** Clicks wait this long for company: the larger the batch, the cheaper each click. Nobody sees it, reads settle first. */
const REST_MS = 1_000
/** How often hours that are over are closed and summed. Figures are exact before; afterwards they cost less. */
const TIDY_EVERY_MS = 60_000
/** How long a stop counts what waits, unless requests have left less, and then waits for the thread to let go of its files. */
const CLOSE_WITHIN_MS = 3_000

/** Has this node's clicks counted by a worker thread: soon after they arrive, and before anybody reads a figure. */
export class Counting {
  readonly #journal: Journal
  readonly #database: Database<Tables>
  readonly #log: Log
  readonly #files: { journalPath: string; databaseUrl: string }
  #worker: Worker
  #reply: PromiseWithResolvers<DrainReply> | undefined
  #counted: number
  #clicksCounted = 0
  #running: Promise<boolean> | undefined
  #timer: Timer | undefined
  readonly #tidyTimer: Timer
  #tidying = false
  #failing = false
  /** Somebody has waited for it for too long, and it has not come to an end since. */
  #isLate = false
  #closed = false

  constructor(options: {
    journal: Journal
    /** The last batch that was counted before the start. */
    counted: number
    journalPath: string
    database: Database<Tables>
    databaseUrl: string
    log: Log
  }) {
    this.#journal = options.journal
    this.#counted = options.counted
    this.#database = options.database
    this.#log = options.log
    this.#files = { journalPath: options.journalPath, databaseUrl: options.databaseUrl }
    this.#worker = this.#start()
    this.#tidyTimer = setInterval(() => void this.#tidy(), TIDY_EVERY_MS)
  }

  /** True while the database takes no clicks; they wait in the journal. */
  get failing(): boolean {
    return this.#failing
  }

  /** Batches on disk that are not counted yet. */
  get waiting(): number {
    return Math.max(0, this.#journal.state.lastSeq - this.#counted)
  }

  /** Clicks on disk that are not counted yet. */
  get clicksWaiting(): number {
    return this.waiting === 0 ? 0 : Math.max(1, this.#clicksStored - this.#clicksCounted)
  }

  get #clicksStored(): number {
    return this.#journal.state.found + this.#journal.state.committed
  }

  /** Told that clicks were committed. */
  wake(): void {
    if (this.#closed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.settle()
    }, REST_MS)
  }

  /** Ends when all that was committed before the call is counted; false when the database turned out not to take it. */
  async settle(): Promise<boolean> {
    const target = this.#journal.state.lastSeq
    while (this.#counted < target) {
      if (this.#closed) return false
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
  async settleWithin(ms: number): Promise<boolean> {
    const settling = this.settle()
    if (this.#isLate) return false
    try {
      return await withTimeout(ms, 'Counting clicks', settling)
    } catch {
      this.#isLate = true
      return false
    }
  }

  /** When the first click was made that is on disk and not counted, in Unix seconds; all before are counted. */
  get countedUntil(): number | undefined {
    return this.#journal.firstAfter(this.#counted)
  }

  /** Whether a click of this link or slug was redirected by this node and is not counted yet. */
  awaits(of: { linkId: number } | { slug: string }): boolean {
    return this.#journal.holdsAfter(this.#counted, of)
  }

  /** Counts what waits, but not for long: the next start goes on where the cursor stands (L20.2). */
  async close(withinMs = CLOSE_WITHIN_MS): Promise<void> {
    const endMs = performance.now() + withinMs
    clearTimeout(this.#timer)
    await settled(withinMs * 0.8, this.settle())
    this.#closed = true
    clearTimeout(this.#timer)
    clearInterval(this.#tidyTimer)
    await settled(endMs - performance.now(), this.#end())
    // A step that still runs is one transaction, of which all is stored or nothing.
    this.#worker.terminate()
    this.#reply?.resolve({ error: { message: 'The node stops' } })
    if (this.waiting > 0)
      this.#log.warn('clicks wait in the journal for the next start', { clicks: this.clicksWaiting })
  }

  async #end(): Promise<void> {
    await this.#running
    await this.#ask('close')
  }

  /** One batch; false when it failed, to be tried again later. */
  async #step(): Promise<boolean> {
    // The worker writes to the same SQLite file: this process's own writers stay out instead of blocking the event loop.
    // Only what is on disk: a later batch may be written and still be lost with the power.
    const upTo = this.#journal.state.lastSeq
    const reply = await this.#database.pauseWriters(() => this.#ask({ upTo }))
    if (typeof reply === 'object' && 'progress' in reply) {
      this.#succeed(reply.progress)
      return true
    }
    if (!this.#failing && !this.#closed)
      this.#log.error('clicks cannot be counted; they wait in the journal', { reply })
    this.#failing = true
    this.wake()
    return false
  }

  #succeed({ seq, clicks }: Progress): void {
    if (this.#failing) this.#log.info('clicks are counted again', {})
    this.#failing = false
    this.#counted = seq
    // What another process has counted is told as none.
    this.#clicksCounted = this.waiting === 0 ? this.#clicksStored : this.#clicksCounted + clicks
    this.#journal.forget(seq)
  }

  /** Slice by slice, whenever nothing is being counted. */
  async #tidy(): Promise<void> {
    if (this.#tidying) return
    this.#tidying = true
    for (let more = true; more && !this.#closed;) {
      await this.#running
      if (this.#running || this.#closed) continue
      const slice = this.#tidySlice()
      this.#running = slice
        .then(() => true)
        .finally(() => {
          this.#running = undefined
        })
      more = await slice
    }
    this.#tidying = false
  }

  async #tidySlice(): Promise<boolean> {
    const now = Math.floor(Date.now() / 1000)
    const reply = await this.#database.pauseWriters(() => this.#ask({ tidy: now }))
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

  #ask(request: DrainRequest): Promise<DrainReply> {
    this.#reply = Promise.withResolvers<DrainReply>()
    this.#send(request)
    return this.#reply.promise
  }

  #send(request: DrainRequest): void {
    this.#worker.postMessage(request)
  }
}

/** Ends with the work, or without it when the time is over. */
async function settled(ms: number, work: Promise<unknown>): Promise<void> {
  await withTimeout(ms, 'Counting clicks', work).catch(() => undefined)
}
