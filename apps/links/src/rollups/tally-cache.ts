import type { StoredPeriod } from './cover.ts'
import { LruCache } from './lru-cache.ts'
import { periodKey } from './rollup-cache.ts'

/** Roughly the size of twenty pages of busy links, or of the dashboard of fifty thousand links. */
const MAX_BYTES = 32 * 2 ** 20

/** A tally to which more clicks may be added. */
interface CacheableTally<Self> {
  copy(): Self
  /** Like a copy, but shares as much as possible. */
  createOverlay(): Self
  readonly byteLength: number
}

/**
 * Sums of complete periods, most recently used first. Within an hour, every view of a page adds up
 * the same periods. The stamps of the periods identify an entry, as in `RollupCache`, and entries
 * never change.
 */
export class TallyCache<Tally extends CacheableTally<Tally>> {
  readonly #cache: LruCache<Tally>

  constructor(maxBytes = MAX_BYTES) {
    this.#cache = new LruCache(maxBytes)
  }

  /** An overlay of the cached tally, to which clicks may be added. */
  get(periods: readonly StoredPeriod[], columns: readonly string[]): Tally | undefined {
    return this.#cache.get(keyOf(periods, columns))?.createOverlay()
  }

  /** `tally` must hold the clicks of these periods only. */
  add(periods: readonly StoredPeriod[], columns: readonly string[], tally: Tally): void {
    const key = keyOf(periods, columns)
    const bytes = key.length + tally.byteLength
    if (!this.#cache.has(key) && this.#cache.hasRoomFor(bytes)) this.#cache.add(key, tally.copy(), bytes)
  }
}

function keyOf(periods: readonly StoredPeriod[], columns: readonly string[]): string {
  return `${columns.join()} ${periods.map((period) => periodKey(period)).join()}`
}
