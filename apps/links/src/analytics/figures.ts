import type { Database } from '@latchkey/database/database'
import { firstClick } from '../clicks/store.ts'
import type { Tables } from '../db/tables.ts'
import {
  FEW_LINKS,
  bucketWish,
  cheapest,
  clicksByHour,
  clicksInBuckets,
  clicksOfBoth,
} from './bucket-clicks.ts'
import { type Calendar, calendar, timelineCalendar } from './calendar.ts'
import { wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Wish, coverOf, hoursOfScope, lookUp, unitsUpTo } from './periods.ts'
import { type Ranking, rankings, rankingsOfEach } from './rankings.ts'
import type { ClickStats, TimelineData } from './schema.ts'
import { type Segments, joinedSegments, segmentsOf, windowSegments } from './segments.ts'
import { tallied, talliesOf } from './store.ts'
import { type Dimension, Tally, dimensions } from './tally.ts'
import { type DistinctCounts, countsOf, distinctColumn, visitorCover, visitorWish } from './visitors.ts'
import { DAY, type Range, type Window, currentWindow, delta, windowsOf } from './window.ts'
import { type WindowClicks, slugClicks } from './window-clicks.ts'

type Db = Database<Tables>

/** Which clicks of some links are counted, and by whose calendar. */
export interface View {
  range: Range
  now: number
  tz: string
  filters: ViewerFilters
}

const TOP = 10
const SHOWN_DAYS = 30

