import type { Database } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { countedSum, isCounted } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import type { ClickCounts, Tables } from '../db/tables.ts'
import { type Cover, type Period, endOf } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import type { BucketUnit } from './sparkline.ts'
import {
  INSTANCE,
  type Largest,
  countSums,
  coverOf,
  distinctColumn,
  forgottenIn,
  gapRows,
  ofPeriods,
} from './store.ts'
import { DAY, HOUR, type Window } from './window.ts'

type Db = Database<Tables>
type Fragment = RawBuilder<unknown>

/** `at, link_id` and four counts that add up to the clicks of every link, of the whole instance. */
function linkParts({ dialect }: Db, { periods, gaps }: Cover): Fragment {
  const counts = sql`clicks, bots, self_referrers, bot_self_referrers`
  const forgotten = forgottenIn(gaps)
  return sql.join(
    [
      ...ofPeriods(
        dialect,
        periods,
        (unit, rows) => sql`select part.start as at, part.link_id, ${counts} from ${rows} as chosen
          cross join click_link as part where part.unit = ${unit} and part.start = chosen.start`,
      ),
      sql`select clicked_at as at, click.link_id, sign as clicks, sign * is_bot as bots,
          sign * is_self_referrer as self_referrers, sign * is_bot * is_self_referrer as bot_self_referrers
        from ${gapRows(dialect, gaps)} as gap cross join click where clicked_at >= low and clicked_at < high`,
      // Every click has a link mode: together those are all clicks.
      sql`select hour as at, part.link_id, ${counts} from ${gapRows(dialect, forgotten)} as gap
        cross join click_forgotten as part where hour >= low and hour < high and dimension = 'link_mode'`,
    ],
    sql` union all `,
  )
}

/** `link_id, clicks` of every link clicked in the window. */
export async function clicksByLink(db: Db, window: Window, filters: ViewerFilters): Promise<Fragment> {
  const cover = await coverOf(db, 'instance', window)
  return sql`select link_id, sum(${countedSum(filters)}) as clicks from (${linkParts(db, cover)}) as part
    group by link_id having sum(${countedSum(filters)}) > 0`
}

/** The four counts of every link clicked in the window, from nothing larger than `largest`. */
export async function countsByLink(
  db: Db,
  window: Window,
  largest: Largest,
): Promise<(ClickCounts & { link_id: number })[]> {
  const cover = await coverOf(db, 'instance', window, largest)
  const { rows } = await sql<ClickCounts & { link_id: number }>`select link_id, ${countSums()}
    from (${linkParts(db, cover)}) as part group by link_id having sum(clicks) > 0`.execute(db.read)
  return rows
}

export interface LinkClicks {
  link_id: number
  clicks: number
}

/** Clicked links of the whole instance in a window: how many, their clicks, and those with the most, then by id. */
export async function clickedLinks(
  db: Db,
  window: Window,
  filters: ViewerFilters,
  limit: number,
): Promise<{ top: LinkClicks[]; links: number; clicks: number }> {
  const byLink = await clicksByLink(db, window, filters)
  const { rows } = await sql<LinkClicks & { links: number; total: number }>`
    select link_id, clicks, count(*) over () as links, sum(clicks) over () as total from (${byLink}) as ranked
    order by clicks desc, link_id limit ${limit}`.execute(db.read)
  const [first] = rows
  return {
    top: rows.map(({ link_id, clicks }) => ({ link_id, clicks })),
    links: first?.links ?? 0,
    clicks: first?.total ?? 0,
  }
}

/** When the first click that counts was made, on any link; undefined without any by `now`. */
export async function firstClickEver(
  { read }: Db,
  now: number,
  filters: ViewerFilters,
): Promise<number | undefined> {
  const { rows } = await sql<{ at: number }>`select at from (
      select * from (select clicked_at as at from click
        where clicked_at <= ${now} and ${isCounted(filters)} order by clicked_at limit 1) as kept
      union all select * from (select hour as at from click_forgotten
        where dimension = 'link_mode' and ${countedSum(filters)} > 0 order by hour limit 1) as forgotten
    ) as first order by at limit 1`.execute(read)
  return rows[0]?.at
}

/** What the buckets of a sparkline hold of the whole instance. */
export interface InstanceBucket {
  clicks: number
  links: number
}

/** Clicks and clicked links of the whole instance by bucket of the sparkline. */
export async function instanceBuckets(
  db: Db,
  window: Window,
  unit: BucketUnit,
  filters: ViewerFilters,
): Promise<Map<number, InstanceBucket>> {
  const cover = await coverOf(db, 'instance', window, unit)
  // What a bucket is made of in parts is grouped by link first: a link may be in several of them.
  const whole = cover.periods.filter((period) => period.unit === unit && isInside(period, window))
  const parts = { ...cover, periods: cover.periods.filter((period) => !whole.includes(period)) }
  const bucket = (column: string) => bucketSql(db.dialect, unit, sql.ref(column))
  const { rows } = await sql<InstanceBucket & { bucket: number }>`
    select bucket, sum(clicks) as clicks, count(*) as links from (
      select ${bucket('at')} as bucket, link_id, sum(${countedSum(filters)}) as clicks
      from (${linkParts(db, parts)}) as part group by 1, 2 having sum(${countedSum(filters)}) > 0
    ) as linked group by bucket
    union all select ${bucket('part.start')}, ${countedSum(filters)}, ${sql.ref(distinctColumn(filters))}
    from ${numberRows(db.dialect, ['start'], whole)} as chosen cross join click_period as part
    where part.link_id = ${sql.lit(INSTANCE)} and part.unit = ${sql.lit(unit)} and part.start = chosen.start`.execute(
    db.read,
  )
  return new Map(rows.map((row) => [row.bucket, row]))
}

function isInside({ unit, start }: Period, { from, to }: Window): boolean {
  return start >= from && endOf(unit, start) <= to + 1
}

/** Links created in each bucket of the sparkline. */
export async function linksByBucket(
  { read, dialect }: Db,
  { from, to }: Window,
  unit: BucketUnit,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ bucket: number; links: number }>`
    select ${bucketSql(dialect, unit, sql.ref('created_at'))} as bucket, count(*) as links from link
    where created_at >= ${from} and created_at <= ${to} group by 1`.execute(read)
  return new Map(rows.map(({ bucket, links }) => [bucket, links]))
}

export async function countLinksIn({ read }: Db, { from, to }: Window): Promise<number> {
  const { rows } = await sql<{ links: number }>`select count(*) as links from link
    where created_at >= ${from} and created_at <= ${to}`.execute(read)
  return rows[0]?.links ?? 0
}

export async function newestLinkIds({ read }: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from link
    order by created_at desc, id desc limit ${limit}`.execute(read)
  return rows.map(({ id }) => id)
}

/** `bucketOf` of the sparkline rules, in SQL. */
export function bucketSql(
  dialect: Db['dialect'],
  unit: BucketUnit,
  column: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (unit === 'hour') return sql`${column} / ${sql.lit(HOUR)}`
  if (unit === 'day') return sql`${column} / ${sql.lit(DAY)}`
  return dialect === 'sqlite'
    ? sql`cast(strftime('%Y%m', ${column}, 'unixepoch') as integer)`
    : sql`cast(to_char(to_timestamp(${column}) at time zone 'UTC', 'YYYYMM') as bigint)`
}
