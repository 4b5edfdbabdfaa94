import type { Db } from '../db/tables.ts'
import { sql } from 'kysely'
import type { ViewerFilters } from '../clicks/filters.ts'
import { countVisitors } from './blocks/block-visitors.ts'
import type { Cover, Interval, StoredPeriod } from './cover.ts'
import { INSTANCE, type MaxUnit, coverGaps, unitsUpTo } from './period-store.ts'
import { intervalRows, joinClicksOfGaps, periodRows, unitNumber } from './tally-store.ts'
import { type DistinctCounts, addDistinct, distinctColumn, selectDistinct } from './visitors.ts'
import type { Window } from '../time/window.ts'

/**
 * Distinct visitors of the whole instance in a window. Visitors are counted once per UTC day: whole
 * days have stored counts, and the clicks in parts of days are read. Run it in a `snapshot`.
 */
export async function readInstanceVisitors(db: Db, window: Window, filters: ViewerFilters): Promise<number> {
  const { periods, gaps } = await coverDays(db, window)
  let visitors = addDistinct(await readStoredCounts(db, periods))[distinctColumn(filters)]
  for (const { low, high } of gaps) visitors += await countVisitors(db, { from: low, to: high - 1 }, filters)
  return visitors
}

/** Like `readInstanceVisitors` for each combination of filters, from periods no larger than `maxUnit`. */
export async function countInstanceVisitors(
  db: Db,
  window: Window,
  maxUnit: MaxUnit,
): Promise<DistinctCounts> {
  const { periods, gaps } = await coverDays(db, window, maxUnit)
  return addDistinct([...(await readStoredCounts(db, periods)), ...(await countRawVisitors(db, gaps))])
}

async function coverDays(db: Db, { from, to }: Window, maxUnit: MaxUnit = 'quarter'): Promise<Cover> {
  const units = unitsUpTo(maxUnit).filter((unit) => unit !== 'hour' && unit !== '6h')
  return coverGaps(db, [{ link_id: INSTANCE, low: from, high: to + 1, sign: 1 }], units)
}

async function readStoredCounts(
  { read, dialect }: Db,
  periods: readonly StoredPeriod[],
): Promise<DistinctCounts[]> {
  if (periods.length === 0) return []
  const { rows } = await sql<DistinctCounts>`
    select part.distinct_raw, part.distinct_no_bots, part.distinct_no_self, part.distinct_neither
    from ${periodRows(dialect, periods)} as chosen
    cross join click_link as part where part.unit = ${unitNumber} and part.start = chosen.start`.execute(read)
  return rows
}

async function countRawVisitors(db: Db, gaps: readonly Interval[]): Promise<DistinctCounts[]> {
  if (gaps.length === 0) return []
  const { rows } = await sql<DistinctCounts>`select ${selectDistinct()}
    from ${intervalRows(db.dialect, gaps)} as gap
    ${joinClicksOfGaps(db, 'instance')}`.execute(db.read)
  return rows
}
