import type { Db } from '../db/tables.ts'
import { type RawBuilder, sql } from 'kysely'
import type { ClickPeriodTable } from '../db/click-tables.ts'
import { type Cover, type Interval, clipTo, nearestHours } from './cover.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { type MaxUnit, type CoverRequest, coverGaps, unitsUpTo } from './period-store.ts'
import { type TallyRequest, intervalRows, isInInterval, readTallies } from './tally-store.ts'
import { Tally } from './tally.ts'
import { DAY, type Window } from '../time/window.ts'

type Fragment = RawBuilder<unknown>

/**
 * Distinct visitors of a link, or clicked links of the instance, for each combination of viewer
 * filters.
 */
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

/**
 * The longest time whose visitors are held in memory. Covers the partial days at both ends of a
 * window.
 */
const MAX_FINGERPRINT_SECONDS = 2 * DAY

/** How the visitors of a window are counted. */
export interface VisitorCover {
  /** Whole days have stored counts; the database counts the gaps. */
  distinctCover: Cover
  /** Parts of days, whose visitors are compared by fingerprint. */
  fingerprints: TallyRequest | undefined
}

/**
 * Covers a window with periods no larger than `maxUnit`. For a single link, whole days use their
 * stored counts. With several links, a visitor of two links is one visitor, so fingerprints are
 * compared, using the rollups of dense hours.
 */
export async function coverVisitors(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  maxUnit: MaxUnit = 'quarter',
): Promise<VisitorCover> {
  const request = visitorCoverRequest(linkIds, window, maxUnit)
  const cover = await coverGaps(db, request.intervals, request.units)
  const shortGaps =
    linkIds.length === 1 ? cover.gaps.filter(({ low, high }) => high - low <= MAX_FINGERPRINT_SECONDS) : []
  const distinctCover = { ...cover, gaps: cover.gaps.filter((gap) => !shortGaps.includes(gap)) }
  if (shortGaps.length === 0) return { distinctCover, fingerprints: undefined }
  const fingerprints: Cover = { periods: [], gaps: [] }
  for (const { low, high } of shortGaps) {
    const gapWindow = { from: low, to: high - 1 }
    const hours = nearestHours(linkIds, gapWindow)
    const { periods, gaps } = clipTo(gapWindow, hours, await coverGaps(db, hours, hourUnits(maxUnit)))
    fingerprints.periods.push(...periods)
    fingerprints.gaps.push(...gaps)
  }
  return { distinctCover, fingerprints: { cover: fingerprints, columns: ['visitor_fp'] } }
}

/**
 * The periods of the days in the window. Their hours are those of all other statistics of the
 * window.
 */
export function visitorCoverRequest(
  linkIds: readonly number[],
  { from, to }: Window,
  maxUnit: MaxUnit = 'quarter',
): CoverRequest {
  const intervals = linkIds.map((link_id) => ({ link_id, low: from, high: to + 1, sign: 1 as const }))
  const units = unitsUpTo(maxUnit).filter((unit) => unit !== 'hour' && unit !== '6h')
  return { intervals, units: linkIds.length === 1 ? units : [] }
}

function hourUnits(maxUnit: MaxUnit) {
  return unitsUpTo(maxUnit).filter((unit) => unit === 'hour')
}

/** Distinct visitors of a window for each combination of filters, counted once per UTC day. */
export async function readVisitorCounts(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  maxUnit: MaxUnit = 'quarter',
): Promise<DistinctCounts> {
  const { distinctCover, fingerprints } = await coverVisitors(db, linkIds, window, maxUnit)
  const [tally] = fingerprints ? await readTallies(db, linkIds, [fingerprints]) : []
  return sumVisitorCounts(db, distinctCover, tally)
}

/** Like `readVisitorCounts`, for a covered window. `tally` has the visitors of its partial days. */
export async function sumVisitorCounts(
  db: Db,
  { periods, gaps }: Cover,
  tally: Tally = new Tally(),
): Promise<DistinctCounts> {
  const visitors = tally.valuesOf('visitor_fp')
  const partialDays = Object.fromEntries(
    columns.map((column) => [column, visitors.countDistinct(filtersOfColumn[column])]),
  ) as unknown as DistinctCounts
  return addDistinct([partialDays, ...periods, ...(await readDistinctCounts(db, gaps))])
}

/** The visitors of separate days together. */
export function addDistinct(days: readonly DistinctCounts[]): DistinctCounts {
  const counts = { distinct_raw: 0, distinct_no_bots: 0, distinct_no_self: 0, distinct_neither: 0 }
  for (const sums of days) for (const column of columns) counts[column] += sums[column]
  return counts
}

/** The visitors of the selected clicks. */
export function selectDistinct(): Fragment {
  const among = (when: Fragment) => sql`count(distinct case when ${when} then visitor_fp end)`
  return sql`${among(sql`1 = 1`)} as distinct_raw, ${among(sql`is_bot = 0`)} as distinct_no_bots,
    ${among(sql`is_self_referrer = 0`)} as distinct_no_self,
    ${among(sql`is_bot = 0 and is_self_referrer = 0`)} as distinct_neither`
}

/** The visitors of the raw clicks in all gaps together. */
async function readDistinctCounts(
  { read, dialect }: Db,
  gaps: readonly Interval[],
): Promise<DistinctCounts[]> {
  if (gaps.length === 0) return []
  const { rows } =
    await sql<DistinctCounts>`select ${selectDistinct()} from ${intervalRows(dialect, gaps)} as gap
    cross join click where ${isInInterval([])} and clicked_at >= low and clicked_at < high`.execute(read)
  return rows
}
