import type { Found } from './cover.ts'
import type { SumColumn } from './tally.ts'

/** About as much as thirty pages of busy links need. */
const MOST_BYTES = 32 * 2 ** 20
/** What an entry takes beside its sums, roughly. */
const ENTRY_BYTES = 200

/**
 * Packed sums of complete periods, the latest used. They never change: the stamp under which a period was summed is drawn
 * anew whenever its clicks change, here or on another node, and whoever reads finds the stamp in the same snapshot. So
 * nobody has to forget anything but for room.
 */
export class RememberedSums {
  readonly #mostBytes: number
  #bytes = 0
  /** In the order of their last use; undefined where a period has no values. */
  readonly #sums = new Map<string, Uint8Array | undefined>()

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** The sums of these columns, undefined if one of them is not known. */
  get(period: Found, columns: readonly SumColumn[]): { column: SumColumn; sums: Uint8Array }[] | undefined {
    const keys = columns.map((column) => keyOf(period, column))
    if (!keys.every((key) => this.#sums.has(key))) return undefined
    return columns.flatMap((column, n) => {
      const key = keys[n] ?? ''
      const sums = this.#sums.get(key)
      this.#sums.delete(key)
      this.#sums.set(key, sums)
      return sums ? [{ column, sums }] : []
    })
  }

  add(period: Found, column: SumColumn, sums: Uint8Array | undefined): void {
    const key = keyOf(period, column)
    if (this.#sums.has(key)) return
    this.#sums.set(key, sums)
    this.#bytes += sizeOf(sums)
    for (const [oldest, bytes] of this.#sums) {
      if (this.#bytes <= this.#mostBytes) break
      this.#sums.delete(oldest)
      this.#bytes -= sizeOf(bytes)
    }
  }
}

function keyOf({ link_id, unit, start, stamp }: Found, column: SumColumn): string {
  return `${stamp} ${link_id} ${unit} ${start} ${column}`
}

function sizeOf(sums: Uint8Array | undefined): number {
  return ENTRY_BYTES + (sums?.byteLength ?? 0)
}
