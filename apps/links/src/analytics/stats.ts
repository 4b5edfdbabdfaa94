import { parseSlugKey } from '../urls/slug.ts'
import { findFirstClickTime } from '../clicks/store.ts'
import type { Db } from '../db/tables.ts'
import { type Calendar, createCalendar, createTimelineCalendar } from '../time/calendar.ts'
import type { Dimension } from '../clicks/dimensions.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import {
  type Ranking,
  type WindowClicks,
  readBucketCounts,
  readLinkStats,
  readRankings,
  readRankingsPerLink,
  readTimelineCounts,
} from '../rollups/index.ts'
import type { ClickStats, TimelineData } from './schema.ts'
import type { Range } from '../time/ranges.ts'
import { DAY, currentWindow, delta, sum, windowsOf } from '../time/window.ts'

/** The clicks that statistics cover, and the calendar of the viewer. */
export interface View {
  range: Range
  now: number
  tz: string
  filters: ViewerFilters
}

const TOP = 10
const MAX_DAYS = 30

/** The number of values in each breakdown. */
const MAX_ITEMS = {
  country: TOP,
  referrer: TOP,
  referrer_host: TOP,
  os: TOP,
  browser: TOP,
  utm_source: TOP,
  utm_medium: TOP,
  utm_campaign: TOP,
  device_type: Infinity,
  link_mode: Infinity,
  channel: Infinity,
  variant: 0,
} as const satisfies Record<Dimension, number>

/** ClickStats of all these links. Run it in a `snapshot`: all numbers then describe one moment. */
export async function readClickStats(
  db: Db,
  linkIds: readonly number[],
  view: View,
): Promise<{ stats: ClickStats; clicks: WindowClicks }> {
  const { range, now, filters } = view
  const days = createRecentDays(view)
  const {
    clicks,
    visitors,
    rankings: lists,
    bucketCounts,
  } = await readLinkStats(
    db,
    linkIds,
    { ...windowsOf(range, now), buckets: { starts: days.starts, to: now }, limits: MAX_ITEMS },
    filters,
  )
  const { slugs, previous } = clicks
  const total = sum(slugs.map((slug) => slug.clicks))
  const stats: ClickStats = {
    total_clicks: total,
    ...delta('delta_pct', total, previous && sum([...previous.values()])),
    unique_visitors: visitors,
    countries: lists.country.items,
    referrers: lists.referrer.items,
    referrer_hosts: lists.referrer_host.items,
    os: lists.os.items,
    browsers: lists.browser.items,
    utm_sources: lists.utm_source.items,
    utm_mediums: lists.utm_medium.items,
    utm_campaigns: lists.utm_campaign.items,
    devices: lists.device_type.items,
    link_modes: lists.link_mode.items,
    channels: lists.channel.items,
    clicks_over_time: await latestDays(db, linkIds, view, {
      ...days,
      clicked: daysWithClicks(days, bucketCounts),
    }),
    slug_clicks: slugs
      .toSorted((a, b) => b.clicks - a.clicks || (a.slug < b.slug ? -1 : 1))
      .map(({ slug, clicks: count }) => ({ ...parseSlugKey(slug), count })),
    num_countries: lists.country.total,
    num_referrers: lists.referrer.total,
    num_referrer_hosts: lists.referrer_host.total,
    num_os: lists.os.total,
    num_browsers: lists.browser.total,
  }
  return { stats, clicks }
}

/**
 * The most recent days. Few links are quiet for longer, so the latest days with clicks are searched
 * here first.
 */
function createRecentDays({ range, now, tz }: View): Calendar {
  const { from } = currentWindow(range, now)
  return createCalendar('day', Math.max(from, now - 2 * MAX_DAYS * DAY), now, tz)
}
/**
 * The latest days with clicks in the window, from the counts of `createRecentDays` if they suffice.
 */
async function latestDays(
  db: Db,
  linkIds: readonly number[],
  view: View,
  { starts, labels, clicked }: Calendar & { clicked: ClickStats['clicks_over_time'] },
): Promise<ClickStats['clicks_over_time']> {
  const { from } = currentWindow(view.range, view.now)
  if (starts[0] === from) return clicked.slice(-MAX_DAYS)
  // The first day is cut by the window.
  const wholeDays = clicked.filter(({ date }) => date !== labels[0])
  const days = wholeDays.length >= MAX_DAYS ? wholeDays : await readAllDays(db, linkIds, view, from)
  return days.slice(-MAX_DAYS)
}

/** All days with clicks in the window, for `all` from the first click. */
async function readAllDays(
  db: Db,
  linkIds: readonly number[],
  { range, now, tz, filters }: View,
  from: number,
): Promise<ClickStats['clicks_over_time']> {
  const since = range === 'all' ? await findFirstClickTime(db, linkIds, now, filters) : from
  if (since === undefined) return []
  const days = createCalendar('day', since, now, tz)
  const counts = await readBucketCounts(db, linkIds, { starts: days.starts, to: now }, filters)
  return daysWithClicks(days, counts)
}

function daysWithClicks({ labels }: Calendar, counts: readonly number[]): ClickStats['clicks_over_time'] {
  return labels.map((date, n) => ({ date, count: counts[n] ?? 0 })).filter(({ count }) => count > 0)
}

/** The timeline of all these links together. */
export async function readTimeline(db: Db, linkIds: readonly number[], view: View): Promise<TimelineData> {
  const { range, now, tz, filters } = view
  const first = range === 'all' ? await findFirstClickTime(db, linkIds, now, filters) : undefined
  const { starts, labels } = createTimelineCalendar(range, now, tz, first)
  const recent = (['24h', '7d', '30d', '90d', '1y'] as const).map((one) => currentWindow(one, now))
  const { buckets: counts, windows } = await readTimelineCounts(
    db,
    linkIds,
    { buckets: { starts, to: now }, windows: recent },
    filters,
  )
  const [last_24h = 0, last_7d = 0, last_30d = 0, last_90d = 0, last_1y = 0] = windows
  return {
    range,
    buckets: labels.map((label, n) => ({ label, count: counts[n] ?? 0 })),
    summary: { last_24h, last_7d, last_30d, last_90d, last_1y },
  }
}

/**
 * The values of a dimension with the most clicks of these links, ties by name. Run it in a
 * `snapshot`.
 */
export async function readRanking(
  db: Db,
  linkIds: readonly number[],
  dimension: Dimension,
  { range, now, filters, max = Infinity }: Omit<View, 'tz'> & { max?: number },
): Promise<Ranking> {
  const window = currentWindow(range, now)
  const limits = { [dimension]: max } as Record<Dimension, number>
  return (await readRankings(db, linkIds, { window, limits }, filters))[dimension]
}

/**
 * The most clicked value of each dimension for each of these links, by link id; null without such a
 * click. A thousand links take as many statements as one. Run it in a `snapshot`.
 */
export async function readTopValues<Column extends Dimension>(
  db: Db,
  linkIds: readonly number[],
  columns: readonly Column[],
  { range, now, filters }: Omit<View, 'tz'>,
): Promise<Map<number, Record<Column, string | null>>> {
  const window = currentWindow(range, now)
  const limits = Object.fromEntries(columns.map((column) => [column, 1])) as Record<Column, number>
  const rankingsPerLink = await readRankingsPerLink(db, linkIds, { window, limits }, filters)
  const top = (rankings: Record<Column, Ranking> | undefined) =>
    Object.fromEntries(columns.map((column) => [column, rankings?.[column].items[0]?.name ?? null]))
  return new Map(linkIds.map((id, n) => [id, top(rankingsPerLink[n]) as Record<Column, string | null>]))
}
