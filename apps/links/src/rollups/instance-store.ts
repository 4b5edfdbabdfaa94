import { sql } from 'kysely'
import { filteredClicks } from '../clicks/store.ts'
import { isSnapshot } from '../db/snapshot.ts'
import type { ClickCounts } from '../db/click-tables.ts'
import type { Db } from '../db/tables.ts'
import { type Cover, type StoredPeriod, type Period, endOf } from './cover.ts'
import type { Dimension } from '../clicks/dimensions.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { type LinkClicks, LinkTally } from './link-tally.ts'
import { bucketSql } from '../time/bucket-sql.ts'
import { type BucketUnit, bucketOf } from '../time/sparkline.ts'
import { type MaxUnit, coverWindow, hoursOfScope, prefetch, unitsUpTo } from './period-store.ts'
import { type Ranking, rankTally } from './rankings.ts'
import { TallyCache } from './tally-cache.ts'
import {
  countSums,
  forgottenIntervals,
  intervalRows,
  joinClicksOfGaps,
  periodRows,
  readTally,
  unitNumber,
} from './tally-store.ts'
import { distinctColumn } from './visitors.ts'
import type { Window } from '../time/window.ts'

/** The bucket number of a whole window whose clicks are not split into buckets. */
const WHOLE_WINDOW = 0

/**
 * The clicks of every link in a cover of the instance, by bucket of a sparkline or in one bucket.
 */
async function readLinkTallies(
  db: Db,
  { periods, gaps }: Cover,
  unit: BucketUnit | undefined,
): Promise<Map<number, LinkTally>> {
  const tallies = await readPeriodTallies(db, periods, unit)
  if (gaps.length === 0) return tallies
  const tallyOf = (bucket: number) => {
    const existing = tallies.get(bucket) ?? new LinkTally()
    tallies.set(bucket, existing)
    return existing
  }
  const bucket = (column: string) =>
    unit ? bucketSql(db.dialect, unit, sql.ref(column)) : sql.lit(WHOLE_WINDOW)
  // Every click has a link mode, so the forgotten clicks of that dimension add up to all forgotten
  // clicks.
  const { rows } = await sql<ClickCounts & { bucket: number; link_id: number }>`
    select bucket, link_id, ${countSums()} from (
      select ${bucket('clicked_at')} as bucket, click.link_id, sign as clicks, sign * is_bot as bots,
        sign * is_self_referrer as self_referrers, sign * is_bot * is_self_referrer as bot_self_referrers
      from ${intervalRows(db.dialect, gaps)} as gap ${joinClicksOfGaps(db, 'instance')}
      union all
      select ${bucket('hour')}, part.link_id, clicks, bots, self_referrers, bot_self_referrers
      from ${intervalRows(db.dialect, forgottenIntervals(gaps))} as gap
      cross join click_forgotten as part where hour >= low and hour < high and dimension = 'link_mode'
    ) as part group by 1, 2`.execute(db.read)
  for (const { bucket: number, link_id, ...counts } of rows) tallyOf(number).add(link_id, counts)
  return tallies
}

const tallyCache = new TallyCache<LinkTally>()
/** The only cache column of instance periods. */
const LINKS = ['links']

/** The sums of complete periods. */
async function readPeriodTallies(
  db: Db,
  periods: readonly StoredPeriod[],
  unit: BucketUnit | undefined,
): Promise<Map<number, LinkTally>> {
  const periodsOf = Map.groupBy(periods, ({ start }) => (unit ? bucketOf(unit, start) : WHOLE_WINDOW))
  const tallies = new Map<number, LinkTally>()
  for (const [bucket, own] of periodsOf) {
    // Only a snapshot guarantees that the links of a period match its stamp.
    const existing = isSnapshot(db) ? tallyCache.get(own, LINKS) : undefined
    const tally = existing ?? new LinkTally()
    tallies.set(bucket, tally)
    if (existing) continue
    for (const links of await readPackedLinks(db, own)) tally.addPacked(links)
    if (isSnapshot(db)) tallyCache.add(own, LINKS, tally)
  }
  return tallies
}

async function readPackedLinks({ read, dialect }: Db, periods: readonly Period[]): Promise<Uint8Array[]> {
  const { rows } = await sql<{
    links: Uint8Array
  }>`select part.links from ${periodRows(dialect, periods)} as chosen
    cross join click_link as part where part.unit = ${unitNumber} and part.start = chosen.start`.execute(read)
  return rows.map(({ links }) => links)
}

