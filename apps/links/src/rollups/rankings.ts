import type { Db } from '../db/tables.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { type StatsScope, coverWindow, hoursOfScope, prefetch, unitsUpTo } from './period-store.ts'
import type { NameCount } from '../api/fields.ts'
import { loadNames, readTallies, readTally } from './tally-store.ts'
import type { RollupColumn, Tally } from './tally.ts'
import type { Window } from '../time/window.ts'

/** The top values that pass the filters, and the number of all such values. */
export interface Ranking {
  items: NameCount[]
  total: number
  /** Clicks of all values. Clicks without a value are the rest. */
  clicks: number
}

/**
 * The values of these columns with the most clicks of a scope in a window, ties by name. Values
 * without clicks that pass the filters are left out. Run it in a `snapshot`.
 */
export async function readRankings<Column extends RollupColumn>(
  db: Db,
  scope: StatsScope,
  { window, limits }: { window: Window; limits: Readonly<Record<Column, number>> },
  filters: ViewerFilters,
): Promise<Record<Column, Ranking>> {
  await prefetch(db, [{ intervals: hoursOfScope(scope, window), units: unitsUpTo('quarter') }])
  const tally = await readTally(db, scope, window, { columns: Object.keys(limits) as Column[] })
  return rankTally(db, tally, filters, limits)
}

/**
 * The rankings of each of these links, in the order of the links. A thousand links take as many
 * statements as one.
 */
export async function readRankingsPerLink<Column extends RollupColumn>(
  db: Db,
  linkIds: readonly number[],
  { window, limits }: { window: Window; limits: Readonly<Record<Column, number>> },
  filters: ViewerFilters,
): Promise<Record<Column, Ranking>[]> {
  const { periods, gaps } = await coverWindow(db, linkIds, window)
  const periodsByLink = Map.groupBy(periods, ({ link_id }) => link_id)
  const gapsByLink = Map.groupBy(gaps, ({ link_id }) => link_id)
  const columns = Object.keys(limits) as Column[]
  const requests = linkIds.map((id) => ({
    cover: { periods: periodsByLink.get(id) ?? [], gaps: gapsByLink.get(id) ?? [] },
    columns,
  }))
  return rankTallies(db, await readTallies(db, linkIds, requests), filters, limits)
}

/** The rankings of these columns in a tally. */
export async function rankTally<Column extends RollupColumn>(
  db: Db,
  tally: Tally,
  filters: ViewerFilters,
  limits: Readonly<Record<Column, number>>,
): Promise<Record<Column, Ranking>> {
  const [ranking] = await rankTallies(db, [tally], filters, limits)
  return ranking as Record<Column, Ranking>
}

/** The rankings of several tallies. Their names are read together. */
async function rankTallies<Column extends RollupColumn>(
  db: Db,
  tallies: readonly Tally[],
  filters: ViewerFilters,
  limits: Readonly<Record<Column, number>>,
): Promise<Record<Column, Ranking>[]> {
  const lists = tallies.map((tally) =>
    (Object.entries(limits) as [Column, number][]).map(([column, limit]) => {
      const values = tally.valuesOf(column)
      return { column, limit, values, ...values.top(filters, limit) }
    }),
  )
  await loadNames(
    db,
    lists.flatMap((columns) => columns.flatMap(({ values, entries }) => values.sourcesToLoad(entries))),
  )
  return lists.map(
    (columns) =>
      Object.fromEntries(
        columns.map(({ column, limit, values, entries, total, clicks }) => {
          const items = entries
            .map((entry) => ({ name: values.nameOf(entry), count: values.filteredCount(entry, filters) }))
            .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
          return [column, { items: items.slice(0, limit), total, clicks }]
        }),
      ) as Record<Column, Ranking>,
  )
}
