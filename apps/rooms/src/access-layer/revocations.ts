import type { Database } from '@latchkey/database/database'
import { SECOND_MS } from '@latchkey/http/duration'
import { failure } from '../api/failures.ts'
import { toMoment } from '../api/wire.ts'
import type { Tables } from '../db/tables.ts'
import { END_RETENTION_MS, findEnds, findRestore, listEnded } from './ended-store.ts'
import type { AccessPolicy } from './policy.ts'

export const REVOCATIONS_PATH = '/api/access/revocations'

/** How long a service waits for the next end, in milliseconds. */
const WAIT_MS = 25 * SECOND_MS
/** How often the database is asked while a service waits: an end is known to it within 2 s. */
const CHECK_MS = SECOND_MS
/** Ends in one answer. */
const MAX_ENDED = 1_000
/** Requests that may wait at a node. Each node of a service has one. */
const MAX_WAITING = 100
/** Age of a cursor from which on a service may have missed ends. */
const MAX_CURSOR_MS = END_RETENTION_MS / 2

export interface Revocations {
  /** Where to continue. */
  cursor: string
  /**
   * The service may have missed ends: it forgets whom it has admitted. Then `ended` begins with all
   * that are stored.
   */
  reset: boolean
  ended: { sid: string; at: string }[]
}

interface RevocationLogOptions {
  database: Database<Tables>
  policy: AccessPolicy
  /** Milliseconds since 1970. */
  now: () => number
}

/**
 * The number of an end, the time in seconds at which a service read up to it, and the last restore
 * before that, if any.
 */
const CURSOR = /^(\d{1,15})\.(\d{1,12})(?:\.([\w-]{1,40}))?$/

/** What the database says at one moment. */
interface Look {
  lastEnd: number
  /** The id of the last restore; empty if there was none. */
  restore: string
}

/** The ends of access, for the services (R50.6). */
export class RevocationLog {
  readonly #options: RevocationLogOptions
  #looking: Promise<Look> | undefined
  #woken = Promise.withResolvers<void>()
  #waiting = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #isStopped = false

  constructor(options: RevocationLogOptions) {
    this.#options = options
  }

  /** Ends at the origin since `cursor`. Waits for the first one, unless the signal aborts. */
  async read(origin: string, cursor: string | null, signal: AbortSignal): Promise<Revocations> {
    if (this.#isStopped || this.#waiting >= MAX_WAITING)
      throw failure('unavailable', { headers: { 'Retry-After': '5' } })
    const deadlineMs = performance.now() + WAIT_MS
    this.#enter()
    try {
      for (;;) {
        const woken = this.#woken.promise
        const answer = await this.#find(origin, cursor)
        const isOver = performance.now() >= deadlineMs || signal.aborted || this.#isStopped
        if (isOver || answer.reset || answer.ended.length > 0) return answer
        await woken
      }
    } finally {
      this.#leave()
    }
  }

  /** Something may have ended: asks the database now. */
  check(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }

  /** Answers everyone who waits. */
  stop(): void {
    this.#isStopped = true
    this.check()
  }

  #enter(): void {
    this.#waiting++
    this.#timer ??= setInterval(() => this.check(), CHECK_MS)
  }

  #leave(): void {
    this.#waiting--
    if (this.#waiting > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #find(origin: string, cursor: string | null): Promise<Revocations> {
    const { database } = this.#options
    const look = await this.#endLost()
    const { lastEnd: until } = look
    const after = this.#parseCursor(cursor, look)
    const since = { origin, after: after ?? 0, until, limit: MAX_ENDED }
    const rows = since.after < until ? await listEnded(database.read, since) : []
    const last = rows.length === MAX_ENDED ? rows.at(-1)?.ended_seq : undefined
    return {
      cursor: this.#formatCursor({ ...look, lastEnd: last ?? until }),
      reset: after === undefined,
      ended: rows.map(({ id, ended_at }) => ({ sid: id, at: toMoment(ended_at) })),
    }
  }

  /** Requests that are woken together share one look at the database. */
  #endLost(): Promise<Look> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async #look(): Promise<Look> {
    const { database, policy, now } = this.#options
    const restore = await findRestore(database.read)
    return { restore, lastEnd: await findEnds(database, policy, now()) }
  }

  #formatCursor({ lastEnd, restore }: Look): string {
    return `${lastEnd}.${Math.floor(this.#options.now() / 1000)}${restore && `.${restore}`}`
  }

  /** Undefined for a cursor that is too old, from before a restore, or from another database. */
  #parseCursor(cursor: string | null, { lastEnd, restore }: Look): number | undefined {
    const [, seq, seconds, seenRestore = ''] = CURSOR.exec(cursor ?? '') ?? []
    if (seq === undefined || Number(seq) > lastEnd || seenRestore !== restore) return undefined
    const ageMs = Math.abs(this.#options.now() - Number(seconds) * 1000)
    return ageMs > MAX_CURSOR_MS ? undefined : Number(seq)
  }
}
