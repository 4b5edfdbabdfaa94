import { type Database, among } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { isCounted } from '../clicks/store.ts'
import { eachRow } from '../db/stream.ts'
import type { Tables } from '../db/tables.ts'
import type { ViewerFilters } from './filters.ts'
import { type Dimension, Tally, type TalliedClick } from './tally.ts'
import { type BucketUnit, bucketOf } from './sparkline.ts'
import { DAY, HOUR, type Window } from './window.ts'

type Db = Database<Tables>

/** Whose clicks: those of some links, or all there are. */
export type Scope = readonly number[] | 'instance'

function inScope({ dialect }: Db, scope: Scope): RawBuilder<unknown> {
  return scope === 'instance' ? sql`1 = 1` : among(dialect, 'link_id', scope)
}

/** The clicks in a window by these dimensions. */
export async function tallied(
  db: Db,
  scope: Scope,
  { from, to }: Window,
  wanted: readonly Dimension[],
): Promise<Tally> {
  const tally = new Tally()
  const columns = sql.join([...wanted, 'is_bot', 'is_self_referrer'].map((column) => sql.ref(column)))
  const raw = sql<TalliedClick>`select ${columns} from click
    where ${inScope(db, scope)} and clicked_at >= ${from} and clicked_at <= ${to}`
  await eachRow(db, raw, (click) => tally.addClick(click, wanted))
  return tally
}

/** Distinct visitors of a window; each is one per UTC day. */
export async function uniqueVisitors(
  db: Db,
  linkIds: readonly number[],
  { from, to }: Window,
  filters: ViewerFilters,
): Promise<number> {
  const { rows } = await sql<{ visitors: number }>`select count(distinct visitor_fp) as visitors from click
    where ${inScope(db, linkIds)} and clicked_at >= ${from} and clicked_at <= ${to} and ${isCounted(filters)}`.execute(
    db.read,
  )
  return rows[0]?.visitors ?? 0
}

/** When the first click that counts was made, on any link; undefined without any by `now`. */
export async function firstClickEver(
  { read }: Db,
  now: number,
  filters: ViewerFilters,
): Promise<number | undefined> {
  const { rows } = await sql<{ clicked_at: number }>`select clicked_at from click
    where clicked_at <= ${now} and ${isCounted(filters)} order by clicked_at limit 1`.execute(read)
  return rows[0]?.clicked_at
}

/** What the buckets of a sparkline hold of the whole instance. */
export interface InstanceBucket {
  clicks: number
  links: number
}

/** Clicks and clicked links of the whole instance by bucket of the sparkline. */
export async function instanceBuckets(
  db: Db,
  { from, to }: Window,
  unit: BucketUnit,
  filters: ViewerFilters,
): Promise<Map<number, InstanceBucket>> {
  const found = new Map<number, { clicks: number; links: Set<number> }>()
  const raw = sql<{ clicked_at: number; link_id: number }>`select clicked_at, link_id from click
    where clicked_at >= ${from} and clicked_at <= ${to} and ${isCounted(filters)}`
  await eachRow(db, raw, (click) => {
    const number = bucketOf(unit, click.clicked_at)
    const bucket = found.get(number) ?? { clicks: 0, links: new Set() }
    found.set(number, bucket)
    bucket.clicks++
    bucket.links.add(click.link_id)
  })
  return new Map([...found].map(([number, { clicks, links }]) => [number, { clicks, links: links.size }]))
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
