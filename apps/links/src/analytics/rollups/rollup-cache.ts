import type { StoredPeriod } from './cover.ts'
import { LruCache } from './lru-cache.ts'
import type { RollupColumn } from './tally.ts'

/** About as much as thirty pages of busy links need. */
const MAX_BYTES = 32 * 2 ** 20
/** What an entry takes beside its sums, roughly. */
const ENTRY_BYTES = 200

/**
 * Packed sums of complete periods, the latest used. They never change: the stamp under which a period was summed is drawn
 * anew whenever its clicks change, here or on another node, and whoever reads finds the stamp in the same snapshot. So
 * nobody has to forget anything but for room.
 */
export class RollupCache {
  /** Undefined where a period has no values. */
  readonly #cache: LruCache<Uint8Array | undefined>

  constructor(maxBytes = MAX_BYTES) {
    this.#cache = new LruCache(maxBytes)
  }

  /** The sums of these columns, undefined if one of them is not known. */
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

/** What a period's clicks are known by: whenever they change, the stamp does. */
export function periodKey({ link_id, unit, start, stamp }: StoredPeriod): string {
  return `${stamp} ${link_id} ${unit} ${start}`
}
