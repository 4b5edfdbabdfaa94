import type { Database } from '@latchkey/database/database'
import type { ViewerFilters } from '../clicks/filters.ts'
import type { Tables } from '../db/tables.ts'
import { findClickIdsAfter, findNewestClickId, readClicks } from './click-store.ts'
import type { LiveClicks } from './schema.ts'

/** Clicks per message; a page cannot show more in a second. The rest is a number. */
const MAX_LISTED = 20
/** Clicks that a message counts at most. */
const MAX_COUNTED = 5_000
/** Seconds. Imported clicks and those of a long outage are not live. */
const MAX_AGE = 600
/**
 * Ids that are looked at again. Clicks get their ids before their transaction is committed: with
 * several nodes, later ids can become visible before earlier ones.
 */
const LOOK_BACK = 1_000

interface LiveClickOptions {
  database: Database<Tables>
  filters: ViewerFilters
  /** Unix seconds. */
  now: () => number
}

/** Reads the clicks that were counted since the last call, for one reader. */
export class LiveClickReader {
  readonly #options: LiveClickOptions
  #newest: number | undefined
  #seen: ReadonlySet<number> = new Set()

  constructor(options: LiveClickOptions) {
    this.#options = options
  }

  /**
   * The clicks since the previous call, newest first; none on the first call. Undefined without new
   * ones, and while the database cannot be read: the next call returns them.
   */
  async next(): Promise<LiveClicks | undefined> {
    try {
      return await (this.#newest === undefined ? this.#start() : this.#read(this.#newest))
    } catch {
      return undefined
    }
  }

  async #start(): Promise<undefined> {
    const { database } = this.#options
    const newest = await findNewestClickId(database.read)
    this.#seen = new Set(await this.#findIdsAround(newest))
    this.#newest = newest
  }

  async #read(previous: number): Promise<LiveClicks | undefined> {
    const { database, now } = this.#options
    const ids = await this.#findIdsAround(previous)
    const fresh = ids.filter((id) => !this.#seen.has(id))
    const clicks = await readClicks(database.offThread, fresh.slice(0, MAX_LISTED), now())
    this.#newest = Math.max(previous, ids[0] ?? 0)
    this.#seen = new Set(ids)
    return fresh.length === 0 ? undefined : { clicks, more: Math.max(0, fresh.length - MAX_LISTED) }
  }

  #findIdsAround(newest: number): Promise<number[]> {
    const { database, filters, now } = this.#options
    return findClickIdsAfter(database.offThread, {
      id: newest - LOOK_BACK,
      since: now() - MAX_AGE,
      filters,
      max: MAX_COUNTED,
    })
  }
}
