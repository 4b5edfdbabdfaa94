import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import { type StoredLink, readLinks } from '../links/store.ts'
import type { DashboardStats } from './dashboard-schema.ts'
import type { ViewerFilters } from './filters.ts'
import { type View, sum } from './stats.ts'
import { sparkline, sparklineUnits } from './sparkline.ts'
import {
  type InstanceBucket,
  findClickedLinks,
  countLinksIn,
  findFirstClickTimeOfInstance,
  readInstanceBuckets,
  countLinksByBucket,
  findNewestLinkIds,
} from './rollups/instance-store.ts'
import type { LinkClicks } from './rollups/link-tally.ts'
import { hoursOfScope, prefetch, unitsUpTo } from './rollups/period-store.ts'
import { type Ranking, readRankings } from './rollups/rankings.ts'
import { readTally } from './rollups/tally-store.ts'
import type { Dimension, InstanceDimension } from './rollups/tally.ts'
import { DAY, type Window, currentWindow, delta, rangeSeconds, windowsOf } from './window.ts'

type Db = Database<Tables>
/** Its links are shown with their origin only in an answer. */
type StoredStats = Omit<DashboardStats, LinkList> & Record<LinkList, StoredLink[]>
type LinkList = 'recent_links' | 'top_links'
type InstanceView = Omit<View, 'tz'>

const TOP = 5

/** The values of a dimension with the most clicks of the whole instance, then by name. */
export async function readInstanceRanking(
  db: Db,
  dimension: InstanceDimension,
  { range, now, filters, most: max }: InstanceView & { most: number },
): Promise<Ranking> {
  const tally = await readTally(db, 'instance', currentWindow(range, now), { columns: [dimension] })
  return (await readRankings(db, tally, filters, { [dimension]: max } as Record<Dimension, number>))[
    dimension
  ]
}

/** The links with the most clicks in the window, then by id; and all clicks of the instance in it. */
export async function findMostClicked(
  db: Db,
  { range, now, filters }: InstanceView,
  limit: number,
): Promise<{ top: LinkClicks[]; links: number; clicks: number }> {
  return findClickedLinks(db, currentWindow(range, now), filters, limit)
}

/** What the dashboard shows of the whole instance (L14.9). Within a `snapshot`, so that all of it is one moment. */
export async function readDashboardStats(db: Db, view: InstanceView): Promise<StoredStats> {
  const { range, now, filters } = view
  const { current, previous } = windowsOf(range, now)
  await prefetch(
    db,
    [current, ...(previous ? [previous] : [])].map((window) => ({
      intervals: hoursOfScope('instance', window),
      units: unitsUpTo('quarter'),
    })),
  )
  const tally = await readTally(db, 'instance', current, { columns: ['country', 'referrer_host'] })
  const clicked = await findClickedLinks(db, current, filters, TOP)
  const { clicks } = clicked
  const created = await countLinksByBucket(db, current, sparklineUnits[range])
  const links = sum([...created.values()])
  const previousStats = previous && (await readPreviousStats(db, previous, filters))
  const { country: countries, referrer_host: hosts } = await readRankings(db, tally, filters, {
    country: TOP,
    referrer_host: TOP,
  })
  const ids = clicked.top.map(({ link_id }) => link_id)
  const recentIds = await findNewestLinkIds(db, TOP)
  const linkById = new Map(
    (await readLinks(db, [...new Set([...ids, ...recentIds])], view)).map((link) => [link.id, link]),
  )
  const days = await countDays(db, view)
  return {
    range,
    total_links: links,
    total_clicks: clicks,
    total_clicks_previous: previousStats?.clicks ?? 0,
    ...delta('total_clicks_delta', clicks, previousStats?.clicks),
    ...delta('new_links_delta', links, previousStats?.links),
    clicks_per_day: Math.round(clicks / days),
    days,
    ...delta('clicks_per_day_delta', clicks, previousStats?.clicks),
    num_domains: hosts.total,
    num_countries: countries.total,
    clicked_links: clicked.links,
    ...delta('clicked_links_delta', clicked.links, previousStats?.clicked),
    ...(await readSparklines(db, view, { current, created })),
    recent_links: recentIds.flatMap((id) => linkById.get(id) ?? []),
    top_links: ids.flatMap((id) => linkById.get(id) ?? []),
    top_countries: countries.items,
    top_referrers: hosts.items,
    num_referrers: hosts.total,
  }
}

async function readPreviousStats(db: Db, previous: Window, filters: ViewerFilters) {
  const { clicks, links: clicked } = await findClickedLinks(db, previous, filters, 1)
  return { clicks, clicked, links: await countLinksIn(db, previous) }
}

/** How many days an average is over: those of the range, and for all time those since the first click, at least one. */
async function countDays(db: Db, { range, now, filters }: InstanceView): Promise<number> {
  const seconds = rangeSeconds[range]
  if (seconds !== null) return seconds / DAY
  const first = await findFirstClickTimeOfInstance(db, now, filters)
  return Math.max(1, Math.floor((now - (first ?? now)) / DAY))
}

async function readSparklines(
  db: Db,
  { range, now, filters }: InstanceView,
  { current, created }: { current: Window; created: ReadonlyMap<number, number> },
) {
  const buckets = await readInstanceBuckets(db, current, sparklineUnits[range], filters)
  const toSparkline = (count: keyof InstanceBucket) =>
    sparkline(
      range,
      now,
      new Map([...buckets].map(([bucket, bucketCounts]) => [bucket, bucketCounts[count]])),
    )
  return {
    timeline: toSparkline('clicks'),
    timeline_links: sparkline(range, now, created),
    timeline_clicked_links: toSparkline('links'),
  }
}
