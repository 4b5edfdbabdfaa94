import type { Db } from '../db/tables.ts'
import { type StoredLink, readLinks } from '../links/read-model.ts'
import type { DashboardStats } from './dashboard-schema.ts'
import type { View } from './stats.ts'
import { ranges } from '../time/ranges.ts'
import { sparkline } from '../time/sparkline.ts'
import { findFirstClickTimeOfInstance } from '../clicks/store.ts'
import { countLinksByBucket, countLinksIn, findNewestLinkIds } from './created-links.ts'
import type { Dimension } from '../clicks/dimensions.ts'
import {
  type ClickedLinks,
  type InstanceBucket,
  type Ranking,
  findClickedLinks,
  readInstanceBuckets,
  readInstanceStats,
  readRankings,
} from '../rollups/index.ts'
import { DAY, type Window, currentWindow, delta, sum, windowsOf } from '../time/window.ts'

/** Links without their origin, which only the response adds. */
type StoredStats = Omit<DashboardStats, LinkList> & Record<LinkList, StoredLink[]>
type LinkList = 'recent_links' | 'top_links'
type InstanceView = Omit<View, 'tz'>

const TOP = 5

/** The values of a dimension with the most clicks of the whole instance, ties by name. */
export async function readInstanceRanking(
  db: Db,
  dimension: Dimension,
  { range, now, filters, max }: InstanceView & { max: number },
): Promise<Ranking> {
  const window = currentWindow(range, now)
  const limits = { [dimension]: max } as Record<Dimension, number>
  return (await readRankings(db, 'instance', { window, limits }, filters))[dimension]
}

/**
 * The links with the most clicks in the window, ties by id, and all clicks of the instance in the
 * window.
 */
export async function findTopLinks(
  db: Db,
  { range, now, filters }: InstanceView,
  limit: number,
): Promise<ClickedLinks> {
  return findClickedLinks(db, currentWindow(range, now), filters, limit)
}

/**
 * Statistics of the whole instance (L14.9). Run it in a `snapshot`: all numbers then describe one
 * moment.
 */
export async function readDashboardStats(db: Db, view: InstanceView): Promise<StoredStats> {
  const { range, now, filters } = view
  const { current, previous } = windowsOf(range, now)
  const {
    current: clicked,
    previous: previousClicked,
    rankings,
  } = await readInstanceStats(
    db,
    { current, previous, limits: { country: TOP, referrer_host: TOP }, maxLinks: TOP },
    filters,
  )
  const { clicks } = clicked
  const { country: countries, referrer_host: hosts } = rankings
  const created = await countLinksByBucket(db, current, ranges[range].sparkline)
  const links = sum([...created.values()])
  const previousLinks = previous && (await countLinksIn(db, previous))
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
    total_clicks_previous: previousClicked?.clicks ?? 0,
    ...delta('total_clicks_delta', clicks, previousClicked?.clicks),
    ...delta('new_links_delta', links, previousLinks),
    clicks_per_day: Math.round(clicks / days),
    days,
    ...delta('clicks_per_day_delta', clicks, previousClicked?.clicks),
    num_domains: hosts.total,
    num_countries: countries.total,
    clicked_links: clicked.links,
    ...delta('clicked_links_delta', clicked.links, previousClicked?.links),
    ...(await readSparklines(db, view, { current, created })),
    recent_links: recentIds.flatMap((id) => linkById.get(id) ?? []),
    top_links: ids.flatMap((id) => linkById.get(id) ?? []),
    top_countries: countries.items,
    top_referrers: hosts.items,
    num_referrers: hosts.total,
  }
}

/**
 * The number of days that an average covers: the days of the range, or for `all` those since the
 * first click, at least one.
 */
async function countDays(db: Db, { range, now, filters }: InstanceView): Promise<number> {
  const { seconds } = ranges[range]
  if (seconds !== null) return seconds / DAY
  const first = await findFirstClickTimeOfInstance(db, now, filters)
  return Math.max(1, Math.floor((now - (first ?? now)) / DAY))
}

async function readSparklines(
  db: Db,
  { range, now, filters }: InstanceView,
  { current, created }: { current: Window; created: ReadonlyMap<number, number> },
) {
  const buckets = await readInstanceBuckets(db, current, ranges[range].sparkline, filters)
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
