import type { Database } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { countedOf, countedSum, isCounted } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import { isSnapshot } from '../db/snapshot.ts'
import type { ClickCounts, Tables } from '../db/tables.ts'
import { type Cover, type Found, type Period, endOf } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type LinkClicks, LinkTally } from './link-tally.ts'
import { type BucketUnit, beginningOf, bucketOf } from './sparkline.ts'
import { type Largest, coverOf } from './periods.ts'
import { RememberedTallies } from './remembered-tallies.ts'
import { countSums, forgottenIn, gapRows, periodRows, unitNumber } from './store.ts'
import { distinctColumn } from './visitors.ts'
import { DAY, HOUR, type Window } from './window.ts'

type Db = Database<Tables>

/** Stands for the whole window where its clicks are not told apart by bucket. */
const WHOLE = 0

/** The clicks of every link in a cover of the instance, by bucket of a sparkline or all in one. */
async function linkTallies(
  db: Db,
  { periods, gaps }: Cover,
  unit: BucketUnit | undefined,
): Promise<Map<number, LinkTally>> {
  const tallies = await periodTallies(db, periods, unit)
  if (gaps.length === 0) return tallies
  const tallyOf = (bucket: number) => {
    const known = tallies.get(bucket) ?? new LinkTally()
    tallies.set(bucket, known)
    return known
  }
  const bucket = (column: string) => (unit ? bucketSql(db.dialect, unit, sql.ref(column)) : sql.lit(WHOLE))
  // Every click has a link mode: what is forgotten of those is together all forgotten clicks.
  const { rows } = await sql<ClickCounts & { bucket: number; link_id: number }>`
    select bucket, link_id, ${countSums()} from (
      select ${bucket('clicked_at')} as bucket, click.link_id, sign as clicks, sign * is_bot as bots,
        sign * is_self_referrer as self_referrers, sign * is_bot * is_self_referrer as bot_self_referrers
      from ${gapRows(db.dialect, gaps)} as gap cross join ${clicksByTime(db)} where clicked_at >= low and clicked_at < high
      union all
      select ${bucket('hour')}, part.link_id, clicks, bots, self_referrers, bot_self_referrers
      from ${gapRows(db.dialect, forgottenIn(gaps))} as gap
      cross join click_forgotten as part where hour >= low and hour < high and dimension = 'link_mode'
    ) as part group by 1, 2`.execute(db.read)
  for (const { bucket: number, link_id, ...counts } of rows) tallyOf(number).add(link_id, counts)
  return tallies
}

const remembered = new RememberedTallies<LinkTally>()
/** What is remembered of periods: there is nothing else. */
const LINKS = ['links']

/** What complete periods add up to. */
async function periodTallies(
  db: Db,
  periods: readonly Found[],
  unit: BucketUnit | undefined,
): Promise<Map<number, LinkTally>> {
  const periodsOf = Map.groupBy(periods, ({ start }) => (unit ? bucketOf(unit, start) : WHOLE))
  const tallies = new Map<number, LinkTally>()
  for (const [bucket, own] of periodsOf) {
    // Only in a snapshot are a period's links those of its stamp.
    const known = isSnapshot(db) ? remembered.get(own, LINKS) : undefined
    const tally = known ?? new LinkTally()
    tallies.set(bucket, tally)
    if (known) continue
    for (const links of await packedLinks(db, own)) tally.addPacked(links)
    if (isSnapshot(db)) remembered.add(own, LINKS, tally)
  }
  return tallies
}

/**
 * The index by link covers what is asked, so that SQLite would look through the links one after the other in a database that somebody has
 * analysed: half a second with fifty million clicks, instead of four milliseconds.
 */
function clicksByTime({ dialect }: Db): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`click indexed by click_by_time` : sql`click`
}