/** How many values of each list are shown. */
const SHOWN = {
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
export async function clickStats(
  db: Db,
  linkIds: readonly number[],
  view: View,
): Promise<{ stats: ClickStats; clicks: WindowClicks }> {
  const { range, now, filters } = view
  const recent = await recentDays(db, linkIds, view)
  await lookUp(db, statsWishes(linkIds, view, recent.segments))
  const { current, previous } = windowsOf(range, now)
  const { tally, visitors } = await tallies(db, linkIds, current)
  const slugs = await slugClicks(db, linkIds, tally, filters)
  const { before, days } = await beforeAndDays(db, linkIds, view, { previous, recent })
  const total = sum(slugs.map((slug) => slug.clicks))
  const lists = await rankings(db, tally, filters, SHOWN)
  const stats: ClickStats = {
    total_clicks: total,
    ...delta('delta_pct', total, before && sum([...before.values()])),
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
  return { stats, clicks: { slugs, before } }
}

/** Every period that `clickStats` takes, unless some are missing. */
function statsWishes(linkIds: readonly number[], { range, now }: View, recent: Segments): Wish[] {
  const { current, previous } = windowsOf(range, now)
  const units = unitsUpTo('quarter')
  return [
    { gaps: hoursOfScope(linkIds, current), units },
    ...(previous ? [{ gaps: wholeHours(linkIds, previous), units }] : []),
    visitorWish(linkIds, current),
    bucketWish(linkIds, recent),
  ]
}

/** The clicks of a window by everything, and its visitors, read together. */
async function tallies(
  db: Db,
  linkIds: readonly number[],
  window: Window,
): Promise<{ tally: Tally; visitors: DistinctCounts }> {
  const cover = await coverOf(db, linkIds, window)
  const { numbered, named } = await visitorCover(db, linkIds, window)
  const [tally = new Tally(), people] = await talliesOf(db, linkIds, [
    { cover, columns: [...dimensions, 'slug'] },
    ...(named ? [named] : []),
  ])
  return { tally, visitors: await countsOf(db, numbered, people) }
}

interface Days extends Calendar {
  segments: Segments
}

/** Few links are quiet for long: their latest days with clicks are looked for in these first. */
async function recentDays(db: Db, linkIds: readonly number[], { range, now, tz }: View): Promise<Days> {
  const { from } = currentWindow(range, now)
  const days = calendar('day', Math.max(from, now - 2 * SHOWN_DAYS * DAY), now, tz)
  return { ...days, segments: await cheapest(db, linkIds, segmentsOf(days.starts, now)) }
}

/** Clicks of each link in the window before, and the latest days of this one that have clicks, read together. */
async function beforeAndDays(
  db: Db,
  linkIds: readonly number[],
  view: View,
  { previous, recent }: { previous: Window | undefined; recent: Days },
): Promise<{ before: WindowClicks['before']; days: ClickStats['clicks_over_time'] }> {
  const { filters } = view
  const { from } = currentWindow(view.range, view.now)
  const { each, buckets } = await clicksOfBoth(
    db,
    linkIds,
    { window: previous, segments: recent.segments },
    filters,
  )
  const before = each && new Map(linkIds.map((id, n) => [id, each[n] ?? 0]))
  const found = clickedDays(recent, buckets)
  if (recent.starts[0] === from) return { before, days: found.slice(-SHOWN_DAYS) }
  // The first of them is only a part of a day.
  const whole = found.filter(({ date }) => date !== recent.labels[0])
  const days = whole.length >= SHOWN_DAYS ? whole : await allDays(db, linkIds, view, from)
  return { before, days: days.slice(-SHOWN_DAYS) }
}

/** Every day with clicks since then. */
async function allDays(
  db: Db,
  linkIds: readonly number[],
  { range, now, tz, filters }: View,
  from: number,
): Promise<ClickStats['clicks_over_time']> {
  const since = range === 'all' ? await firstClick(db, linkIds, now, filters) : from
  if (since === undefined) return []
  const days = calendar('day', since, now, tz)
  const count = linkIds.length > FEW_LINKS ? clicksByHour : clicksInBuckets
  return clickedDays(days, await count(db, linkIds, segmentsOf(days.starts, now), filters))
}

function clickedDays({ labels }: Calendar, counts: readonly number[]): ClickStats['clicks_over_time'] {
  return labels.map((date, n) => ({ date, count: counts[n] ?? 0 })).filter(({ count }) => count > 0)
}

/** The timeline of these links together. */
export async function timeline(db: Db, linkIds: readonly number[], view: View): Promise<TimelineData> {
  const { range, now, tz, filters } = view
  const first = range === 'all' ? await firstClick(db, linkIds, now, filters) : undefined
  const { starts, labels } = timelineCalendar(range, now, tz, first)
  const recent = (['24h', '7d', '30d', '90d', '1y'] as const).map((one) => currentWindow(one, now))
  const joined = joinedSegments(segmentsOf(starts, now), windowSegments(recent), starts.length)
  const segments = await cheapest(db, linkIds, joined)
  await lookUp(db, [bucketWish(linkIds, segments)])
  const counts = await clicksInBuckets(db, linkIds, segments, filters)
  const [last_24h = 0, last_7d = 0, last_30d = 0, last_90d = 0, last_1y = 0] = counts.slice(starts.length)
  return {
    range,
    buckets: labels.map((label, n) => ({ label, count: counts[n] ?? 0 })),
    summary: { last_24h, last_7d, last_30d, last_90d, last_1y },
  }
}

/** The values of a dimension with the most clicks of these links, then by name. Within a `snapshot`. */
export async function ranking(
  db: Db,
  linkIds: readonly number[],
  dimension: Dimension,
  { range, now, filters, most = Infinity }: Omit<View, 'tz'> & { most?: number },
): Promise<Ranking> {
  const window = currentWindow(range, now)
  await lookUp(db, [{ gaps: hoursOfScope(linkIds, window), units: unitsUpTo('quarter') }])
  const tally = await tallied(db, linkIds, window, { columns: [dimension] })
  return (await rankings(db, tally, filters, { [dimension]: most } as Record<Dimension, number>))[dimension]
}

/**
 * The most clicked value of each dimension for each of these links, by its id; null where no click has one. As many
 * statements for a thousand links as for one. Within a `snapshot`.
 */
export async function topValues<Column extends Dimension>(
  db: Db,
  linkIds: readonly number[],
  columns: readonly Column[],
  { range, now, filters }: Omit<View, 'tz'>,
): Promise<Map<number, Record<Column, string | null>>> {
  const { periods, gaps } = await coverOf(db, linkIds, currentWindow(range, now))
  const periodsOf = Map.groupBy(periods, ({ link_id }) => link_id)
  const gapsOf = Map.groupBy(gaps, ({ link_id }) => link_id)
  const wanted = linkIds.map((id) => ({
    cover: { periods: periodsOf.get(id) ?? [], gaps: gapsOf.get(id) ?? [] },
    columns,
  }))
  const one = Object.fromEntries(columns.map((column) => [column, 1])) as Record<Column, number>
  const found = await rankingsOfEach(db, await talliesOf(db, linkIds, wanted), filters, one)
  const top = (lists: Record<Column, Ranking> | undefined) =>
    Object.fromEntries(columns.map((column) => [column, lists?.[column].items[0]?.name ?? null]))
  return new Map(linkIds.map((id, n) => [id, top(found[n]) as Record<Column, string | null>]))
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
