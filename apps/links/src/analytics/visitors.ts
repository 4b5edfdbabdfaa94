import { type RawBuilder, sql } from 'kysely'
import { countedOf } from '../clicks/store.ts'
import type { ClickPeriodTable } from '../db/tables.ts'
import { type Cover, type Gap, cutTo, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Db, type Largest, filled, gapRows, inGap, ofPeriods, tallyOf, unitsUpTo } from './store.ts'
import { DAY, type Window } from './window.ts'

type Fragment = RawBuilder<unknown>

/** Distinct visitors, or clicked links of the instance, for each choice of viewer filters. */
export type DistinctCounts = Pick<ClickPeriodTable, `distinct_${string}` & keyof ClickPeriodTable>

const filtersOfColumn = {
  distinct_raw: { bots: false, selfReferrers: false },
  distinct_no_bots: { bots: true, selfReferrers: false },
  distinct_no_self: { bots: false, selfReferrers: true },
  distinct_neither: { bots: true, selfReferrers: true },
} as const satisfies Record<keyof DistinctCounts, ViewerFilters>
const columns = Object.keys(filtersOfColumn) as (keyof DistinctCounts)[]

export function distinctColumn({ bots, selfReferrers }: ViewerFilters): keyof DistinctCounts {
  if (bots && selfReferrers) return 'distinct_neither'
  if (bots) return 'distinct_no_bots'
  return selfReferrers ? 'distinct_no_self' : 'distinct_raw'
}

/** Distinct visitors of a window; each is one per UTC day. */
export async function uniqueVisitors(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  filters: ViewerFilters,
): Promise<number> {
  return (await visitorCounts(db, linkIds, window))[distinctColumn(filters)]
}

/** So much at most has its visitors held in memory; longer than the day on either side of a window's beginning or end. */
const AT_ONCE = 2 * DAY

/**
 * The same for each filter, from nothing larger than `largest`. Days that are wholly inside have their numbers, if it is a
 * single link: one who follows two links is one visitor. Elsewhere visitors are told apart, with the sums of dense hours.
 */
export async function visitorCounts(
  db: Db,
  linkIds: readonly number[],
  { from, to }: Window,
  largest: Largest = 'quarter',
): Promise<DistinctCounts> {
  const gaps = linkIds.map((link_id) => ({ link_id, low: from, high: to + 1, sign: 1 as const }))
  const isSingle = linkIds.length === 1
  const units = unitsUpTo(largest).filter((unit) => unit !== 'hour' && unit !== '6h')
  const cover = await filled(db, { periods: [], gaps }, isSingle ? units : [])
  const short = isSingle ? cover.gaps.filter(({ low, high }) => high - low <= AT_ONCE) : []
  const counts = await countsOf(db, { ...cover, gaps: cover.gaps.filter((gap) => !short.includes(gap)) })
  for (const gap of short) {
    const own = await countsInHours(db, gap, largest)
    for (const column of columns) counts[column] += own[column]
  }
  return counts
}

/** The visitors of a part of a day or two, by name. */
async function countsInHours(db: Db, { link_id, low, high }: Gap, largest: Largest): Promise<DistinctCounts> {
  const window = { from: low, to: high - 1 }
  const units = unitsUpTo(largest).filter((unit) => unit === 'hour')
  const cover = cutTo(window, await filled(db, wholeHours([link_id], window), units))
  const visitors = (await tallyOf(db, [link_id], cover, ['visitor_fp'])).get('visitor_fp')
  const counts = { distinct_raw: 0, distinct_no_bots: 0, distinct_no_self: 0, distinct_neither: 0 }
  for (const clicks of visitors.values())
    for (const column of columns) if (countedOf(clicks, filtersOfColumn[column]) > 0) counts[column]++
  return counts
}

function distinct(when: Fragment): Fragment {
  return sql`count(distinct case when ${when} then visitor_fp end)`
}

/** The numbers of whole days, and the visitors of what is left by the raw clicks. */
async function countsOf(db: Db, { periods, gaps }: Cover): Promise<DistinctCounts> {
  const parts = [
    sql`select ${distinct(sql`1 = 1`)} as distinct_raw, ${distinct(sql`is_bot = 0`)} as distinct_no_bots,
        ${distinct(sql`is_self_referrer = 0`)} as distinct_no_self,
        ${distinct(sql`is_bot = 0 and is_self_referrer = 0`)} as distinct_neither
      from ${gapRows(db.dialect, gaps)} as gap
      cross join click where ${inGap([])} and clicked_at >= low and clicked_at < high`,
    ...ofPeriods(
      db.dialect,
      periods,
      (unit, rows) => sql`select distinct_raw, distinct_no_bots, distinct_no_self, distinct_neither
        from ${rows} as chosen cross join click_period as part
        where part.link_id = chosen.link_id and part.unit = ${unit} and part.start = chosen.start`,
    ),
  ]
  const { rows } = await sql<DistinctCounts>`select sum(distinct_raw) as distinct_raw,
      sum(distinct_no_bots) as distinct_no_bots, sum(distinct_no_self) as distinct_no_self,
      sum(distinct_neither) as distinct_neither
    from (${sql.join(parts, sql` union all `)}) as part`.execute(db.read)
  const [row] = rows
  if (!row) throw new Error('A sum without a row')
  return row
}
