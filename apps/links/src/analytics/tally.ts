import { isAppReferrer } from '../clicks/referrer.ts'
import type { ClickCounts, ClickTable } from '../db/tables.ts'
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

export type TalliedClick = Pick<ClickTable, Dimension | 'is_bot' | 'is_self_referrer'>

/** Clicks by dimension and value. Nulls are left out, and so are referrers of apps, which are no addresses. */
export class Tally {
  readonly #counts = new Map<Dimension, Map<string, ClickCounts>>()

  get(dimension: Dimension): ReadonlyMap<string, ClickCounts> {
    return this.#counts.get(dimension) ?? new Map()
  }

  /** `sign` -1 takes the click out again. */
  addClick(click: TalliedClick, wanted: readonly Dimension[], sign: 1 | -1 = 1): void {
    const bots = sign * click.is_bot
    const self_referrers = sign * click.is_self_referrer
    const counts = { clicks: sign, bots, self_referrers, bot_self_referrers: bots * click.is_self_referrer }
    for (const dimension of wanted) {
      const name = click[dimension]
      if (name === null || (dimension === 'referrer' && isAppReferrer(name))) continue
      this.add(dimension, name, counts)
    }
  }

  add(dimension: Dimension, name: string, counts: ClickCounts): void {
    let names = this.#counts.get(dimension)
    if (!names) this.#counts.set(dimension, (names = new Map()))
    const sum = names.get(name)
    if (!sum) {
      names.set(name, { ...counts })
      return
    }
    sum.clicks += counts.clicks
    sum.bots += counts.bots
    sum.self_referrers += counts.self_referrers
    sum.bot_self_referrers += counts.bot_self_referrers
  }

  /** What a viewer counts, the most first, then by name; values without such a click are left out. */
  ranked(dimension: Dimension, counted: (counts: ClickCounts) => number): NameCount[] {
    return [...this.get(dimension)]
      .map(([name, counts]) => ({ name, count: counted(counts) }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  }
}
