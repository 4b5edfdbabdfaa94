import type { Found } from './cover.ts'
import { RecentlyUsed } from './recently-used.ts'
import { periodKey } from './remembered-sums.ts'

/** About as much as twenty pages of busy links need, or the dashboard of fifty thousand of them. */
const MOST_BYTES = 32 * 2 ** 20

/** Clicks added up, to which more may be added. */
interface Addable<Self> {
  copy(): Self
  /** As a copy, sharing what it can. */
  over(): Self
  readonly byteLength: number
}

/**
 * What complete periods add up to, the latest used: within an hour, every look at a page adds up the same ones. They are
 * known by their stamps, as remembered sums are, and never change.
 */
export class RememberedTallies<Tally extends Addable<Tally>> {
  readonly #tallies: RecentlyUsed<Tally>

  constructor(mostBytes = MOST_BYTES) {
    this.#tallies = new RecentlyUsed(mostBytes)
  }

  /** `over` what is remembered: more may be added. */
  get(periods: readonly Found[], columns: readonly string[]): Tally | undefined {
    return this.#tallies.get(keyOf(periods, columns))?.over()
  }

  /** `tally` must be of these periods alone. */
  add(periods: readonly Found[], columns: readonly string[], tally: Tally): void {
    const key = keyOf(periods, columns)
    const bytes = key.length + tally.byteLength
    if (!this.#tallies.has(key) && this.#tallies.hasRoomFor(bytes))
      this.#tallies.add(key, tally.copy(), bytes)
  }
}

function keyOf(periods: readonly Found[], columns: readonly string[]): string {
  return `${columns.join()} ${periods.map((period) => periodKey(period)).join()}`
}
