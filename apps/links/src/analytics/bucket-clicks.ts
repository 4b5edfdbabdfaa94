import { sql } from 'kysely'
import { countedSum, isCounted } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import type { Cover } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import type { Edge, Segments } from './segments.ts'
import { type Db, filled, unitsUpTo } from './store.ts'
import { HOUR, hourOf } from './window.ts'

/** Clicks that count for a bucket, or a place in a list. */
interface Counted {
  n: number
  clicks: number | null
}

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
  const whole = linkIds.flatMap((link_id) =>
    hours.map(({ n, low, high }) => ({ link_id, low, high: hourOf(high + HOUR - 1), sign: 1 as const, n })),
  )
  const cover = await filled(db, { periods: [], gaps: whole }, unitsUpTo('quarter'))
  const length = 1 + hours.reduce((last, { n }) => Math.max(last, n), -1)
  const counts = Array.from({ length }, () => 0)
  for (const { n, clicks } of await inHours(db, cover, filters)) counts[n] = (counts[n] ?? 0) + (clicks ?? 0)
  for (const { n, clicks } of await atEdges(db, linkIds, edges, filters))
    counts[n] = (counts[n] ?? 0) + (clicks ?? 0)
  return counts
}

/** Each gap is a walk along an index by itself; joined with the hours, they might be sorted or hashed first. */
async function inHours({ read, dialect }: Db, cover: Cover, filters: ViewerFilters): Promise<Counted[]> {
  const periods = cover.periods.map(({ n = 0, ...period }) => ({ ...period, n }))
  const gaps = cover.gaps.map(({ n = 0, ...gap }) => ({ ...gap, n }))
  const inTable = (table: string) => sql`select n, (
      select sum(${countedSum(filters)}) from ${sql.table(table)} as hours
      where hours.link_id = gap.link_id and hour >= gap.low and hour < gap.high
    ) as clicks from ${numberRows(dialect, ['n', 'link_id', 'low', 'high'], gaps)} as gap`
  const parts = [...Map.groupBy(periods, ({ unit }) => unit)].map(
    ([unit, some]) => sql`select n, ${countedSum(filters)} as clicks
      from ${numberRows(dialect, ['n', 'link_id', 'start'], some)} as chosen cross join click_period as part
      where part.link_id = chosen.link_id and part.unit = ${sql.lit(unit)} and part.start = chosen.start`,
  )
  if (gaps.length > 0) parts.push(inTable('click_hour_closed'), inTable('click_hour_open'))
  if (parts.length === 0) return []
  const { rows } = await sql<Counted>`select n, sum(clicks) as clicks
    from (${sql.join(parts, sql` union all `)}) as part group by n`.execute(read)
  return rows
}

/** Each raw click is read once, though it may be taken out of one bucket and added to the next. */
async function atEdges(
  { read, dialect }: Db,
  linkIds: readonly number[],
  edges: readonly Edge[],
  filters: ViewerFilters,
): Promise<Counted[]> {
  if (edges.length === 0) return []
  const shared = [...Map.groupBy(edges, ({ low, high }) => `${low} ${high}`).values()]
  const spans = shared.flatMap(([edge], place) =>
    edge ? linkIds.map((link_id) => ({ place, link_id, low: edge.low, high: edge.high })) : [],
  )
  const { rows } = await sql<{ place: number; clicks: number }>`select place, (
      select count(*) from click where click.link_id = span.link_id
        and clicked_at >= span.low and clicked_at < span.high and ${isCounted(filters)}
    ) as clicks from ${numberRows(dialect, ['place', 'link_id', 'low', 'high'], spans)} as span`.execute(read)
  return rows.flatMap(({ place, clicks }) =>
    (shared[place] ?? []).map(({ n, sign }) => ({ n, clicks: sign * clicks })),
  )
}
