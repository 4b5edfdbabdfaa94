import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import { countedOf, countedSum, isCounted } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import { type Cover, type Gap, edgesOf, firstFrom, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Db, type Wish, filled, unitsUpTo } from './periods.ts'
import type { Edge, Segments } from './segments.ts'
import { HOUR, type Window, hourOf } from './window.ts'

/** Which periods the whole hours of these buckets take. */
export function bucketWish(linkIds: readonly number[], { hours, byHour }: Segments): Wish {
  if (byHour) return { gaps: [], units: [] }
  const gaps = linkIds.flatMap((link_id) =>
    hours.map(({ n, low, high }) => ({ link_id, low, high: hourOf(high + HOUR - 1), sign: 1 as const, n })),
  )
  return { gaps, units: unitsUpTo('quarter') }
}

/** Counts that are known from complete periods, and what has still to be counted for them. */
interface Plan {
  /** Their `n` is the place of a count. */
  gaps: readonly Gap[]
  /** Raw clicks, each read once; `edges[n]` says for which counts, and whether they are added or taken out. */
  spans: readonly Span[]
  edges: readonly (readonly Pick<Edge, 'n' | 'sign'>[])[]
  counts: number[]
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
  if (segments.byHour) return clicksByHour(db, linkIds, segments, filters)
  const plan = await bucketPlan(db, linkIds, segments, filters)
  await carryOut(db, [plan], filters)
  return plan.counts
}

/** Clicks of each of these links in a window, in their order. Within a `snapshot`. */
export async function clicksOfEach(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  filters: ViewerFilters,
): Promise<number[]> {
  const plan = await windowPlan(db, linkIds, window, filters)
  await carryOut(db, [plan], filters)
  return plan.counts
}

/** Both, read together: `clicksOfEach` of the window, if there is one, and `clicksInBuckets` of the segments. */
export async function clicksOfBoth(
  db: Db,
  linkIds: readonly number[],
  { window, segments }: { window: Window | undefined; segments: Segments },
  filters: ViewerFilters,
): Promise<{ each: number[] | undefined; buckets: number[] }> {
  const each = window && (await windowPlan(db, linkIds, window, filters))
  const buckets = segments.byHour ? undefined : await bucketPlan(db, linkIds, segments, filters)
  await carryOut(db, [...(each ? [each] : []), ...(buckets ? [buckets] : [])], filters)
  return {
    each: each?.counts,
    buckets: buckets?.counts ?? (await clicksByHour(db, linkIds, segments, filters)),
  }
}

/** The buckets of so few links are soon found, and far fewer than their hours where clicks are dense. */
export const FEW_LINKS = 10

/** One bucket of one link took 6 µs and one clicked hour 0.4; less than that, since sums by period make buckets cheaper. */
const HOURS_FOR_A_BUCKET = 4

/** These segments, and whether to count them by the hour. */
export async function cheapest(db: Db, linkIds: readonly number[], segments: Segments): Promise<Segments> {
  if (linkIds.length <= FEW_LINKS) return segments
  const { hours } = segments
  const many = HOURS_FOR_A_BUCKET * hours.length * linkIds.length
  const inTable = (table: string) =>
    sql`select 1 from ${sql.table(table)} where ${isInHours(db, linkIds, hours)}`
  const { rows } = await sql<{ count: number }>`select count(*) as count
    from (${inTable('click_hour_closed')} union all ${inTable('click_hour_open')} limit ${many}) as part`.execute(
    db.read,
  )
  return { ...segments, byHour: (rows[0]?.count ?? 0) < many }
}

function isInHours({ dialect }: Db, linkIds: readonly number[], hours: Segments['hours']) {
  const [low, high] = [
    Math.min(...hours.map((span) => span.low)),
    Math.max(...hours.map((span) => span.high)),
  ]
  return sql`${inList(dialect, 'link_id', linkIds)} and hour >= ${low} and hour < ${high}`
}

/**
 * The same as `clicksInBuckets`, by the clicked hours of all links together. Links that are quiet for most of the time have
 * few of them, however many links and buckets there are.
 */
export async function clicksByHour(
  db: Db,
  linkIds: readonly number[],
  segments: Segments,
  filters: ViewerFilters,
): Promise<number[]> {
  const { hours } = segments
  const edges = readOnce(segments.edges)
  const cutHours = Map.groupBy(edges.entries(), ([, [{ low }]]) => hourOf(low))
  const inTable = (table: string) => sql`
    select hour, link_id, ${countedSum(filters)} as clicks from ${sql.table(table)}
    where ${isInHours(db, linkIds, hours)}`
  // Of an hour that is cut, raw clicks are read of those links alone that have any.
  const { rows } = await sql<{ start: number; cut_link: number | null; clicks: number }>`
    select hour as start, case when ${inList(db.dialect, 'hour', [...cutHours.keys()])} then link_id end as cut_link,
      sum(clicks) as clicks
    from (${inTable('click_hour_closed')} union all ${inTable('click_hour_open')}) as part
    group by 1, 2 order by hour`.execute(db.read)
  const spans: Span[] = []
  const upTo = [0]
  for (const { start, cut_link, clicks } of rows) {
    upTo.push((upTo.at(-1) ?? 0) + clicks)
    if (cut_link !== null)
      for (const [n, [{ low, high }]] of cutHours.get(start) ?? [])
        spans.push({ n, link_id: cut_link, low, high })
  }
  const before = (moment: number) => upTo[firstFrom(rows, moment)] ?? 0
  const counts = hours.map(({ low, high }) => before(high) - before(low))
  await carryOut(db, [{ gaps: [], spans, edges, counts }], filters)
  return counts
}

