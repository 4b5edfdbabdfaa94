import { sql } from 'kysely'
import { numberRows } from '../db/rows.ts'
import type { Db } from '../db/tables.ts'
import { type BucketUnit, bucketEnd, bucketOf } from '../time/sparkline.ts'
import { DAY, type Window } from '../time/window.ts'

/** Links created in each bucket of the sparkline. */
export async function countLinksByBucket(
  db: Db,
  { from, to }: Window,
  unit: BucketUnit,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ at: number | null }>`select min(created_at) as at from link
    where created_at >= ${from}`.execute(db.read)
  const intervals: BucketInterval[] = []
  for (let low = rows[0]?.at ?? Infinity; low <= to;) {
    const end = bucketEnd(unit, low)
    intervals.push({ n: bucketOf(unit, low), low, high: Math.min(end, to + 1) })
    low = end
  }
  return countCreatedLinks(db, intervals)
}

export async function countLinksIn(db: Db, { from, to }: Window): Promise<number> {
  return (await countCreatedLinks(db, [{ n: 0, low: from, high: to + 1 }])).get(0) ?? 0
}

/** The interval `[low, high)` of bucket `n`. */
interface BucketInterval {
  n: number
  low: number
  high: number
}

/**
 * Counts the links created in each interval. Whole days have stored counts; an index counts the
 * rest.
 */
async function countCreatedLinks(
  { read, dialect }: Db,
  intervals: readonly BucketInterval[],
): Promise<Map<number, number>> {
  const days: BucketInterval[] = []
  const rest: BucketInterval[] = []
  for (const { n, low, high } of intervals) {
    const first = Math.ceil(low / DAY) * DAY
    const end = Math.floor(high / DAY) * DAY
    if (first < end) {
      days.push({ n, low: first, high: end })
      rest.push({ n, low, high: first }, { n, low: end, high })
    } else rest.push({ n, low, high })
  }
  const { rows } = await sql<{ n: number; links: number | null }>`
    select n, sum(links) as links from (
      select n, (select sum(links) from link_day where start >= low and start < high) as links
      from ${numberRows(dialect, ['n', 'low', 'high'], days)} as span
      union all
      select n, (select count(*) from link where created_at >= low and created_at < high) as links
      from ${numberRows(dialect, ['n', 'low', 'high'], rest)} as span
    ) as created group by n`.execute(read)
  return new Map(rows.map(({ n, links }) => [n, links ?? 0]))
}

export async function findNewestLinkIds({ read }: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from link
    order by created_at desc, id desc limit ${limit}`.execute(read)
  return rows.map(({ id }) => id)
}
