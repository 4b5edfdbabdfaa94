import { type RawBuilder, sql } from 'kysely'
import type { ClickPeriodTable } from '../db/tables.ts'
import { type Cover, type Gap, cutTo, nearHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Db, type Largest, type Wish, filled, unitsUpTo } from './periods.ts'
import { type Wanted, gapRows, inGap, talliesOf } from './store.ts'
import { Tally } from './tally.ts'
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

/** So much at most has its visitors held in memory; longer than the day on either side of a window's beginning or end. */
const AT_ONCE = 2 * DAY

/** How the visitors of a window are counted. */
export interface VisitorCover {
  /** Whole days have their numbers, and what is left is counted by the database. */
  numbered: Cover
  /** Parts of days, whose visitors are told apart by name. */
  named: Wanted | undefined
}

/**
 * Covers a window with nothing larger than `largest`. Days that are wholly inside have their numbers, if it is a single
 * link: one who follows two links is one visitor. Elsewhere visitors are told apart, with the sums of dense hours.
 */
export async function visitorCover(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  largest: Largest = 'quarter',
): Promise<VisitorCover> {
  const wish = visitorWish(linkIds, window, largest)
  const cover = await filled(db, wish.gaps, wish.units)
  const short = linkIds.length === 1 ? cover.gaps.filter(({ low, high }) => high - low <= AT_ONCE) : []
  const numbered = { ...cover, gaps: cover.gaps.filter((gap) => !short.includes(gap)) }
  if (short.length === 0) return { numbered, named: undefined }
  const named: Cover = { periods: [], gaps: [] }
  for (const { low, high } of short) {
    const part = { from: low, to: high - 1 }
    const hours = nearHours(linkIds, part)
    const { periods, gaps } = cutTo(part, hours, await filled(db, hours, hourUnits(largest)))
    named.periods.push(...periods)
    named.gaps.push(...gaps)
  }
  return { numbered, named: { cover: named, columns: ['visitor_fp'] } }
}

/** Which periods that takes: those of its days. Their hours are those of any other figure of the window. */
export function visitorWish(
  linkIds: readonly number[],
  { from, to }: Window,
  largest: Largest = 'quarter',
): Wish {
  const gaps = linkIds.map((link_id) => ({ link_id, low: from, high: to + 1, sign: 1 as const }))
  const units = unitsUpTo(largest).filter((unit) => unit !== 'hour' && unit !== '6h')
  return { gaps, units: linkIds.length === 1 ? units : [] }
}

function hourUnits(largest: Largest) {
  return unitsUpTo(largest).filter((unit) => unit === 'hour')
}

/** Distinct visitors of a window for each filter; each is one per UTC day. */
export async function visitorCounts(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  largest: Largest,
): Promise<DistinctCounts> {
  const { numbered, named } = await visitorCover(db, linkIds, window, largest)
  const [tally] = named ? await talliesOf(db, linkIds, [named]) : []
  return countsOf(db, numbered, tally)
}

/** The same of a window that is covered, the visitors of its parts of days being in `tally`. */
export async function countsOf(
  db: Db,
  { periods, gaps }: Cover,
  tally: Tally = new Tally(),
): Promise<DistinctCounts> {
  const counts = { distinct_raw: 0, distinct_no_bots: 0, distinct_no_self: 0, distinct_neither: 0 }
  const visitors = tally.of('visitor_fp')
  for (const column of columns) counts[column] = visitors.distinct(filtersOfColumn[column])
  for (const sums of [...periods, ...(await distinctIn(db, gaps))])
    for (const column of columns) counts[column] += sums[column]
  return counts
}

function distinct(when: Fragment): Fragment {
  return sql`count(distinct case when ${when} then visitor_fp end)`
}

/** The visitors of the raw clicks in all gaps together. */
async function distinctIn({ read, dialect }: Db, gaps: readonly Gap[]): Promise<DistinctCounts[]> {
  if (gaps.length === 0) return []
  const { rows } =
    await sql<DistinctCounts>`select ${distinct(sql`1 = 1`)} as distinct_raw, ${distinct(sql`is_bot = 0`)} as distinct_no_bots,
      ${distinct(sql`is_self_referrer = 0`)} as distinct_no_self,
      ${distinct(sql`is_bot = 0 and is_self_referrer = 0`)} as distinct_neither
    from ${gapRows(dialect, gaps)} as gap
    cross join click where ${inGap([])} and clicked_at >= low and clicked_at < high`.execute(read)
  return rows
}
