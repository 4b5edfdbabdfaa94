import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { ClusterEvent, Publish } from '../cluster-events.ts'
import type { Job, JobResult } from './job.ts'
import { claimJob, releaseJob } from './store.ts'

/** How often a node looks whether something is due: often enough that what runs every 15 seconds does. */
const LOOK_EVERY_MS = 5_000

export interface SchedulerOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  observe: (job: string, ok: boolean, seconds: number) => void
  publish: Publish
}

/** Runs jobs when they are due, one after the other; one that fails stops no other and is tried again at the next look. */
export class Scheduler {
  readonly #jobs: readonly Job[]
  readonly #options: SchedulerOptions
  /** When this node need not ask the database before. */
  readonly #notBefore = new Map<string, number>()
  #running: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setInterval> | undefined
  #stopped = false

  constructor(jobs: readonly Job[], options: SchedulerOptions) {
    this.#jobs = jobs
    this.#options = options
  }

  /** From now on by itself. */
  start(): void {
    void this.runDue()
    this.#timer = setInterval(() => void this.runDue(), LOOK_EVERY_MS)
  }

  /** Begins nothing more, and waits for what is running. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  /** What is due at this moment. Never fails. */
  runDue(): Promise<void> {
    this.#running = this.#running.then(() => this.#runEach())
    return this.#running
  }

  async #runEach(): Promise<void> {
    for (const job of this.#jobs) {
      const nowMs = this.#options.now()
      if (this.#stopped) return
      const notBefore = this.#notBefore.get(job.name) ?? 0
      // A clock that was set back must not stop a job for as long.
      if (nowMs >= notBefore || notBefore > nowMs + job.everyMs) await this.#run(job, nowMs)
    }
  }

  async #run(job: Job, nowMs: number): Promise<void> {
    const { database, log, observe, publish } = this.#options
    const startedMs = performance.now()
    const seconds = () => (performance.now() - startedMs) / 1000
    let hasTurn = false
    try {
      const ran = await database.write(async (tx) => {
        if (!(await claimJob(tx, job, nowMs))) return undefined
        return { outcome: await job.run(tx, nowMs) }
      })
      this.#notBefore.set(job.name, nowMs + job.everyMs)
      if (!ran) return
      hasTurn = true
      let { outcome } = ran
      for (;;) {
        for (const event of eventsOf(outcome)) publish(event)
        if (!hasMore(outcome) || this.#stopped) break
        // Requests have their turn in between.
        await new Promise((resolve) => setImmediate(resolve))
        outcome = await database.write((tx) => job.run(tx, nowMs))
      }
      observe(job.name, true, seconds())
    } catch (error) {
      // What pieces are committed have committed the turn as well.
      if (hasTurn) await this.#releaseClaim(job, nowMs)
      observe(job.name, false, seconds())
      log.error('a job failed', { job: job.name, error })
    }
  }

  async #releaseClaim(job: Job, nowMs: number): Promise<void> {
    this.#notBefore.delete(job.name)
    try {
      await this.#options.database.write((tx) => releaseJob(tx, job, nowMs))
    } catch {
      // Then it is tried again when it is next due.
    }
  }
}

function eventsOf(outcome: JobResult): readonly ClusterEvent[] {
  return typeof outcome === 'object' ? outcome.events : []
}

function hasMore(outcome: JobResult): boolean {
  return typeof outcome === 'object' ? outcome.isMore === true : outcome === 'more'
}
