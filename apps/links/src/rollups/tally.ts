import { isAppReferrer } from '../clicks/referrer.ts'
import type { ClickCounts, ClickTable, PeriodUnit } from '../db/click-tables.ts'
import { type Dimension, dimensions } from '../clicks/dimensions.ts'
import { ValueCounts } from './value-counts.ts'

/**
 * The columns of a link's rollups: the dimensions of breakdowns, the slug for totals and the
 * visitor for counts of visitors.
 */
export type RollupColumn = Dimension | 'slug' | 'visitor_fp'

/**
 * The columns stored for a link. Visitors are stored per hour only: they are as numerous as clicks,
 * and whole days have counts.
 */
export function linkColumns(unit: PeriodUnit): RollupColumn[] {
  return [...dimensions, 'slug', ...(unit === 'hour' ? (['visitor_fp'] as const) : [])]
}

type TallyInput = Pick<ClickTable, 'is_bot' | 'is_self_referrer'> & Partial<Pick<ClickTable, RollupColumn>>

/**
 * Clicks by column and value. Nulls are left out, and so are app referrers, which are not web
 * addresses.
 */
export class Tally {
  readonly #values = new Map<RollupColumn, ValueCounts>()

  valuesOf(column: RollupColumn): ValueCounts {
    const values = this.#values.get(column) ?? new ValueCounts()
    this.#values.set(column, values)
    return values
  }

  copy(): Tally {
    const copy = new Tally()
    for (const [column, values] of this.#values) copy.#values.set(column, values.copy())
    return copy
  }

  /**
   * Like a copy, but only the number of visitors can be read, because visitors are the largest set.
   */
  createOverlay(): Tally {
    const overlay = new Tally()
    for (const [column, values] of this.#values)
      overlay.#values.set(column, column === 'visitor_fp' ? values.createOverlay() : values.copy())
    return overlay
  }

  get byteLength(): number {
    return [...this.#values.values()].reduce((sum, values) => sum + values.byteLength, 0)
  }

  /** Adds clicks by these columns. A `sign` of -1 subtracts a click. */
  createAdder(columns: readonly RollupColumn[]): (click: TallyInput, sign?: 1 | -1) => void {
    const targets = columns.map((column) => ({ column, values: this.valuesOf(column) }))
    return (click, sign = 1) => {
      const bots = sign * click.is_bot
      const self_referrers = sign * click.is_self_referrer
      const counts = { clicks: sign, bots, self_referrers, bot_self_referrers: bots * click.is_self_referrer }
      for (const { column, values } of targets) {
        const name = click[column] ?? null
        if (name === null || (column === 'referrer' && isAppReferrer(name))) continue
        values.add(name, counts)
      }
    }
  }
}

/** The clicks by dimension and value, without null values. */
export function sumByDimension<Column extends Dimension>(
  clicks: readonly (Pick<ClickTable, 'is_bot' | 'is_self_referrer'> & Pick<ClickTable, Column>)[],
  columns: readonly Column[],
): ({ dimension: Column; name: string } & ClickCounts)[] {
  const tally = new Tally()
  const add = tally.createAdder(columns)
  for (const click of clicks) add(click)
  return columns.flatMap((dimension) => {
    const values = tally.valuesOf(dimension)
    return values
      .listClicked()
      .map((entry) => ({ dimension, name: values.nameOf(entry), ...values.countsOf(entry) }))
  })
}