async function packedLinks({ read, dialect }: Db, periods: readonly Period[]): Promise<Uint8Array[]> {
  const { rows } = await sql<{
    links: Uint8Array
  }>`select part.links from ${periodRows(dialect, periods)} as chosen
    cross join click_link as part where part.unit = ${unitNumber} and part.start = chosen.start`.execute(read)
  return rows.map(({ links }) => links)
}

/** The clicks of every link in a window, from nothing larger than `largest`. */
export async function countsByLink(db: Db, window: Window, largest?: Largest): Promise<LinkTally> {
  const tallies = await linkTallies(db, await coverOf(db, 'instance', window, largest), undefined)
  return tallies.get(WHOLE) ?? new LinkTally()
}

/** The clicks of every link that was clicked in a window, the most first. */
export async function clicksByLink(db: Db, window: Window, filters: ViewerFilters): Promise<LinkClicks[]> {
  const tally = await countsByLink(db, window)
  return tally.counted(filters).toSorted((a, b) => b.clicks - a.clicks)
}

/** Clicked links of the whole instance in a window: how many, their clicks, and those with the most, then by id. */
export async function clickedLinks(
  db: Db,
  window: Window,
  filters: ViewerFilters,
  limit: number,
): Promise<{ top: LinkClicks[]; links: number; clicks: number }> {
  const tally = await countsByLink(db, window)
  let [all, links] = [0, 0]
  const top: LinkClicks[] = []
  tally.eachCounted(filters, (link_id, clicks) => {
    all += clicks
    links++
    if (top.length === limit && (top[limit - 1]?.clicks ?? 0) >= clicks) return
    // They come by id, so a later one stands behind all that have as many clicks.
    const place = top.findIndex((other) => other.clicks < clicks)
    top.splice(place === -1 ? top.length : place, 0, { link_id, clicks })
    if (top.length > limit) top.pop()
  })
  return { top, links, clicks: all }
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
  // What a bucket is made of in parts is added up by link first: a link may be in several of them.
  const whole = cover.periods.filter((period) => period.unit === unit && isInside(period, window))
  const parts = { ...cover, periods: cover.periods.filter((period) => !whole.includes(period)) }
  const distinct = distinctColumn(filters)
  const buckets = new Map(
    whole.map((period) => [
      bucketOf(unit, period.start),
      { clicks: countedOf(period, filters), links: period[distinct] },
    ]),
  )
  for (const [bucket, tally] of await linkTallies(db, parts, unit)) {
    const found = { clicks: 0, links: 0 }
    tally.eachCounted(filters, (_link, clicks) => {
      found.clicks += clicks
      found.links++
    })
    buckets.set(bucket, found)
  }
  return buckets
}

function isInside({ unit, start }: Period, { from, to }: Window): boolean {
  return start >= from && endOf(unit, start) <= to + 1
}

/** Links created in each bucket of the sparkline. */
export async function linksByBucket(
  db: Db,
  { from, to }: Window,
  unit: BucketUnit,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ at: number | null }>`select min(created_at) as at from link
    where created_at >= ${from}`.execute(db.read)
  const spans: Span[] = []
  for (let low = rows[0]?.at ?? Infinity; low <= to;) {
    const end = endOf(unit, beginningOf(unit, low))
    spans.push({ n: bucketOf(unit, low), low, high: Math.min(end, to + 1) })
    low = end
  }
  return createdIn(db, spans)
}

export async function countLinksIn(db: Db, { from, to }: Window): Promise<number> {
  return (await createdIn(db, [{ n: WHOLE, low: from, high: to + 1 }])).get(WHOLE) ?? 0
}

/** `[low, high)`, whose links are counted for `n`. */
interface Span {
  n: number
  low: number
  high: number
}

/** How many links were created in each of these: whole days have their numbers, the rest is counted in an index. */
async function createdIn({ read, dialect }: Db, spans: readonly Span[]): Promise<Map<number, number>> {
  const days: Span[] = []
  const rest: Span[] = []
  for (const { n, low, high } of spans) {
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
