import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import { numberRows } from '../db/rows.ts'
import { isSnapshot } from '../db/snapshot.ts'
import type { ClickPeriodTable, PeriodUnit } from '../db/click-tables.ts'
import type { Db } from '../db/tables.ts'
import {
  type Cover,
  type StoredPeriod,
  type Interval,
  type Period,
  clipTo,
  endOf,
  applyPeriods,
  mergeIntervals,
  nearestHours,
  periodUnits,
  startsIn,
} from './cover.ts'
import { HOUR, type Window } from '../time/window.ts'

/** The links whose clicks are counted, or the whole instance. */
export type StatsScope = readonly number[] | 'instance'

/** The `link_id` of the whole instance in rollups. */
export const INSTANCE = 0

/** The largest unit of the periods that a statistic may use. */
export type MaxUnit = PeriodUnit | 'none'

export function unitsUpTo(maxUnit: MaxUnit): PeriodUnit[] {
  return maxUnit === 'none' ? [] : periodUnits.slice(periodUnits.indexOf(maxUnit))
}

/**
 * Units that are looked up together. Where larger units leave gaps, only a few smaller ones are
 * needed.
 */
const UNIT_GROUPS: readonly (readonly PeriodUnit[])[] = [['quarter', 'month', '10d'], ['day'], ['6h', 'hour']]

/**
 * Columns are named because an SQLite handle from before a migration would expand `*` to the
 * previous columns.
 */
const columns = sql.raw(
  `period.link_id, period.unit, period.start, period.clicks, period.bots, period.self_referrers,
   period.bot_self_referrers, period.distinct_raw, period.distinct_no_bots, period.distinct_no_self,
   period.distinct_neither, period.stamp`,
)

/** Intervals to cover with periods of these units. */
export interface CoverRequest {
  intervals: readonly Interval[]
  units: readonly PeriodUnit[]
}

/** The intervals that one search has covered for a link, and the periods found in them. */
interface SearchedRange {
  intervals: Interval[]
  periods: StoredPeriod[]
}

/** Periods that one snapshot has read. A page requests the same periods many times. */
class PeriodCache {
  readonly searches: Map<number, SearchedRange>[] = UNIT_GROUPS.map(() => new Map<number, SearchedRange>())
  /** The open hours of each link. Their rollups may be out of date. */
  readonly openHours = new Map<number, number[]>()
  /** The end of the forgotten clicks of each link; 0 without any. */
  readonly forgottenUntil = new Map<number, number>()

  /** The parts of the gaps that have not been searched. */
  findUnsearched(search: number, gaps: readonly Interval[]): Interval[] {
    const searched = this.searches[search]
    return mergeIntervals(
      gaps.filter(({ link_id, low, high }) => {
        const intervals = searched?.get(link_id)?.intervals
        return !intervals?.some((interval) => interval.low <= low && high <= interval.high)
      }),
    )
  }

  add(search: number, intervals: readonly Interval[], periods: readonly StoredPeriod[]): void {
    const searched = this.searches[search]
    const periodsByLink = Map.groupBy(periods, (period) => period.link_id)
    for (const [link_id, own] of Map.groupBy(intervals, (stretch) => stretch.link_id)) {
      const previous = searched?.get(link_id)
      const newPeriods = periodsByLink.get(link_id) ?? []
      const storedKeys = new Set(previous?.periods.map(({ unit, start }) => `${unit} ${start}`))
      const unstored = previous
        ? newPeriods.filter(({ unit, start }) => !storedKeys.has(`${unit} ${start}`))
        : newPeriods
      searched?.set(link_id, {
        intervals: previous ? mergeIntervals([...previous.intervals, ...own]) : own,
        periods: [...(previous?.periods ?? []), ...unstored].toSorted(
          (one, other) => one.start - other.start,
        ),
      })
    }
  }

  /** Fills gaps with the periods of these units that one search has found. */
  apply(search: number, cover: Cover, units: readonly PeriodUnit[]): Cover {
    const linkIds = new Set(cover.gaps.map((gap) => gap.link_id))
    let remaining = cover
    for (const unit of UNIT_GROUPS[search] ?? [])
      if (units.includes(unit))
        remaining = applyPeriods(remaining, this.#completePeriods(search, unit, linkIds))
    return remaining
  }

  /** Periods of this unit that are over and complete. */
  #completePeriods(search: number, unit: PeriodUnit, linkIds: Iterable<number>): StoredPeriod[] {
    return [...linkIds].flatMap((id) => {
      const open = this.openHours.get(id) ?? []
      const periods = this.searches[search]?.get(id)?.periods ?? []
      if (periods.length === 0) return periods
      return periods.filter(
        (period) =>
          period.unit === unit &&
          !open.some((hour) => hour >= period.start && hour < endOf(unit, period.start)),
      )
    })
  }
}

