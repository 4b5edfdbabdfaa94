import type { Db } from '../db/tables.ts'
import { sql } from 'kysely'
import { filteredClicks, filteredSum, isInFilter } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { HOUR, hourOf } from '../time/window.ts'
import type { Interval } from './cover.ts'
import { INSTANCE, coverGaps, mayHaveForgottenClicks, unitsUpTo } from './period-store.ts'
import { type Segments, segmentsOf } from './segments.ts'
import { clickTable } from './tally-store.ts'

/**
 * Clicks of the whole instance in consecutive buckets. Starts are ascending, each bucket ends where
 * the next one starts, and the last ends at `to` inclusive. Whole hours come from the largest
 * complete periods, the rest from raw clicks. Run it in a `snapshot`.
 */
export async function readInstanceBucketCounts(
  db: Db,
  { starts, to }: { starts: readonly number[]; to: number },
  filters: ViewerFilters,
): Promise<number[]> {
  const segments = segmentsOf(starts, to)
  const { periods, gaps } = await coverGaps(db, wholeHours(segments), unitsUpTo('quarter'))
  const counts = starts.map(() => 0)
  const add = (n: number | undefined, clicks: number) => {
    if (n !== undefined) counts[n] = (counts[n] ?? 0) + clicks
  }
  for (const period of periods) add(period.n, filteredClicks(period, filters))
  const intervals = [...gaps, ...segments.edges.map((edge) => ({ ...edge, link_id: INSTANCE }))]
  const clicks = await countRawClicks(db, intervals, filters)
  for (const [place, { n, sign }] of intervals.entries()) add(n, sign * (clicks[place] ?? 0))
  const forgotten = gaps.filter((gap) => mayHaveForgottenClicks(db, gap))
  const forgottenClicks = await countForgotten(db, forgotten, filters)
  for (const [place, { n }] of forgotten.entries()) add(n, forgottenClicks.get(place) ?? 0)
  return counts
}

function wholeHours({ hours }: Segments): Interval[] {
  return hours.map(({ n, low, high }) => ({
    link_id: INSTANCE,
    low,
    high: hourOf(high + HOUR - 1),
    sign: 1,
    n,
  }))
}

/** The number of raw clicks in each interval. The index by time alone answers it. */
export async function countRawClicks(
  db: Db,
  intervals: readonly Pick<Interval, 'low' | 'high'>[],
  filters: ViewerFilters,
): Promise<number[]> {
  if (intervals.length === 0) return []
  const places = intervals.map(({ low, high }, place) => ({ place, low, high }))
  const { rows } = await sql<{ place: number; clicks: number }>`select place, (
      select count(*) from ${clickTable(db)} where clicked_at >= low and clicked_at < high and ${isInFilter(filters)}
    ) as clicks from ${numberRows(db.dialect, ['place', 'low', 'high'], places)} as gap`.execute(db.read)
  const clicks = new Map(rows.map((row) => [row.place, row.clicks]))
  return intervals.map((_, place) => clicks.get(place) ?? 0)
}

/** Forgotten clicks in each gap. Every click has a link mode, so those of that dimension are all. */
async function countForgotten(
  { read, dialect }: Db,
  gaps: readonly Interval[],
  filters: ViewerFilters,
): Promise<Map<number, number>> {
  if (gaps.length === 0) return new Map()
  const rows = gaps.map(({ low, high }, place) => ({ place, low, high }))
  const result = await sql<{ place: number; clicks: number | null }>`select place, (
      select sum(${filteredSum(filters)}) from click_forgotten
      where hour >= low and hour < high and dimension = 'link_mode'
    ) as clicks from ${numberRows(dialect, ['place', 'low', 'high'], rows)} as gap`.execute(read)
  return new Map(result.rows.map(({ place, clicks }) => [place, clicks ?? 0]))
}
