import type { StoredPeriod } from './cover.ts'
import { LruCache } from './lru-cache.ts'
import type { RollupColumn } from './tally.ts'

/** Roughly the size of thirty pages of busy links. */
const MAX_BYTES = 32 * 2 ** 20
/** Approximate overhead of an entry beyond its rollup. */
const ENTRY_BYTES = 200

/**
 * Packed rollups of complete periods, most recently used first. Entries never need invalidation. A
 * change of clicks on any node gives the period a new random stamp, and readers read the stamp in
 * the same snapshot. Entries are evicted only to free space.
 */
export class RollupCache {
  /** Undefined where a period has no values. */
  readonly #cache: LruCache<Uint8Array | undefined>

  constructor(maxBytes = MAX_BYTES) {
    this.#cache = new LruCache(maxBytes)
  }

  /** The rollups of these columns, or undefined if one is not cached. */
  get(
    period: StoredPeriod,
    columns: readonly RollupColumn[],
  ): { column: RollupColumn; sums: Uint8Array }[] | undefined {
    const keys = columns.map((column) => `${periodKey(period)} ${column}`)
    if (!keys.every((key) => this.#cache.has(key))) return undefined
    return columns.flatMap((column, n) => {
      const sums = this.#cache.get(keys[n] ?? '')
      return sums ? [{ column, sums }] : []
    })
  }

  add(period: StoredPeriod, column: RollupColumn, sums: Uint8Array | undefined): void {
    this.#cache.add(`${periodKey(period)} ${column}`, sums, ENTRY_BYTES + (sums?.byteLength ?? 0))
  }
}

/** The key of a period's clicks. The stamp differs after each change of them. */
export function periodKey({ link_id, unit, start, stamp }: StoredPeriod): string {
  return `${stamp} ${link_id} ${unit} ${start}`
}
