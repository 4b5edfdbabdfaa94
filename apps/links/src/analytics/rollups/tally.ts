import { isAppReferrer } from '../../clicks/referrer.ts'
import type { ClickCounts, ClickTable, PeriodUnit } from '../../db/tables.ts'
import { type Dimension, dimensions } from '../dimensions.ts'
import { ValueCounts } from './value-counts.ts'

/** What the sums of a link are kept by: what lists show, and what its totals and visitors are counted by. */
export type RollupColumn = Dimension | 'slug' | 'visitor_fp'

/** What is kept of a link. Visitors by the hour only: they are as many as clicks, and whole days have their numbers. */
export function linkColumns(unit: PeriodUnit): RollupColumn[] {
  return [...dimensions, 'slug', ...(unit === 'hour' ? (['visitor_fp'] as const) : [])]
}

type TallyInput = Pick<ClickTable, 'is_bot' | 'is_self_referrer'> & Partial<Pick<ClickTable, RollupColumn>>

/** Clicks by column and value. Nulls are left out, and so are referrers of apps, which are no addresses. */
export class Tally {
  readonly #values = new Map<RollupColumn, ValueCounts>()

  valuesOf(column: RollupColumn): ValueCounts {
    const values = this.#values.get(column) ?? new ValueCounts()
    this.#values.set(column, values)
    return values
  }

  /** Another one with the same clicks. */
  copy(): Tally {
    const copy = new Tally()
    for (const [column, values] of this.#values) copy.#values.set(column, values.copy())
    return copy
  }

  /** As a copy, except that of visitors, who are the most, only their number can be asked for. */
  createOverlay(): Tally {
    const overlay = new Tally()
    for (const [column, values] of this.#values)
      overlay.#values.set(column, column === 'visitor_fp' ? values.createOverlay() : values.copy())
    return overlay
  }

  get byteLength(): number {
    return [...this.#values.values()].reduce((sum, values) => sum + values.byteLength, 0)
  }

  /** Adds clicks by these columns; `sign` -1 takes one out again. */
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

/** The clicks by dimension and value, without values that are null. */
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