/** The clicks of every link in a window, from periods no larger than `maxUnit`. */
export async function readLinkTally(db: Db, window: Window, maxUnit?: MaxUnit): Promise<LinkTally> {
  const tallies = await readLinkTallies(db, await coverWindow(db, 'instance', window, maxUnit), undefined)
  return tallies.get(WHOLE_WINDOW) ?? new LinkTally()
}

/** The clicks of every link that was clicked in a window, most clicks first. */
export async function readClicksByLink(
  db: Db,
  window: Window,
  filters: ViewerFilters,
): Promise<LinkClicks[]> {
  const tally = await readLinkTally(db, window)
  return tally.toLinkClicks(filters).toSorted((a, b) => b.clicks - a.clicks)
}

/** The clicked links of a window: their number, their clicks, and those with the most clicks. */
export interface ClickedLinks {
  top: LinkClicks[]
  links: number
  clicks: number
}

/**
 * Clicked links of the whole instance in a window: their number, their clicks and those with the
 * most clicks, ties by id.
 */
export async function findClickedLinks(
  db: Db,
  window: Window,
  filters: ViewerFilters,
  limit: number,
): Promise<ClickedLinks> {
  const tally = await readLinkTally(db, window)
  let [all, links] = [0, 0]
  const top: LinkClicks[] = []
  tally.forEachFiltered(filters, (link_id, clicks) => {
    all += clicks
    links++
    if (top.length === limit && (top[limit - 1]?.clicks ?? 0) >= clicks) return
    // Links arrive by id, so a later one sorts after all with the same number of clicks.
    const index = top.findIndex((other) => other.clicks < clicks)
    top.splice(index === -1 ? top.length : index, 0, { link_id, clicks })
    if (top.length > limit) top.pop()
  })
  return { top, links, clicks: all }
}

/** Statistics of the whole instance in one bucket of a sparkline. */
export interface InstanceBucket {
  clicks: number
  links: number
}

/** Clicks and clicked links of the whole instance by bucket of the sparkline. */
export async function readInstanceBuckets(
  db: Db,
  window: Window,
  unit: BucketUnit,
  filters: ViewerFilters,
): Promise<Map<number, InstanceBucket>> {
  const cover = await coverWindow(db, 'instance', window, unit)
  // Buckets made of several parts are added up by link first, because a link may be in more than
  // one part.
  const whole = cover.periods.filter((period) => period.unit === unit && isInside(period, window))
  const parts = { ...cover, periods: cover.periods.filter((period) => !whole.includes(period)) }
  const distinct = distinctColumn(filters)
  const buckets = new Map(
    whole.map((period) => [
      bucketOf(unit, period.start),
      { clicks: filteredClicks(period, filters), links: period[distinct] },
    ]),
  )
  for (const [bucket, tally] of await readLinkTallies(db, parts, unit)) {
    const counts = { clicks: 0, links: 0 }
    tally.forEachFiltered(filters, (_link, clicks) => {
      counts.clicks += clicks
      counts.links++
    })
    buckets.set(bucket, counts)
  }
  return buckets
}

function isInside({ unit, start }: Period, { from, to }: Window): boolean {
  return start >= from && endOf(unit, start) <= to + 1
}

/**
 * Clicked links and rankings of the whole instance in a window, and the clicked links of the
 * previous window.
 */
export async function readInstanceStats<Column extends Dimension>(
  db: Db,
  {
    current,
    previous,
    limits,
    maxLinks,
  }: {
    current: Window
    previous: Window | undefined
    limits: Readonly<Record<Column, number>>
    maxLinks: number
  },
  filters: ViewerFilters,
): Promise<{
  current: ClickedLinks
  previous: ClickedLinks | undefined
  rankings: Record<Column, Ranking>
}> {
  await prefetch(
    db,
    [current, ...(previous ? [previous] : [])].map((window) => ({
      intervals: hoursOfScope('instance', window),
      units: unitsUpTo('quarter'),
    })),
  )
  const tally = await readTally(db, 'instance', current, { columns: Object.keys(limits) as Column[] })
  return {
    current: await findClickedLinks(db, current, filters, maxLinks),
    previous: previous && (await findClickedLinks(db, previous, filters, 1)),
    rankings: await rankTally(db, tally, filters, limits),
  }
}
