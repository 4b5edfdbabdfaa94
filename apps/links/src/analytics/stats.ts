import type { Database } from '@latchkey/database/database'
import { findFirstClickTime } from '../clicks/store.ts'
import type { Tables } from '../db/tables.ts'
import {
  MAX_LINKS_BY_PERIOD,
  bucketCoverRequest,
  chooseStrategy,
  countClicksByHour,
  countClicksInBuckets,
  countClicksPerLinkAndBucket,
} from './rollups/bucket-clicks.ts'
import { type Calendar, createCalendar, createTimelineCalendar } from './calendar.ts'
import { enclosingHours } from './rollups/cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type CoverRequest, coverWindow, hoursOfScope, prefetch, unitsUpTo } from './rollups/period-store.ts'
import { type Ranking, readRankings, readRankingsOfEach } from './rollups/rankings.ts'
import type { ClickStats, TimelineData } from './schema.ts'
import { type Segments, concatSegments, segmentsOf, windowSegments } from './rollups/segments.ts'
import { readTally, readTallies } from './rollups/tally-store.ts'
import { type Dimension, Tally, dimensions } from './rollups/tally.ts'
import {
  type DistinctCounts,
  sumVisitorCounts,
  distinctColumn,
  coverVisitors,
  visitorCoverRequest,
} from './rollups/visitors.ts'
import { DAY, type Range, type Window, currentWindow, delta, windowsOf } from './window.ts'
import { type WindowClicks, readSlugClicks } from './rollups/window-clicks.ts'

type Db = Database<Tables>

/** Which clicks of some links are counted, and by whose calendar. */
export interface View {
  range: Range
  now: number
  tz: string
  filters: ViewerFilters
}

const TOP = 10
const MAX_DAYS = 30

/** How many values of each list are shown. */
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
} as const satisfies Record<Dimension, number>

/** ClickStats of these links together. Within a `snapshot`, so that all of it is one moment. */
export async function readClickStats(
  db: Db,
  linkIds: readonly number[],
  view: View,
): Promise<{ stats: ClickStats; clicks: WindowClicks }> {
  const { range, now, filters } = view
  const recent = await planRecentDays(db, linkIds, view)
  await prefetch(db, statsCoverRequests(linkIds, view, recent.segments))
  const { current, previous } = windowsOf(range, now)
  const { tally, visitors } = await readTallyAndVisitors(db, linkIds, current)
  const slugs = await readSlugClicks(db, linkIds, tally, filters)
  const { previousClicks, days } = await readPreviousAndDays(db, linkIds, view, { previous, recent })
  const total = sum(slugs.map((slug) => slug.clicks))
  const lists = await readRankings(db, tally, filters, MAX_ITEMS)
  const stats: ClickStats = {
    total_clicks: total,
    ...delta('delta_pct', total, previousClicks && sum([...previousClicks.values()])),
    unique_visitors: visitors[distinctColumn(filters)],
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
    clicks_over_time: days,
    slug_clicks: slugs
      .map(({ slug, clicks }) => ({ slug, count: clicks }))
      .toSorted((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1)),
    num_countries: lists.country.total,
    num_referrers: lists.referrer.total,
    num_referrer_hosts: lists.referrer_host.total,
    num_os: lists.os.total,
    num_browsers: lists.browser.total,
  }
  return { stats, clicks: { slugs, previous: previousClicks } }
}

/** Every period that `clickStats` takes, unless some are missing. */
function statsCoverRequests(
  linkIds: readonly number[],
  { range, now }: View,
  recent: Segments,
): CoverRequest[] {
  const { current, previous } = windowsOf(range, now)
  const units = unitsUpTo('quarter')
  return [
    { intervals: hoursOfScope(linkIds, current), units },
    ...(previous ? [{ intervals: enclosingHours(linkIds, previous), units }] : []),
    visitorCoverRequest(linkIds, current),
    bucketCoverRequest(linkIds, recent),
  ]
}

/** The clicks of a window by everything, and its visitors, read together. */
async function readTallyAndVisitors(
  db: Db,
  linkIds: readonly number[],
  window: Window,
): Promise<{ tally: Tally; visitors: DistinctCounts }> {
  const cover = await coverWindow(db, linkIds, window)
  const { distinctCover: numbered, fingerprints: named } = await coverVisitors(db, linkIds, window)
  const [tally = new Tally(), fingerprintTally] = await readTallies(db, linkIds, [
    { cover, columns: [...dimensions, 'slug'] },
    ...(named ? [named] : []),
  ])
  return { tally, visitors: await sumVisitorCounts(db, numbered, fingerprintTally) }
}

interface Days extends Calendar {
  segments: Segments
}

/** Few links are quiet for long: their latest days with clicks are looked for in these first. */
async function planRecentDays(db: Db, linkIds: readonly number[], { range, now, tz }: View): Promise<Days> {
  const { from } = currentWindow(range, now)
  const days = createCalendar('day', Math.max(from, now - 2 * MAX_DAYS * DAY), now, tz)
  return { ...days, segments: await chooseStrategy(db, linkIds, segmentsOf(days.starts, now)) }
}

