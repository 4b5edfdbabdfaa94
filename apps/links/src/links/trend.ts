import { type Database, inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { ViewerFilters } from '../clicks/filters.ts'
import { DAY } from '../time/window.ts'
import { filteredSum } from '../clicks/store.ts'
import type { Tables } from '../db/tables.ts'

const TREND_DAYS = 30

/** Clicks of each link on each of the last 30 UTC days, by its id. Links without any are missing. */
export async function readTrends(
  { read, dialect }: Database<Tables>,
  ids: readonly number[],
  { now, filters }: { now: number; filters: ViewerFilters },
): Promise<Map<number, number[]>> {
  const first = Math.floor(now / DAY) - TREND_DAYS + 1
  const { rows } = await sql<{ link_id: number; day: number; clicks: number }>`
    select link_id, hour / ${sql.lit(DAY)} as day, sum(${filteredSum(filters)}) as clicks from click_hour
    where ${inList(dialect, 'link_id', ids)} and hour >= ${first * DAY} and hour <= ${now}
    group by 1, 2`.execute(read)
  const trends = new Map<number, number[]>()
  for (const { link_id, day, clicks } of rows) {
    const trend = trends.get(link_id) ?? Array.from({ length: TREND_DAYS }, () => 0)
    trend[day - first] = clicks
    trends.set(link_id, trend)
  }
  return trends
}
