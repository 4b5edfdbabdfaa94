import type { ViewerFilters } from '../filters.ts'
import type { Db } from './period-store.ts'
import type { NameCount } from '../schema.ts'
import { loadNames } from './tally-store.ts'
import type { RollupColumn, Tally } from './tally.ts'

/** The first of the values that a viewer counts, and how many there are. */
export interface Ranking {
  items: NameCount[]
  total: number
}

/** The values of columns with the most clicks, then by name; those without a click that counts are left out. */
export async function readRankings<Column extends RollupColumn>(
  db: Db,
  tally: Tally,
  filters: ViewerFilters,
  limits: Readonly<Record<Column, number>>,
): Promise<Record<Column, Ranking>> {
  const [ranking] = await readRankingsOfEach(db, [tally], filters, limits)
  return ranking as Record<Column, Ranking>
}

/** The same of several tallies, whose names are read together. */
export async function readRankingsOfEach<Column extends RollupColumn>(
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
        columns.map(({ column, limit, values, entries, total }) => {
          const items = entries
            .map((entry) => ({ name: values.nameOf(entry), count: values.filteredCount(entry, filters) }))
            .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
          return [column, { items: items.slice(0, limit), total }]
        }),
      ) as Record<Column, Ranking>,
  )
}
