import { withSnapshot } from '../db/snapshot.ts'
import type { PeriodUnit } from '../db/click-tables.ts'
import type { Db } from '../db/tables.ts'
import { type Period, endOf, periodUnits } from './cover.ts'
import { readLinkTally } from './instance-store.ts'
import type { Block } from './blocks/block.ts'
import { buildBlock, isBlockUnit } from './blocks/block-store.ts'
import { countBlockVisitors } from './blocks/block-visitors.ts'
import { countInstanceVisitors } from './instance-visitors.ts'
import type { LinkTally } from './link-tally.ts'
import { INSTANCE, type MaxUnit } from './period-store.ts'
import { readTally } from './tally-store.ts'
import {
  type DuePeriod,
  type PeriodRollup,
  findRolledUpLinks,
  findNextDue,
  storeInstanceRollup,
  storeLinkRollups,
} from './rollup-store.ts'
import { dimensions } from '../clicks/dimensions.ts'
import { linkColumns } from './tally.ts'
import { type DistinctCounts, readVisitorCounts } from './visitors.ts'
import type { Window } from '../time/window.ts'

/**
 * Rollups are stored for a link and a period with at least this many clicks. With fewer, reading the
 * raw clicks costs no more.
 */
const MIN_CLICKS = 100
/** Links that are rolled up and stored together. */
const LINKS_PER_STEP = 20

/**
 * Rolls up due periods that are over, in slices that do not delay other work on the thread. Reads
 * take no locks. Results are stored only if the clicks have not changed meanwhile, so several jobs
 * may run concurrently.
 */
export class RollupJob {
  readonly #db: Db
  readonly #minClicks: number
  #current: { due: DuePeriod; rest: Period[]; links: LinkTally } | undefined

  constructor(db: Db, minClicks = MIN_CLICKS) {
    this.#db = db
    this.#minClicks = minClicks
  }

  /**
   * Runs the next slice of the work that was due at this moment (Unix seconds). False if no work
   * remains.
   */
  async step(now: number): Promise<boolean> {
    this.#current ??= await this.#findWork(now)
    if (!this.#current) return false
    const { due, rest: remaining, links } = this.#current
    const batch = remaining.splice(0, LINKS_PER_STEP)
    const isStored =
      batch.length > 0 ? await this.#rollUpLinks(due, batch) : await this.#rollUpInstance(due, links, now)
    // Either this was the last batch, or another writer changed or completed the period. A changed
    // period is due again.
    if (!isStored || batch.length === 0) this.#current = undefined
    return true
  }

  async #findWork(now: number) {
    const due = await findNextDue(this.#db, now)
    if (!due) return undefined
    return withSnapshot(this.#db, async (db) => {
      const links = await readLinkTally(db, windowOf(due), nextSmallerUnit(due.unit))
      const linkIds: number[] = []
      links.forEach((linkId, { clicks }) => {
        if (clicks >= this.#minClicks) linkIds.push(linkId)
      })
      const completedIds = await findRolledUpLinks(db, due, linkIds)
      const remaining = linkIds.filter((id) => !completedIds.has(id)).map((link_id) => ({ ...due, link_id }))
      return { due, rest: remaining, links }
    })
  }

  async #rollUpLinks(due: DuePeriod, periods: readonly Period[]): Promise<boolean> {
    const rollups = await withSnapshot(this.#db, async (db) => {
      const linkRollups: PeriodRollup[] = []
      for (const period of periods) linkRollups.push(await rollUpLink(db, period))
      return linkRollups
    })
    return storeLinkRollups(this.#db, due, rollups)
  }

  async #rollUpInstance(due: DuePeriod, links: LinkTally, now: number): Promise<boolean> {
    const { tally, ...rest } = await withSnapshot(this.#db, async (db) => ({
      tally: await readTally(db, 'instance', windowOf(due), {
        columns: dimensions,
        withNames: true,
        largest: nextSmallerUnit(due.unit),
      }),
      ...(await rollUpClicks(db, due, now)),
    }))
    const total = { clicks: 0, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
    const distinct = { distinct_raw: 0, distinct_no_bots: 0, distinct_no_self: 0, distinct_neither: 0 }
    links.forEach((_, { clicks, bots, self_referrers: own, bot_self_referrers: both }) => {
      total.clicks += clicks
      total.bots += bots
      total.self_referrers += own
      total.bot_self_referrers += both
      distinct.distinct_raw++
      distinct.distinct_no_bots += Number(clicks > bots)
      distinct.distinct_no_self += Number(clicks > own)
      distinct.distinct_neither += Number(clicks > bots + own - both)
    })
    return storeInstanceRollup(
      this.#db,
      due,
      { link_id: INSTANCE, total, distinct, tally, columns: dimensions },
      { links, ...rest },
    )
  }
}

/** The block of a period of the instance, and its visitors. */
async function rollUpClicks(
  db: Db,
  due: DuePeriod,
  now: number,
): Promise<{ block: Block | undefined; visitors: DistinctCounts }> {
  const { unit, start } = due
  const block = isBlockUnit(unit) ? await buildBlock(db, { unit, start }, now) : undefined
  if (!hasVisitors(unit)) return { block, visitors: NO_VISITORS }
  if (unit === 'day' && block) return { block, visitors: countBlockVisitors(block) }
  return { block, visitors: await countInstanceVisitors(db, windowOf(due), nextSmallerUnit(unit)) }
}

async function rollUpLink(db: Db, period: Period): Promise<PeriodRollup> {
  const { link_id, unit } = period
  const window = windowOf(period)
  const columns = linkColumns(unit)
  const tally = await readTally(db, [link_id], window, {
    columns,
    withNames: true,
    largest: nextSmallerUnit(unit),
  })
  const total = { clicks: 0, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
  const modes = tally.valuesOf('link_mode')
  // Every click has a link mode, so these add up to all clicks.
  for (const counts of modes.listClicked().map((entry) => modes.countsOf(entry))) {
    total.clicks += counts.clicks
    total.bots += counts.bots
    total.self_referrers += counts.self_referrers
    total.bot_self_referrers += counts.bot_self_referrers
  }
  const distinct = hasVisitors(unit)
    ? await readVisitorCounts(db, [link_id], window, nextSmallerUnit(unit))
    : NO_VISITORS
  return { link_id, total, distinct, tally, columns }
}

/** Visitors are counted once per day, so counts per hour are useless for longer windows. */
function hasVisitors(unit: PeriodUnit): boolean {
  return unit !== 'hour' && unit !== '6h'
}

const NO_VISITORS: DistinctCounts = {
  distinct_raw: 0,
  distinct_no_bots: 0,
  distinct_no_self: 0,
  distinct_neither: 0,
}

function windowOf({ unit, start }: Pick<Period, 'unit' | 'start'>): Window {
  return { from: start, to: endOf(unit, start) - 1 }
}

/** The unit that a period is rolled up from. */
function nextSmallerUnit(unit: PeriodUnit): MaxUnit {
  return periodUnits[periodUnits.indexOf(unit) + 1] ?? 'none'
}