/** Clicks of each link in the window before, and the latest days of this one that have clicks, read together. */
async function readPreviousAndDays(
  db: Db,
  linkIds: readonly number[],
  view: View,
  { previous, recent }: { previous: Window | undefined; recent: Days },
): Promise<{ previousClicks: WindowClicks['previous']; days: ClickStats['clicks_over_time'] }> {
  const { filters } = view
  const { from } = currentWindow(view.range, view.now)
  const { perLink, buckets } = await countClicksPerLinkAndBucket(
    db,
    linkIds,
    { window: previous, segments: recent.segments },
    filters,
  )
  const previousClicks = perLink && new Map(linkIds.map((id, n) => [id, perLink[n] ?? 0]))
  const recentDays = daysWithClicks(recent, buckets)
  if (recent.starts[0] === from) return { previousClicks, days: recentDays.slice(-MAX_DAYS) }
  // The first of them is only a part of a day.
  const wholeDays = recentDays.filter(({ date }) => date !== recent.labels[0])
  const days = wholeDays.length >= MAX_DAYS ? wholeDays : await readAllDays(db, linkIds, view, from)
  return { previousClicks, days: days.slice(-MAX_DAYS) }
}

/** Every day with clicks since then. */
async function readAllDays(
  db: Db,
  linkIds: readonly number[],
  { range, now, tz, filters }: View,
  from: number,
): Promise<ClickStats['clicks_over_time']> {
  const since = range === 'all' ? await findFirstClickTime(db, linkIds, now, filters) : from
  if (since === undefined) return []
  const days = createCalendar('day', since, now, tz)
  const count = linkIds.length > MAX_LINKS_BY_PERIOD ? countClicksByHour : countClicksInBuckets
  return daysWithClicks(days, await count(db, linkIds, segmentsOf(days.starts, now), filters))
}

function daysWithClicks({ labels }: Calendar, counts: readonly number[]): ClickStats['clicks_over_time'] {
  return labels.map((date, n) => ({ date, count: counts[n] ?? 0 })).filter(({ count }) => count > 0)
}

/** The timeline of these links together. */
export async function readTimeline(db: Db, linkIds: readonly number[], view: View): Promise<TimelineData> {
  const { range, now, tz, filters } = view
  const first = range === 'all' ? await findFirstClickTime(db, linkIds, now, filters) : undefined
  const { starts, labels } = createTimelineCalendar(range, now, tz, first)
  const recent = (['24h', '7d', '30d', '90d', '1y'] as const).map((one) => currentWindow(one, now))
  const combined = concatSegments(segmentsOf(starts, now), windowSegments(recent), starts.length)
  const segments = await chooseStrategy(db, linkIds, combined)
  await prefetch(db, [bucketCoverRequest(linkIds, segments)])
  const counts = await countClicksInBuckets(db, linkIds, segments, filters)
  const [last_24h = 0, last_7d = 0, last_30d = 0, last_90d = 0, last_1y = 0] = counts.slice(starts.length)
  return {
    range,
    buckets: labels.map((label, n) => ({ label, count: counts[n] ?? 0 })),
    summary: { last_24h, last_7d, last_30d, last_90d, last_1y },
  }
}

/** The values of a dimension with the most clicks of these links, then by name. Within a `snapshot`. */
export async function readRanking(
  db: Db,
  linkIds: readonly number[],
  dimension: Dimension,
  { range, now, filters, most: max = Infinity }: Omit<View, 'tz'> & { most?: number },
): Promise<Ranking> {
  const window = currentWindow(range, now)
  await prefetch(db, [{ intervals: hoursOfScope(linkIds, window), units: unitsUpTo('quarter') }])
  const tally = await readTally(db, linkIds, window, { columns: [dimension] })
  return (await readRankings(db, tally, filters, { [dimension]: max } as Record<Dimension, number>))[
    dimension
  ]
}

/**
 * The most clicked value of each dimension for each of these links, by its id; null where no click has one. As many
 * statements for a thousand links as for one. Within a `snapshot`.
 */
export async function readTopValues<Column extends Dimension>(
  db: Db,
  linkIds: readonly number[],
  columns: readonly Column[],
  { range, now, filters }: Omit<View, 'tz'>,
): Promise<Map<number, Record<Column, string | null>>> {
  const { periods, gaps } = await coverWindow(db, linkIds, currentWindow(range, now))
  const periodsOf = Map.groupBy(periods, ({ link_id }) => link_id)
  const gapsOf = Map.groupBy(gaps, ({ link_id }) => link_id)
  const requests = linkIds.map((id) => ({
    cover: { periods: periodsOf.get(id) ?? [], gaps: gapsOf.get(id) ?? [] },
    columns,
  }))
  const one = Object.fromEntries(columns.map((column) => [column, 1])) as Record<Column, number>
  const rankingsPerLink = await readRankingsOfEach(db, await readTallies(db, linkIds, requests), filters, one)
  const top = (lists: Record<Column, Ranking> | undefined) =>
    Object.fromEntries(columns.map((column) => [column, lists?.[column].items[0]?.name ?? null]))
  return new Map(linkIds.map((id, n) => [id, top(rankingsPerLink[n]) as Record<Column, string | null>]))
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
