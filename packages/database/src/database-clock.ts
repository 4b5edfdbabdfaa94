import { type QueryExecutorProvider, sql } from 'kysely'
import type { DialectName } from './url.ts'

/** Difference between the clocks of this machine and the database that is worth a warning. */
const MAX_DIFFERENCE_MS = 10_000
/** Difference below which the warning is over. */
const SMALL_DIFFERENCE_MS = 5_000

export interface DatabaseClockOptions {
  database: { dialect: DialectName; read: QueryExecutorProvider }
  log: Record<'info' | 'warn', (message: string, fields: { secondsAhead: number }) => void>
  /** Wall clock of this machine, in milliseconds since 1970. */
  machineNow?: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow?: () => number
}

/**
 * Clock of the database. Leases, tickets and sessions are written at one node and judged at another;
 * all nodes therefore use this clock, and none its own. Between two measurements it runs on the
 * monotonic clock, and a step of the machine's clock changes nothing. SQLite has the clock of this
 * machine.
 *
 * @example await clock.measure(); await insertLease({ endsAt: clock.now() + 30_000 })
 */
export class DatabaseClock {
  readonly #options: Required<DatabaseClockOptions>
  /** Time of the machine, for times that neither this instance nor its database has written. */
  readonly machineNow: () => number
  /** Time of the database minus the monotonic time. */
  #offsetMs: number | undefined
  #isWarned = false

  constructor(options: DatabaseClockOptions) {
    this.#options = { machineNow: Date.now, steadyNow: () => performance.now(), ...options }
    this.machineNow = this.#options.machineNow
  }

  /** Milliseconds since 1970. */
  readonly now = (): number =>
    this.#offsetMs === undefined
      ? this.#options.machineNow()
      : Math.round(this.#options.steadyNow() + this.#offsetMs)

  /** How far the clock of this machine is ahead of the database, in milliseconds. */
  get machineAheadMs(): number {
    return this.#options.machineNow() - this.now()
  }

  get isMachineRight(): boolean {
    return Math.abs(this.machineAheadMs) <= MAX_DIFFERENCE_MS
  }

  /** Reads the clock of the database. Runs at the start and with each heartbeat. */
  async measure(): Promise<void> {
    const { database, steadyNow } = this.#options
    if (database.dialect === 'sqlite') return
    const sentAt = steadyNow()
    const answer = await sql<{ ms: number }>`
      select cast(extract(epoch from clock_timestamp()) * 1000 as double precision) as ms`.execute(
      database.read,
    )
    const halfTripMs = (steadyNow() - sentAt) / 2
    const [row] = answer.rows
    if (!row) return
    const offsetMs = row.ms - sentAt - halfTripMs
    // A slow answer is less precise than the last measurement, which it must not replace.
    if (this.#offsetMs === undefined || Math.abs(offsetMs - this.#offsetMs) > halfTripMs)
      this.#offsetMs = offsetMs
    this.#report()
  }

  /** Measures at this interval. Returns a function that stops it. */
  follow(everyMs: number): () => void {
    // Without an answer, the last measurement stays right for long.
    const timer = setInterval(() => void this.measure().catch(() => {}), everyMs)
    return () => clearInterval(timer)
  }

  #report(): void {
    const aheadMs = this.machineAheadMs
    const isFar = Math.abs(aheadMs) > (this.#isWarned ? SMALL_DIFFERENCE_MS : MAX_DIFFERENCE_MS)
    if (isFar === this.#isWarned) return
    this.#isWarned = isFar
    const seconds = { secondsAhead: Math.round(aheadMs / 1000) }
    if (isFar) this.#options.log.warn('clock: of this machine differs from that of the database', seconds)
    else this.#options.log.info('clock: of this machine agrees with that of the database again', seconds)
  }
}
