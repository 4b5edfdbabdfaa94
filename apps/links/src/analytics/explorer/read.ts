import type { Db } from '../../db/tables.ts'
import { transportFailure } from '@latchkey/http/failure'
import { delta, sum } from '../../time/window.ts'
import { searchWords } from '../../links/search.ts'
import { BreakdownReader, type Page } from './breakdowns.ts'
import { type ExplorerDimension, valueDimensions } from './dimensions.ts'
import type { Analytics, AnalyticsBreakdown } from './schema.ts'
import { type Limits, type StatsSource, type WindowStats, rankedColumns } from './source.ts'
import { MAX_SEARCHED, searchBreakdown } from './search.ts'
import { findRawStart } from './subjects.ts'
import { type CalendarWindow, type TimeQuery, NO_CALENDAR, findWindows, isEndless } from './windows.ts'

/** The number of values in each breakdown. */
const TOP = 10

/** Analytics of the clicks of a source. Run it in a `snapshot`: all numbers then describe one moment. */
export async function readAnalytics(
  db: Db,
  source: StatsSource,
  time: TimeQuery,
  { now, filtered }: { now: number; filtered: boolean },
): Promise<Analytics> {
  const { unit, window, comparison } = await findWindows(time, now, () => source.findFirstClick())
  await source.prefetch(comparison ? [window, comparison] : [window])
  const stats = await source.read(window, limitsOf(source))
  const before = comparison && (await source.read(comparison, {}))
  const breakdowns = await readBreakdowns(db, source, stats)
  const [top] = breakdowns.link.items
  const { range, tz } = time
  const from = window.calendar.starts[0] ?? window.to
  const rawStart = await findRawStart(db)
  const isRawCut = rawStart !== undefined && Math.min(from, comparison?.from ?? from) < rawStart
  return {
    window: { range: typeof range === 'string' ? range : null, from, to: window.to, tz },
    comparison_window: comparison ? { from: comparison.from, to: comparison.to } : null,
    filtered,
    raw_since: isRawCut ? rawStart : null,
    totals: { ...totalsOf(stats), top_link: top ? { ...toLink(top), clicks: top.count } : null },
    comparison: before ? compareTotals(stats, before) : null,
    timeline: {
      unit,
      buckets: bucketsOf(window, stats),
      comparison: comparison && before ? bucketsOf(comparison, before) : null,
      first_partial: window.calendar.partial.first && !isEndless(range),
      last_partial: window.calendar.partial.last,
    },
    breakdowns,
  }
}

function limitsOf({ hasSlugs }: StatsSource): Limits {
  const names = [...valueDimensions, ...(hasSlugs ? (['slug'] as const) : [])]
  return Object.fromEntries(names.map((name) => [rankedColumns[name], TOP]))
}

async function readBreakdowns(
  db: Db,
  { hasSlugs }: StatsSource,
  stats: WindowStats,
): Promise<Analytics['breakdowns']> {
  const reader = new BreakdownReader(db, stats)
  const values = valueDimensions.map((name) => [name, reader.readValues(name)] as const)
  return {
    ...(Object.fromEntries(values) as Record<
      (typeof valueDimensions)[number],
      Analytics['breakdowns']['country']
    >),
    ...(hasSlugs && { slug: reader.readValues('slug') }),
    link: await reader.readLinks({ offset: 0, limit: TOP }),
    bundle: await reader.readBundles({ offset: 0, limit: TOP }),
  }
}

function toLink({ name, slug, label, url }: Analytics['breakdowns']['link']['items'][number]) {
  return { id: Number(name), slug, label, url }
}

function totalsOf({ links, visitors }: WindowStats) {
  return { clicks: sum([...links.values()]), unique_visitors: visitors, clicked_links: links.size }
}

function compareTotals(stats: WindowStats, before: WindowStats): NonNullable<Analytics['comparison']> {
  const [now, then] = [totalsOf(stats), totalsOf(before)]
  return {
    ...then,
    ...delta('clicks_delta', now.clicks, then.clicks),
    ...delta('unique_visitors_delta', now.unique_visitors, then.unique_visitors),
    ...delta('clicked_links_delta', now.clicked_links, then.clicked_links),
  }
}

function bucketsOf({ calendar }: CalendarWindow, { buckets }: WindowStats) {
  return calendar.starts.map((start, n) => ({
    label: calendar.labels[n] ?? '',
    start,
    clicks: buckets[n] ?? 0,
  }))
}

interface BreakdownQuery extends Page {
  dimension: ExplorerDimension
  time: TimeQuery
  now: number
  search?: string | undefined
}

/**
 * One breakdown, or a page of it. A search finds among the 10,000 most clicked values. Run it in a
 * `snapshot`.
 */
export async function readBreakdown(
  db: Db,
  source: StatsSource,
  { search, ...query }: BreakdownQuery,
): Promise<AnalyticsBreakdown> {
  if (search === undefined || searchWords(search).length === 0) return readPage(db, source, query)
  const all = await readPage(db, source, { ...query, offset: 0, limit: MAX_SEARCHED })
  return searchBreakdown(all, search, query)
}

async function readPage(
  db: Db,
  source: StatsSource,
  { dimension, time, now, ...page }: Omit<BreakdownQuery, 'search'>,
): Promise<AnalyticsBreakdown> {
  if (dimension === 'slug' && !source.hasSlugs)
    throw transportFailure('invalid_request', { text: 'dimension: needs a filter by link or bundle' })
  const { window } = await findWindows(time, now, async () => undefined)
  const isRanked = dimension !== 'link' && dimension !== 'bundle'
  const limits = isRanked ? { [rankedColumns[dimension]]: page.offset + page.limit } : {}
  const reader = new BreakdownReader(db, await source.read({ ...window, calendar: NO_CALENDAR }, limits))
  if (dimension === 'link') return reader.readLinks(page)
  return dimension === 'bundle' ? reader.readBundles(page) : reader.readValues(dimension, page.offset)
}
