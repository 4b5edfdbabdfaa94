import { sql } from 'kysely'
import { countedOf, countedSum, isCounted } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import { type Gap, edgesOf, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Db, type Wish, filled, unitsUpTo } from './periods.ts'
import type { Segments } from './segments.ts'
import { HOUR, type Window, hourOf } from './window.ts'

/** Which periods the whole hours of these buckets take. */
export function bucketWish(linkIds: readonly number[], { hours }: Segments): Wish {
  const gaps = linkIds.flatMap((link_id) =>
    hours.map(({ n, low, high }) => ({ link_id, low, high: hourOf(high + HOUR - 1), sign: 1 as const, n })),
  )
  return { gaps, units: unitsUpTo('quarter') }
}

/**
 * Clicks of these links together in each bucket; `result[n]` is that of bucket `n`. Whole hours come from the largest
 * complete periods and else by the hour, what begins or ends inside an hour from raw clicks. Within a `snapshot`.
 */
export async function clicksInBuckets(
  db: Db,
  linkIds: readonly number[],
  segments: Segments,
  filters: ViewerFilters,
): Promise<number[]> {
  const { gaps: whole, units } = bucketWish(linkIds, segments)
  const { periods, gaps } = await filled(db, whole, units)
  const length = 1 + segments.hours.reduce((last, { n }) => Math.max(last, n), -1)
  const counts = Array.from({ length }, () => 0)
  const add = (n: number, clicks: number) => void (counts[n] = (counts[n] ?? 0) + clicks)
  for (const { n = 0, ...period } of periods) add(n, countedOf(period, filters))
  // Each raw click is read once, though it may be taken out of one bucket and added to the next.
  const edges = [...Map.groupBy(segments.edges, ({ low, high }) => `${low} ${high}`).values()]
  const spans = edges.flatMap(([edge], n) =>
    edge ? linkIds.map((link_id) => ({ n, link_id, low: edge.low, high: edge.high })) : [],
  )
  for (const { is_edge, n, clicks } of await counted(db, { gaps, spans }, filters))
    if (is_edge === 0) add(n, clicks ?? 0)
    else for (const edge of edges[n] ?? []) add(edge.n, edge.sign * (clicks ?? 0))
  return counts
}

/** Clicks of each of these links in a window, in their order. Within a `snapshot`. */
export async function clicksOfEach(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  filters: ViewerFilters,
): Promise<number[]> {
  const whole = wholeHours(linkIds, window).map((gap, n) => ({ ...gap, n }))
  const { periods, gaps } = await filled(db, whole, unitsUpTo('quarter'))
  const spans = edgesOf(window).flatMap((edge) => linkIds.map((link_id, n) => ({ ...edge, link_id, n })))
  const counts = linkIds.map(() => 0)
  const add = (n: number, clicks: number) => void (counts[n] = (counts[n] ?? 0) + clicks)
  for (const { n = 0, ...period } of periods) add(n, countedOf(period, filters))
  for (const { is_edge, n, clicks } of await counted(db, { gaps, spans }, filters))
    add(n, is_edge ? -(clicks ?? 0) : (clicks ?? 0))
  return counts
}

/** Clicks of the hours in a gap, or of those at an edge, by its place in the list. */
interface Counted {
  is_edge: 0 | 1
  n: number
  clicks: number | null
}

/** Raw clicks of a link in `[low, high)`. */
interface Span {
  n: number
  link_id: number
  low: number
  high: number
}

/** Each is a walk along an index by itself; joined with what it walks along, they might be sorted or hashed first. */
async function counted(
  { read, dialect }: Db,
  { gaps, spans }: { gaps: readonly Gap[]; spans: readonly Span[] },
  filters: ViewerFilters,
): Promise<Counted[]> {
  const hours = gaps.map(({ n = 0, ...gap }) => ({ ...gap, n }))
  const inTable = (table: string) => sql`coalesce((
      select sum(${countedSum(filters)}) from ${sql.table(table)} as hours
      where hours.link_id = gap.link_id and hour >= gap.low and hour < gap.high
    ), 0)`
  const parts = []
  if (hours.length > 0)
    parts.push(sql`select 0 as is_edge, n, ${inTable('click_hour_closed')} + ${inTable('click_hour_open')} as clicks
      from ${numberRows(dialect, ['n', 'link_id', 'low', 'high'], hours)} as gap`)
  if (spans.length > 0)
    parts.push(sql`select 1 as is_edge, n, (
        select count(*) from click where click.link_id = span.link_id
          and clicked_at >= span.low and clicked_at < span.high and ${isCounted(filters)}
      ) as clicks from ${numberRows(dialect, ['n', 'link_id', 'low', 'high'], spans)} as span`)
  if (parts.length === 0) return []
  const { rows } = await sql<Counted>`${sql.join(parts, sql` union all `)}`.execute(read)
  return rows
}
