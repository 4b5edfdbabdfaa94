import { type RawBuilder, sql } from 'kysely'
import { countedSum, isCounted } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import type { ViewerFilters } from './filters.ts'
import type { Segments } from './segments.ts'
import { type Db, filled, unitsUpTo } from './store.ts'
import { HOUR, hourOf } from './window.ts'

type Fragment = RawBuilder<unknown>

/**
 * Clicks of these links together in each bucket; `result[n]` is that of bucket `n`. Whole hours come from the largest
 * complete periods and else by the hour, what begins or ends inside an hour from raw clicks. Within a `snapshot`.
 */
export async function clicksInBuckets(
  db: Db,
  linkIds: readonly number[],
  { hours, edges }: Segments,
  filters: ViewerFilters,
): Promise<number[]> {
  const { dialect } = db
  const whole = linkIds.flatMap((link_id) =>
    hours.map(({ n, low, high }) => ({ link_id, low, high: hourOf(high + HOUR - 1), sign: 1 as const, n })),
  )
  const { periods, gaps } = await filled(db, { periods: [], gaps: whole }, unitsUpTo('quarter'))
  const inPeriods = [...Map.groupBy(periods, ({ unit }) => unit)].map(
    ([unit, some]) => sql`select n, ${countedSum(filters)} as clicks
      from ${numberRows(dialect, ['n', 'link_id', 'start'], some.map(numbered))} as chosen cross join click_period as part
      where part.link_id = chosen.link_id and part.unit = ${sql.lit(unit)} and part.start = chosen.start`,
  )
  const inHours = (table: string) => sql`select n, ${countedSum(filters)} as clicks
    from ${numberRows(dialect, ['n', 'link_id', 'low', 'high'], gaps.map(numbered))} as gap cross join ${sql.table(table)} as hours
    where hours.link_id = gap.link_id and hour >= low and hour < high`
  const parts = [...inPeriods, inHours('click_hour_closed'), inHours('click_hour_open'), atEdges()]
  const { rows } = await sql<{ n: number; clicks: number }>`
    select n, sum(clicks) as clicks from (${sql.join(parts, sql` union all `)}) as part group by n`.execute(
    db.read,
  )
  const length = 1 + hours.reduce((last, { n }) => Math.max(last, n), -1)
  const counts = Array.from({ length }, () => 0)
  for (const { n, clicks } of rows) counts[n] = clicks
  return counts

  /** Each raw click is read once, though it is taken out of one bucket and added to the next. */
  function atEdges(): Fragment {
    const distinct = new Map(edges.map(({ low, high }) => [`${low} ${high}`, { low, high }]))
    const spans = linkIds.flatMap((link_id) => [...distinct.values()].map((span) => ({ link_id, ...span })))
    return sql`select n, sign * clicks as clicks from (
        select low, high, count(*) as clicks from ${numberRows(dialect, ['link_id', 'low', 'high'], spans)} as span
        cross join click where click.link_id = span.link_id and clicked_at >= low and clicked_at < high
          and ${isCounted(filters)} group by low, high
      ) as counted join ${numberRows(dialect, ['n', 'low', 'high', 'sign'], edges)} as edge
      on edge.low = counted.low and edge.high = counted.high`
  }
}

function numbered<Part extends { n?: number | undefined }>(part: Part): Part & { n: number } {
  return { ...part, n: part.n ?? 0 }
}