async function bucketPlan(
  db: Db,
  linkIds: readonly number[],
  segments: Segments,
  filters: ViewerFilters,
): Promise<Plan> {
  const { gaps: whole, units } = bucketWish(linkIds, segments)
  const { periods, gaps } = await filled(db, whole, units)
  const length = 1 + segments.hours.reduce((last, { n }) => Math.max(last, n), -1)
  const edges = readOnce(segments.edges)
  const spans = edges.flatMap(([{ low, high }], n) => linkIds.map((link_id) => ({ n, link_id, low, high })))
  return { gaps, spans, edges, counts: countsOf(length, periods, filters) }
}

/** Each raw click is read once, though it may be taken out of one bucket and added to the next. */
function readOnce(edges: readonly Edge[]): [Edge, ...Edge[]][] {
  return [...Map.groupBy(edges, ({ low, high }) => `${low} ${high}`).values()] as [Edge, ...Edge[]][]
}

async function windowPlan(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  filters: ViewerFilters,
): Promise<Plan> {
  const whole = wholeHours(linkIds, window).map((gap, n) => ({ ...gap, n }))
  const { periods, gaps } = await filled(db, whole, unitsUpTo('quarter'))
  const outside = edgesOf(window)
  const spans = outside.flatMap(({ low, high }) => linkIds.map((link_id, n) => ({ n, link_id, low, high })))
  const edges = linkIds.map((_, n) => [{ n, sign: -1 as const }])
  return { gaps, spans, edges, counts: countsOf(linkIds.length, periods, filters) }
}

/** What the periods of a cover hold, by their `n`. */
function countsOf(length: number, periods: Cover['periods'], filters: ViewerFilters): number[] {
  const counts = Array.from({ length }, () => 0)
  for (const { n = 0, ...period } of periods) counts[n] = (counts[n] ?? 0) + countedOf(period, filters)
  return counts
}

/** Adds what the plans leave to be counted, by one statement. */
async function carryOut(db: Db, plans: readonly Plan[], filters: ViewerFilters): Promise<void> {
  const gaps = plans.flatMap((plan, place) => plan.gaps.map((gap) => ({ ...gap, place })))
  const spans = plans.flatMap((plan, place) => plan.spans.map((span) => ({ ...span, place })))
  for (const { is_edge, place, n, clicks } of await counted(db, { gaps, spans }, filters)) {
    const plan = plans[place]
    if (!plan) continue
    const wanted = is_edge === 0 ? [{ n, sign: 1 }] : (plan.edges[n] ?? [])
    for (const edge of wanted) plan.counts[edge.n] = (plan.counts[edge.n] ?? 0) + edge.sign * (clicks ?? 0)
  }
}

/** Clicks of the hours in a gap, or of those at an edge, by the place of their plan. */
interface Counted {
  is_edge: 0 | 1
  place: number
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

type Placed<Part> = Part & { place: number }

/** Each is a walk along an index by itself; joined with what it walks along, they might be sorted or hashed first. */
async function counted(
  { read, dialect }: Db,
  { gaps, spans }: { gaps: readonly Placed<Gap>[]; spans: readonly Placed<Span>[] },
  filters: ViewerFilters,
): Promise<Counted[]> {
  const hours = gaps.map(({ n = 0, ...gap }) => ({ ...gap, n }))
  const inTable = (table: string) => sql`coalesce((
      select sum(${countedSum(filters)}) from ${sql.table(table)} as hours
      where hours.link_id = gap.link_id and hour >= gap.low and hour < gap.high
    ), 0)`
  const parts = []
  if (hours.length > 0)
    parts.push(sql`select 0 as is_edge, place, n, ${inTable('click_hour_closed')} + ${inTable('click_hour_open')} as clicks
      from ${numberRows(dialect, ['place', 'n', 'link_id', 'low', 'high'], hours)} as gap`)
  if (spans.length > 0)
    parts.push(sql`select 1 as is_edge, place, n, (
        select count(*) from click where click.link_id = span.link_id
          and clicked_at >= span.low and clicked_at < span.high and ${isCounted(filters)}
      ) as clicks from ${numberRows(dialect, ['place', 'n', 'link_id', 'low', 'high'], spans)} as span`)
  if (parts.length === 0) return []
  const { rows } = await sql<Counted>`${sql.join(parts, sql` union all `)}`.execute(read)
  return rows
}
