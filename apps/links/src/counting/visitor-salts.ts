import { randomBytes } from 'node:crypto'
import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import { HOUR } from '../time/window.ts'
import type { Tables } from '../db/tables.ts'
import { shareSalt } from '../clicks/store.ts'
import { dayOf } from '../clicks/visitor.ts'

const SALT_BYTES = 32
const PREPARE_EVERY_MS = 60_000
/**
 * Lead time before midnight, in seconds. Allows several attempts, since redirects never wait for
 * the database.
 */
const PREPARE_AHEAD_SECONDS = 300
/**
 * How long a salt is kept after its day, in seconds: clocks of other nodes may be behind. Pending
 * clicks do not need it, because the journal stores them with their hash.
 */
export const SALT_GRACE_SECONDS = HOUR

/** The start of the oldest UTC day whose salt is still needed; both in Unix seconds. */
export function oldestSaltedDay(now: number): number {
  return dayOf(now - SALT_GRACE_SECONDS)
}

/**
 * The salts of visitor hashes: random, one per UTC day, the same on all nodes, deleted after the
 * day. A node that does not get the shared salt in time uses its own for the whole day.
 */
export class VisitorSalts {
  readonly #database: Database<Tables>
  readonly #now: () => number
  readonly #log: Log
  readonly #salts = new Map<number, string>()
  readonly #sharedDays = new Set<number>()
  #timer: Timer | undefined
  #isFailing = false

  private constructor(database: Database<Tables>, now: () => number, log: Log) {
    this.#database = database
    this.#now = now
    this.#log = log
  }

  /** Rejects if the database cannot provide today's salt. `now` in Unix seconds. */
  static async open(database: Database<Tables>, now: () => number, log: Log): Promise<VisitorSalts> {
    const salts = new VisitorSalts(database, now, log)
    await salts.#prepare()
    salts.#timer = setInterval(() => void salts.refresh(), PREPARE_EVERY_MS)
    return salts
  }

  /** The salt of the UTC day that starts at this moment (Unix seconds). */
  of(day: number): string {
    const storedSalt = this.#salts.get(day)
    if (storedSalt !== undefined) return storedSalt
    const salt = createSalt()
    this.#salts.set(day, salt)
    void this.refresh()
    return salt
  }

  /**
   * Loads the salts that are needed now or soon, and deletes those of past days from memory. Never
   * rejects.
   */
  async refresh(): Promise<void> {
    try {
      await this.#prepare()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#log.warn('visitor salt: not shared with other nodes', { error })
      this.#isFailing = true
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #prepare(): Promise<void> {
    const now = this.#now()
    const oldest = oldestSaltedDay(now)
    for (const day of this.#salts.keys())
      if (day < oldest) {
        this.#salts.delete(day)
        this.#sharedDays.delete(day)
      }
    await this.#share(dayOf(now))
    await this.#share(dayOf(now + PREPARE_AHEAD_SECONDS))
  }

  async #share(day: number): Promise<void> {
    if (this.#sharedDays.has(day)) return
    const salt = await shareSalt(this.#database, day, this.#salts.get(day) ?? createSalt())
    // A redirect may have needed a salt meanwhile. This node keeps that salt for the day.
    if (!this.#salts.has(day)) this.#salts.set(day, salt)
    this.#sharedDays.add(day)
  }
}

function createSalt(): string {
  return randomBytes(SALT_BYTES).toString('base64url')
}
