import type { Database } from '@latchkey/database/database'
import { countedOf, firstClick } from '../clicks/store.ts'
import type { ClickCounts, Tables } from '../db/tables.ts'
import { clicksInBuckets } from './bucket-clicks.ts'
import { calendar, timelineCalendar } from './calendar.ts'
import type { ViewerFilters } from './filters.ts'
import type { ClickStats, NameCount, TimelineData } from './schema.ts'
import { segmentsOf, windowSegments } from './segments.ts'
import { tallied } from './store.ts'
import { type Dimension, dimensionOfList } from './tally.ts'
import { uniqueVisitors } from './visitors.ts'
import { DAY, type Range, currentWindow, deltaPct, windowsOf } from './window.ts'
import { type SlugClicks, slugClicks, slugTally } from './window-clicks.ts'

type Db = Database<Tables>

/** Which clicks of some links are counted, and by whose calendar. */
export interface View {
  range: Range
  now: number
  tz: string
  filters: ViewerFilters
}

const TOP = 10
const top = (names: NameCount[]) => names.slice(0, TOP)
const SHOWN_DAYS = 30

/** ClickStats of these links together. Within a `snapshot`, so that all of it is one moment. */
export async function clickStats(
  db: Db,
  linkIds: readonly number[],
  view: View,
): Promise<{ stats: ClickStats; slugs: SlugClicks[]; ranked: (dimension: Dimension) => NameCount[] }> {
  const { range, now, filters } = view
  const { current: window, previous } = windowsOf(range, now)
  const tally = await tallied(db, linkIds, window, { wanted: [...Object.values(dimensionOfList), 'slug'] })
  const before = previous && (await slugTally(db, linkIds, previous))
  const slugs = await slugClicks(db, linkIds, { current: tally, previous: before, filters })
  const total = sum(slugs.map((slug) => slug.current))
  const delta = deltaPct(total, before && sum(slugs.map((slug) => slug.previous)))
  const ranked = (dimension: Dimension) =>
    tally.ranked(dimension, (counts: ClickCounts) => countedOf(counts, filters))
  const lists = {
    countries: ranked('country'),
    referrers: ranked('referrer'),
    referrer_hosts: ranked('referrer_host'),
    os: ranked('os'),
    browsers: ranked('browser'),
  }
  const stats: ClickStats = {
    total_clicks: total,
    ...(delta === undefined ? {} : { delta_pct: delta }),
    unique_visitors: await uniqueVisitors(db, linkIds, window, filters),
    countries: top(lists.countries),
    referrers: top(lists.referrers),
    referrer_hosts: top(lists.referrer_hosts),
    os: top(lists.os),
    browsers: top(lists.browsers),
    utm_sources: top(ranked('utm_source')),
    utm_mediums: top(ranked('utm_medium')),
    utm_campaigns: top(ranked('utm_campaign')),
    devices: ranked('device_type'),
    link_modes: ranked('link_mode'),
    channels: ranked('channel'),
    clicks_over_time: await latestDays(db, linkIds, view),
    slug_clicks: slugs
      .filter((slug) => slug.current > 0)
      .map(({ slug, current }) => ({ slug, count: current }))
      .toSorted((a, b) => b.count - a.count || (a.slug < b.slug ? -1 : 1)),
    num_countries: lists.countries.length,
    num_referrers: lists.referrers.length,
    num_referrer_hosts: lists.referrer_hosts.length,
    num_os: lists.os.length,
    num_browsers: lists.browsers.length,
  }
  return { stats, slugs, ranked }
}

/** The latest days that have clicks. Few links are quiet for long, so a look at the last days comes first. */
async function latestDays(
  db: Db,
  linkIds: readonly number[],
  { range, now, tz, filters }: View,
): Promise<ClickStats['clicks_over_time']> {
  const from = range === 'all' ? await firstClick(db, linkIds, now, filters) : currentWindow(range, now).from
  if (from === undefined) return []
  const since = async (start: number) => {
    const { starts, labels } = calendar('day', start, now, tz)
    const counts = await clicksInBuckets(db, linkIds, segmentsOf(starts, now), filters)
    return labels.map((date, n) => ({ date, count: counts[n] ?? 0 })).filter(({ count }) => count > 0)
  }
  const recent = now - 2 * SHOWN_DAYS * DAY
  const days = from < recent ? (await since(recent)).slice(1) : []
  return (days.length >= SHOWN_DAYS ? days : await since(from)).slice(-SHOWN_DAYS)
}

/** The timeline of these links together. */
export async function timeline(db: Db, linkIds: readonly number[], view: View): Promise<TimelineData> {
  const { range, now, tz, filters } = view
  const first = range === 'all' ? await firstClick(db, linkIds, now, filters) : undefined
  const { starts, labels } = timelineCalendar(range, now, tz, first)
  const counts = await clicksInBuckets(db, linkIds, segmentsOf(starts, now), filters)
  const recent = (['24h', '7d', '30d', '90d', '1y'] as const).map((one) => currentWindow(one, now))
  const [last_24h = 0, last_7d = 0, last_30d = 0, last_90d = 0, last_1y = 0] = await clicksInBuckets(
    db,
    linkIds,
    windowSegments(recent),
    filters,
  )
  return {
    range,
    buckets: labels.map((label, n) => ({ label, count: counts[n] ?? 0 })),
    summary: { last_24h, last_7d, last_30d, last_90d, last_1y },
  }
}

/** Clicks of these links by value of a dimension, the most first, then by name. Within a `snapshot`. */
export async function ranking(
  db: Db,
  linkIds: readonly number[],
  dimension: Dimension,
  { range, now, filters }: Omit<View, 'tz'>,
): Promise<NameCount[]> {
  const tally = await tallied(db, linkIds, currentWindow(range, now), { wanted: [dimension] })
  return tally.ranked(dimension, (counts) => countedOf(counts, filters))
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
