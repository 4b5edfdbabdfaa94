import type { ViewerFilters } from './filters.ts'
import type { Db } from './periods.ts'
import type { NameCount } from './schema.ts'
import { loadNames } from './store.ts'
import type { SumColumn, Tally } from './tally.ts'

/** The first of the values that a viewer counts, and how many there are. */
export interface Ranking {
  items: NameCount[]
  total: number
}

/** The values of columns with the most clicks, then by name; those without a click that counts are left out. */
export async function rankings<Column extends SumColumn>(
  db: Db,
  tally: Tally,
  filters: ViewerFilters,
  most: Readonly<Record<Column, number>>,
): Promise<Record<Column, Ranking>> {
  const [found] = await rankingsOfEach(db, [tally], filters, most)
  return found as Record<Column, Ranking>
}

/** The same of several tallies, whose names are read together. */
export async function rankingsOfEach<Column extends SumColumn>(
  db: Db,
  tallies: readonly Tally[],
  filters: ViewerFilters,
  most: Readonly<Record<Column, number>>,
): Promise<Record<Column, Ranking>[]> {
  const found = tallies.map((tally) =>
    (Object.entries(most) as [Column, number][]).map(([column, limit]) => {
      const values = tally.of(column)
      return { column, limit, values, ...values.best(filters, limit) }
    }),
  )
  await loadNames(
    db,
    found.flatMap((lists) => lists.flatMap(({ values, entries }) => values.unnamed(entries))),
  )
  return found.map(
    (lists) =>
      Object.fromEntries(
        lists.map(({ column, limit, values, entries, total }) => {
          const items = entries
            .map((entry) => ({ name: values.nameOf(entry), count: values.countedOf(entry, filters) }))
            .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
          return [column, { items: items.slice(0, limit), total }]
        }),
      ) as Record<Column, Ranking>,
  )
}