const caches = new WeakMap<Db, PeriodCache>()

/** Only reads from a snapshot stay valid, so only they are cached. */
function cacheOf(db: Db): PeriodCache {
  if (!isSnapshot(db)) return new PeriodCache()
  const cache = caches.get(db) ?? new PeriodCache()
  caches.set(db, cache)
  return cache
}

/**
 * Reads the periods of all these requests into the cache, where `coverGaps` finds them. It first
 * reads the periods that suffice if none are missing, then smaller ones in place of missing ones.
 */
export async function prefetch(db: Db, requests: readonly CoverRequest[]): Promise<void> {
  const cache = cacheOf(db)
  const intervalsBySearch = requests.map((request) => intervalsToSearch(request))
  await loadPeriods(
    db,
    cache,
    UNIT_GROUPS.map((_, search) => intervalsBySearch.flatMap((gaps) => gaps[search] ?? [])),
  )
  // `coverGaps` reads the periods of a single request.
  if (requests.length === 1) return
  let remaining = requests.map(({ intervals: whole, units }) => ({
    cover: { periods: [], gaps: whole.map((gap) => ({ ...gap, n: undefined })) } as Cover,
    units,
  }))
  for (const search of UNIT_GROUPS.keys()) {
    remaining = remaining.filter(({ cover }) => cover.gaps.length > 0)
    const searching = remaining.filter(({ units }) =>
      units.some((unit) => UNIT_GROUPS[search]?.includes(unit)),
    )
    await loadPeriodsOf(
      db,
      cache,
      search,
      searching.flatMap(({ cover }) => cover.gaps),
    )
    for (const one of searching) one.cover = cache.apply(search, one.cover, one.units)
  }
}

/** Prepares to cover these windows. */
export async function prefetchWindows(db: Db, scope: StatsScope, windows: readonly Window[]): Promise<void> {
  const units = unitsUpTo('quarter')
  await prefetch(
    db,
    windows.map((window) => ({ intervals: hoursOfScope(scope, window), units })),
  )
}

/** The intervals of each search if all earlier searches find every possible period. */
function intervalsToSearch({ intervals, units }: CoverRequest): Interval[][] {
  const intervalsBySearch = UNIT_GROUPS.map((): Interval[] => [])
  // Links of one page have the same gaps, which are computed once.
  const sameGaps = Map.groupBy(
    Map.groupBy(intervals, (gap) => gap.link_id),
    ([, own]) => own.map(({ low, high }) => `${low} ${high}`).join(),
  )
  for (const links of sameGaps.values()) {
    let remaining: Cover<Period> = { periods: [], gaps: [...(links[0]?.[1] ?? [])] }
    for (const [search, some] of searchesFor(units)) {
      const merged = mergeIntervals(remaining.gaps)
      intervalsBySearch[search]?.push(
        ...links.flatMap(([link_id]) => merged.map((gap) => ({ ...gap, link_id }))),
      )
      for (const unit of some) remaining = applyPeriods(remaining, candidatePeriods(unit, remaining.gaps))
    }
  }
  return intervalsBySearch
}

function searchesFor(units: readonly PeriodUnit[]): [search: number, units: PeriodUnit[]][] {
  return UNIT_GROUPS.map((all, search): [number, PeriodUnit[]] => [
    search,
    all.filter((unit) => units.includes(unit)),
  ]).filter(([, some]) => some.length > 0)
}

/** All periods that could exist in these gaps. */
function candidatePeriods(unit: PeriodUnit, gaps: readonly Interval[]): Period[] {
  return mergeIntervals(gaps).flatMap(({ link_id, low, high }) =>
    startsIn(unit, low, high).map((start) => ({ link_id, unit, start })),
  )
}

/** The largest complete periods in these gaps, and the gaps that remain. */
export async function coverGaps(
  db: Db,
  gaps: readonly Interval[],
  units: readonly PeriodUnit[],
): Promise<Cover> {
  const cache = cacheOf(db)
  let cover: Cover = { periods: [], gaps: [...gaps] }
  for (const [search] of searchesFor(units)) {
    if (cover.gaps.length === 0) break
    await loadPeriodsOf(db, cache, search, cover.gaps)
    cover = cache.apply(search, cover, units)
  }
  return cover
}

