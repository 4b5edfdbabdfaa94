import type { Database } from '@latchkey/database/database'
import { snapshot } from '../db/snapshot.ts'
import type { PeriodUnit, Tables } from '../db/tables.ts'
import { type Period, endOf, periodUnits } from './cover.ts'
import { countsByLink } from './instance-store.ts'
import type { LinkTally } from './link-tally.ts'
import { INSTANCE, type Largest } from './periods.ts'
import { tallied } from './store.ts'
import { type Due, type Summed, findCompleted, nextDue, storeInstance, storeLinks } from './summing-store.ts'
import { instanceDimensions, linkColumns } from './tally.ts'
import { type DistinctCounts, visitorCounts } from './visitors.ts'
import type { Window } from './window.ts'

type Db = Database<Tables>

/** Clicks of a link in a period from which on its sums are kept: below, reading the clicks costs no more. */
const DENSE = 100
/** Links that are summed and stored together. */
const LINKS_AT_ONCE = 20

/**
 * Sums what is due and over, a slice at a time, so that whoever shares the thread is not kept waiting. It reads without
 * holding anybody up, and stores only what nobody has changed meanwhile; several may work beside each other.
 */
export class Summing {
  readonly #db: Db
  readonly #dense: number
  #current: { due: Due; rest: Period[]; links: LinkTally } | undefined

  constructor(db: Db, dense = DENSE) {
    this.#db = db
    this.#dense = dense
  }

  /** Does the next slice of what was over at this moment (Unix seconds); false when nothing is left to do. */
  async step(now: number): Promise<boolean> {
    this.#current ??= await this.#begin(now)
    if (!this.#current) return false
    const { due, rest, links } = this.#current
    const some = rest.splice(0, LINKS_AT_ONCE)
    const stored = some.length > 0 ? await this.#sumLinks(due, some) : await this.#sumInstance(due, links)
    // Without them it was either the last part, or somebody has changed or completed the period: then it is due again.
    if (!stored || some.length === 0) this.#current = undefined
    return true
  }

  async #begin(now: number) {
    const due = await nextDue(this.#db, now)
    if (!due) return undefined
    return snapshot(this.#db, async (db) => {
      const links = await countsByLink(db, windowOf(due), smallerThan(due.unit))
      const dense: number[] = []
      links.each((linkId, { clicks }) => {
        if (clicks >= this.#dense) dense.push(linkId)
      })
      const done = await findCompleted(db, due, dense)
      const rest = dense.filter((id) => !done.has(id)).map((link_id) => ({ ...due, link_id }))
      return { due, rest, links }
    })
  }

  async #sumLinks(due: Due, periods: readonly Period[]): Promise<boolean> {
    const summed = await snapshot(this.#db, async (db) => {
      const found: Summed[] = []
      for (const period of periods) found.push(await sumOfLink(db, period))
      return found
    })
    return storeLinks(this.#db, due, summed)
  }

  async #sumInstance(due: Due, links: LinkTally): Promise<boolean> {
    const tally = await snapshot(this.#db, (db) =>
      tallied(db, 'instance', windowOf(due), {
        columns: instanceDimensions,
        named: true,
        largest: smallerThan(due.unit),
      }),
    )
    const total = { clicks: 0, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
    const distinct = { distinct_raw: 0, distinct_no_bots: 0, distinct_no_self: 0, distinct_neither: 0 }
    links.each((_, { clicks, bots, self_referrers: own, bot_self_referrers: both }) => {
      total.clicks += clicks
      total.bots += bots
      total.self_referrers += own
      total.bot_self_referrers += both
      distinct.distinct_raw++
      distinct.distinct_no_bots += Number(clicks > bots)
      distinct.distinct_no_self += Number(clicks > own)
      distinct.distinct_neither += Number(clicks > bots + own - both)
    })
    return storeInstance(
      this.#db,
      due,
      { link_id: INSTANCE, total, distinct, tally, wanted: instanceDimensions },
      links,
    )
  }
}

async function sumOfLink(db: Db, period: Period): Promise<Summed> {
  const { link_id, unit } = period
  const window = windowOf(period)
  const wanted = linkColumns(unit)
  const tally = await tallied(db, [link_id], window, {
    columns: wanted,
    named: true,
    largest: smallerThan(unit),
  })
  const total = { clicks: 0, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
  const modes = tally.of('link_mode')
  // Every click has a link mode: together those are all clicks.
  for (const counts of modes.clicked().map((entry) => modes.countsOf(entry))) {
    total.clicks += counts.clicks
    total.bots += counts.bots
    total.self_referrers += counts.self_referrers
    total.bot_self_referrers += counts.bot_self_referrers
  }
  const distinct =
    unit === 'hour' || unit === '6h' ? NOBODY : await visitorCounts(db, [link_id], window, smallerThan(unit))
  return { link_id, total, distinct, tally, wanted }
}

/** Visitors are one per day: those of an hour are of no use to a longer window. */
const NOBODY: DistinctCounts = {
  distinct_raw: 0,
  distinct_no_bots: 0,
  distinct_no_self: 0,
  distinct_neither: 0,
}

function windowOf({ unit, start }: Pick<Period, 'unit' | 'start'>): Window {
  return { from: start, to: endOf(unit, start) - 1 }
}

/** What a period is summed from. */
function smallerThan(unit: PeriodUnit): Largest {
  return periodUnits[periodUnits.indexOf(unit) + 1] ?? 'none'
}
