import type { Database } from '@latchkey/database/database'
import type { Tables } from '../../db/tables.ts'
import { sum } from '../../time/window.ts'
import type { ValueDimension } from './dimensions.ts'
import type { Analytics } from './schema.ts'
import { type WindowStats, rankedColumns } from './source.ts'
import { findActiveMembers, findBundleNames, findLinkNames } from './subjects.ts'

type Breakdowns = Analytics['breakdowns']

/** A part of a breakdown. */
export interface Page {
  offset: number
  limit: number
}

/** Turns statistics of a window into breakdowns. Use it in the `snapshot` of the statistics. */
export class BreakdownReader {
  readonly #db: Database<Tables>
  readonly #stats: WindowStats
  readonly #clicks: number

  constructor(db: Database<Tables>, stats: WindowStats) {
    this.#db = db
    this.#stats = stats
    this.#clicks = sum([...stats.links.values()])
  }

  /** The values of a dimension that was ranked. */
  readValues(name: ValueDimension | 'slug', offset = 0): Breakdowns['country'] {
    const { items, total, clicks } = this.#stats.rankings[rankedColumns[name]] ?? {
      items: [],
      total: 0,
      clicks: 0,
    }
    return { items: items.slice(offset), total, unknown: this.#clicks - clicks }
  }

  async readLinks(page: Page): Promise<Breakdowns['link']> {
    const { links } = this.#stats
    const top = pageOf(links, page)
    const names = await findLinkNames(
      this.#db,
      top.map(([id]) => id),
    )
    const items = top.flatMap(([id, count]) => {
      const name = names.get(id)
      return name ? [{ name: String(id), count, ...name }] : []
    })
    return { items, total: links.size, unknown: 0 }
  }

  /** Active bundles. A click counts for each bundle of its link. */
  async readBundles(page: Page): Promise<Breakdowns['bundle']> {
    const { links } = this.#stats
    const bundles = new Map<number, number>()
    const bundled = new Set<number>()
    for (const [bundle, members] of await findActiveMembers(this.#db)) {
      const clicked = members.filter((id) => links.has(id))
      for (const id of clicked) bundled.add(id)
      if (clicked.length > 0) bundles.set(bundle, sum(clicked.map((id) => links.get(id) ?? 0)))
    }
    const top = pageOf(bundles, page)
    const names = await findBundleNames(
      this.#db,
      top.map(([id]) => id),
    )
    const items = top.flatMap(([id, count]) => {
      const name = names.get(id)
      return name ? [{ name: String(id), count, ...name }] : []
    })
    const withValue = sum([...bundled].map((id) => links.get(id) ?? 0))
    return { items, total: bundles.size, unknown: this.#clicks - withValue }
  }
}

/** A page of these ids by clicks, most first, ties by id. */
function pageOf(clicks: ReadonlyMap<number, number>, { offset, limit }: Page): [number, number][] {
  const end = offset + limit
  const least =
    clicks.size <= end ? 0 : (Float64Array.from(clicks.values()).toSorted()[clicks.size - end] ?? 0)
  return [...clicks]
    .filter(([, count]) => count >= least)
    .toSorted(([a, x], [b, y]) => y - x || a - b)
    .slice(offset, end)
}
