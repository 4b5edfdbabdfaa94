import type { StoredPeriod } from './cover.ts'
import { LruCache } from './lru-cache.ts'
import { periodKey } from './rollup-cache.ts'

/** About as much as twenty pages of busy links need, or the dashboard of fifty thousand of them. */
const MAX_BYTES = 32 * 2 ** 20

/** Clicks added up, to which more may be added. */
interface CacheableTally<Self> {
  copy(): Self
  /** As a copy, sharing what it can. */
  createOverlay(): Self
  readonly byteLength: number
}

/**
 * What complete periods add up to, the latest used: within an hour, every look at a page adds up the same ones. They are
 * known by their stamps, as remembered sums are, and never change.
 */
export class TallyCache<Tally extends CacheableTally<Tally>> {
  readonly #cache: LruCache<Tally>

  constructor(maxBytes = MAX_BYTES) {
    this.#cache = new LruCache(maxBytes)
  }

  /** `over` what is remembered: more may be added. */
  get(periods: readonly StoredPeriod[], columns: readonly string[]): Tally | undefined {
    return this.#cache.get(keyOf(periods, columns))?.createOverlay()
  }

  /** `tally` must be of these periods alone. */
  add(periods: readonly StoredPeriod[], columns: readonly string[], tally: Tally): void {
    const key = keyOf(periods, columns)
    const bytes = key.length + tally.byteLength
    if (!this.#cache.has(key) && this.#cache.hasRoomFor(bytes)) this.#cache.add(key, tally.copy(), bytes)
  }
}

function keyOf(periods: readonly StoredPeriod[], columns: readonly string[]): string {
  return `${columns.join()} ${periods.map((period) => periodKey(period)).join()}`
}
