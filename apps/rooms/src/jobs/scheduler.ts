import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { ClusterEvent, Publish } from '../api/cluster-events.ts'
import type { Job, JobResult } from './job.ts'
import { claimJob, releaseJob } from './store.ts'

/**
 * Interval at which a node checks for due jobs: short enough for jobs that run every 15 seconds.
 */
const CHECK_EVERY_MS = 5_000

export interface SchedulerOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  observe: (job: string, ok: boolean, seconds: number) => void
  publish: Publish
}

/**
 * Runs due jobs, one after the other. A failed job stops no other and is tried again at the next
 * check.
 */
export class Scheduler {
  readonly #jobs: readonly Job[]
  readonly #options: SchedulerOptions
  /** Time before which this node need not check a job in the database. */
  readonly #notBefore = new Map<string, number>()
  #running: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setInterval> | undefined
  #stopped = false

  constructor(jobs: readonly Job[], options: SchedulerOptions) {
    this.#jobs = jobs
    this.#options = options
  }

  /** Starts the timer. */
  start(): void {
    void this.runDue()
    this.#timer = setInterval(() => void this.runDue(), CHECK_EVERY_MS)
  }

  /** Starts no further job and waits for the running one. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#running
  }

  /** Runs everything that is due. Never rejects. */
  runDue(): Promise<void> {
    this.#running = this.#running.then(() => this.#runEach())
    return this.#running
  }

  async #runEach(): Promise<void> {
    for (const job of this.#jobs) {
      const nowMs = this.#options.now()
      if (this.#stopped) return
      const notBefore = this.#notBefore.get(job.name) ?? 0
      // A clock that was set back must not delay a job by the same time.
      if (nowMs >= notBefore || notBefore > nowMs + job.everyMs) await this.#run(job, nowMs)
    }
  }

  async #run(job: Job, nowMs: number): Promise<void> {
    const { database, log, observe, publish } = this.#options
    const startedMs = performance.now()
    const seconds = () => (performance.now() - startedMs) / 1000
    let isClaimed = false
    try {
      const ran = await database.write(async (tx) => {
        if (!(await claimJob(tx, job, nowMs))) return undefined
        return { outcome: await job.run(tx, nowMs) }
      })
      this.#notBefore.set(job.name, nowMs + job.everyMs)
      if (!ran) return
      isClaimed = true
      let { outcome } = ran
      for (;;) {
        for (const event of eventsOf(outcome)) publish(event)
        if (typeof outcome === 'object') await outcome.afterCommit?.(() => this.#stopped)
        if (!hasMore(outcome) || this.#stopped) break
        // Lets requests run in between.
        await new Promise((resolve) => setImmediate(resolve))
        outcome = await database.write((tx) => job.run(tx, nowMs))
      }
      observe(job.name, true, seconds())
    } catch (error) {
      // The first committed part has also committed the claim.
      if (isClaimed) await this.#releaseClaim(job, nowMs)
      observe(job.name, false, seconds())
      log.error('job: failed', { job: job.name, error })
    }
  }

  async #releaseClaim(job: Job, nowMs: number): Promise<void> {
    this.#notBefore.delete(job.name)
    try {
      await this.#options.database.write((tx) => releaseJob(tx, job, nowMs))
    } catch {
      // The job then runs again when it is next due.
    }
  }
}

function eventsOf(outcome: JobResult): readonly ClusterEvent[] {
  return typeof outcome === 'object' ? outcome.events : []
}

function hasMore(outcome: JobResult): boolean {
  return typeof outcome === 'object' ? outcome.isMore === true : outcome === 'more'
}
