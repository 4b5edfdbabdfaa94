import { isAppReferrer } from '../clicks/referrer.ts'
import type { ClickCounts, ClickTable, PeriodUnit } from '../db/tables.ts'
import { PackedReader, type PackedSums, PackedWriter } from './packed.ts'
import type { ListName, NameCount } from './schema.ts'

/** The columns of a click that clicks are grouped by. */
export const dimensions = [
  'country',
  'referrer',
  'referrer_host',
  'device_type',
  'os',
  'browser',
  'link_mode',
  'channel',
  'utm_source',
  'utm_medium',
  'utm_campaign',
] as const satisfies (keyof ClickTable)[]
export type Dimension = (typeof dimensions)[number]

/** Those by which all clicks of the instance are summed. */
export const instanceDimensions = [
  'country',
  'referrer_host',
  'device_type',
  'os',
  'browser',
] as const satisfies Dimension[]
export type InstanceDimension = (typeof instanceDimensions)[number]

/** What the sums of a link are kept by: what lists show, and what its totals and visitors are counted by. */
export type SumColumn = Dimension | 'slug' | 'visitor_fp'

/** What is kept of a link. Visitors by the hour only: they are as many as clicks, and whole days have their numbers. */
export function linkColumns(unit: PeriodUnit): SumColumn[] {
  return [...dimensions, 'slug', ...(unit === 'hour' ? (['visitor_fp'] as const) : [])]
}

/** The dimension behind each list of ClickStats. */
export const dimensionOfList = {
  countries: 'country',
  referrers: 'referrer',
  referrer_hosts: 'referrer_host',
  os: 'os',
  browsers: 'browser',
  utm_sources: 'utm_source',
  utm_mediums: 'utm_medium',
  utm_campaigns: 'utm_campaign',
  devices: 'device_type',
  link_modes: 'link_mode',
  channels: 'channel',
} as const satisfies Record<ListName, Dimension>

export type TalliedClick = Pick<ClickTable, 'is_bot' | 'is_self_referrer'> &
  Partial<Pick<ClickTable, SumColumn>>

/** Clicks by column and value. Nulls are left out, and so are referrers of apps, which are no addresses. */
export class Tally {
  readonly #counts = new Map<SumColumn, Map<string, ClickCounts>>()

  get(column: SumColumn): ReadonlyMap<string, ClickCounts> {
    return this.#counts.get(column) ?? new Map()
  }

  /** `sign` -1 takes the click out again. */
  addClick(click: TalliedClick, wanted: readonly SumColumn[], sign: 1 | -1 = 1): void {
    const bots = sign * click.is_bot
    const self_referrers = sign * click.is_self_referrer
    const counts = { clicks: sign, bots, self_referrers, bot_self_referrers: bots * click.is_self_referrer }
    for (const column of wanted) {
      const name = click[column] ?? null
      if (name === null || (column === 'referrer' && isAppReferrer(name))) continue
      this.add(column, name, counts)
    }
  }

  add(column: SumColumn, name: string, counts: ClickCounts): void {
    addTo(this.#names(column), name, counts)
  }

  /** Adds what `packed` has packed of this column. */
  addPacked(column: SumColumn, { names, counts }: PackedSums): void {
    const known = this.#names(column)
    const reader = new PackedReader(counts)
    for (const name of JSON.parse(names) as string[]) addTo(known, name, reader.readCounts())
  }

  /** Every value of the column with clicks. */
  packed(column: SumColumn): PackedSums {
    const writer = new PackedWriter()
    const names: string[] = []
    for (const [name, counts] of this.get(column)) {
      if (counts.clicks === 0) continue
      names.push(name)
      writer.addCounts(counts)
    }
    return { names: JSON.stringify(names), counts: writer.written() }
  }

  /** What a viewer counts, the most first, then by name; values without such a click are left out. */
  ranked(column: SumColumn, counted: (counts: ClickCounts) => number): NameCount[] {
    return [...this.get(column)]
      .map(([name, counts]) => ({ name, count: counted(counts) }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  }

  #names(column: SumColumn): Map<string, ClickCounts> {
    const known = this.#counts.get(column) ?? new Map<string, ClickCounts>()
    this.#counts.set(column, known)
    return known
  }
}

function addTo(names: Map<string, ClickCounts>, name: string, counts: ClickCounts): void {
  const sum = names.get(name)
  if (!sum) {
    const { clicks, bots, self_referrers, bot_self_referrers } = counts
    names.set(name, { clicks, bots, self_referrers, bot_self_referrers })
    return
  }
  sum.clicks += counts.clicks
  sum.bots += counts.bots
  sum.self_referrers += counts.self_referrers
  sum.bot_self_referrers += counts.bot_self_referrers
}