/** Finds the largest complete periods for a window. */
export async function coverWindow(
  db: Db,
  scope: StatsScope,
  window: Window,
  maxUnit: MaxUnit = 'quarter',
): Promise<Cover> {
  const hours = hoursOfScope(scope, window)
  return clipTo(window, hours, await coverGaps(db, hours, unitsUpTo(maxUnit)))
}

/** The intervals that `coverWindow` covers. */
export function hoursOfScope(scope: StatsScope, window: Window): Interval[] {
  return nearestHours(scope === 'instance' ? [INSTANCE] : scope, window)
}

async function loadPeriodsOf(
  db: Db,
  cache: PeriodCache,
  search: number,
  gaps: readonly Interval[],
): Promise<void> {
  await loadPeriods(
    db,
    cache,
    UNIT_GROUPS.map((_, other) => (other === search ? gaps : [])),
  )
}

/**
 * Reads periods that have not been searched for; `gaps` has the gaps of each search. Also reads the
 * open hours of new links.
 */
async function loadPeriods(
  db: Db,
  cache: PeriodCache,
  gaps: readonly (readonly Interval[])[],
): Promise<void> {
  const missing = gaps.map((some, search) => cache.findUnsearched(search, some))
  const linkIds = new Set(missing.flat().map((gap) => gap.link_id))
  const newIds = [...linkIds].filter((id) => !cache.openHours.has(id))
  const parts = missing.flatMap((some, search) =>
    some.length === 0
      ? []
      : [
          sql`select ${columns} from ${numberRows(db.dialect, ['link_id', 'low', 'high'], some)} as gap
            cross join click_period as period
            where period.link_id = gap.link_id and ${inList(db.dialect, 'period.unit', UNIT_GROUPS[search] ?? [])}
              and period.start >= gap.low and period.start < gap.high`,
        ],
  )
  if (newIds.length > 0) parts.push(selectOpenHours(db, newIds), selectForgottenUntil(db, newIds))
  if (parts.length === 0) return
  const { rows } = await sql<
    Omit<ClickPeriodTable, 'unit'> & { unit: PeriodUnit | 'open' | 'forgotten' }
  >`${sql.join(parts, sql` union all `)}`.execute(db.read)
  const periods: StoredPeriod[] = []
  for (const id of newIds) {
    cache.openHours.set(id, [])
    cache.forgottenUntil.set(id, 0)
  }
  for (const { unit, ...row } of rows)
    if (unit === 'open') cache.openHours.get(row.link_id)?.push(row.start)
    else if (unit === 'forgotten') cache.forgottenUntil.set(row.link_id, row.start + HOUR)
    else periods.push({ ...row, unit })
  for (const [search, some] of missing.entries())
    cache.add(
      search,
      some,
      periods.filter(({ unit }) => UNIT_GROUPS[search]?.includes(unit)),
    )
}

/** Open hours, as rows with the columns of periods. */
function selectOpenHours({ dialect }: Db, linkIds: readonly number[]) {
  const isInstance = linkIds[0] === INSTANCE
  return sql`select distinct ${isInstance ? sql.lit(INSTANCE) : sql.ref('link_id')}, 'open', hour, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from click_hour_open where ${isInstance ? sql`1 = 1` : inList(dialect, 'link_id', linkIds)}`
}

/** The last hours of forgotten clicks, as rows with the columns of periods. */
function selectForgottenUntil({ dialect }: Db, linkIds: readonly number[]) {
  const rows = linkIds.map((link_id) => ({ link_id }))
  const last =
    linkIds[0] === INSTANCE
      ? sql`select max(hour) from click_forgotten`
      : sql`select max(hour) from click_forgotten as part where part.link_id = input.link_id`
  return sql`select link_id, 'forgotten', hour, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from (select link_id, (${last}) as hour from ${numberRows(dialect, ['link_id'], rows)} as input) as ends
    where hour is not null`
}

/** Whether there may be forgotten clicks in this gap. */
export function mayHaveForgottenClicks(db: Db, { link_id, low }: Interval): boolean {
  return low < (cacheOf(db).forgottenUntil.get(link_id) ?? Infinity)
}
