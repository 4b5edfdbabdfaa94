import { type Database, among } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { countedSum, isCounted } from '../clicks/store.ts'
import { numberRows } from '../db/rows.ts'
import { eachRow } from '../db/stream.ts'
import type { ClickCounts, ClickPeriodTable, PeriodUnit, Tables } from '../db/tables.ts'
import { type Cover, type Gap, type Period, cutTo, endOf, fill, periodUnits, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import type { BucketUnit } from './sparkline.ts'
import { type Dimension, Tally, type TalliedClick } from './tally.ts'
import { DAY, HOUR, type Window, hourOf } from './window.ts'

type Db = Database<Tables>
type Fragment = RawBuilder<unknown>

/** Whose clicks: those of some links, or all there are. */
export type Scope = readonly number[] | 'instance'

/** Stands for the whole instance where sums are kept. */
export const INSTANCE = 0

/** How large the periods may be that a figure is made of. */
export type Largest = PeriodUnit | 'none'

/** Finds the largest complete periods for a window. */
export async function coverOf(
  db: Db,
  scope: Scope,
  window: Window,
  largest: Largest = 'month',
): Promise<Cover> {
  const linkIds = scope === 'instance' ? [INSTANCE] : scope
  const cover = await filled(db, wholeHours(linkIds, window), unitsUpTo(largest))
  return cutTo(window, cover)
}

function unitsUpTo(largest: Largest): PeriodUnit[] {
  return largest === 'none' ? [] : periodUnits.slice(periodUnits.indexOf(largest))
}

async function filled(db: Db, whole: Cover, units: readonly PeriodUnit[]): Promise<Cover> {
  let cover = whole
  const openHours = units.length === 0 ? new Map() : await hoursOpen(db, cover.gaps)
  for (const unit of units) {
    const found = await completePeriods(db, unit, cover.gaps)
    const isOver = ({ link_id, start }: Period) =>
      !openHours.get(link_id)?.some((hour: number) => hour >= start && hour < endOf(unit, start))
    cover = fill(cover, found.filter(isOver))
  }
  return cover
}

/** The hours of each link that still change: what sums say of them may be out of date. */
async function hoursOpen(
  { read, dialect }: Db,
  gaps: readonly Gap[],
): Promise<Map<number, readonly number[]>> {
  const ids = gaps.map((gap) => gap.link_id)
  const { rows } = await (
    ids[0] === INSTANCE
      ? sql<{
          link_id: number
          hour: number
        }>`select distinct ${sql.lit(INSTANCE)} as link_id, hour from click_hour_open`
      : sql<{ link_id: number; hour: number }>`select distinct link_id, hour from click_hour_open
        where ${among(dialect, 'link_id', ids)}`
  ).execute(read)
  return new Map(
    [...Map.groupBy(rows, (row) => row.link_id)].map(([id, hours]) => [id, hours.map(({ hour }) => hour)]),
  )
}

async function completePeriods(
  { read, dialect }: Db,
  unit: PeriodUnit,
  gaps: readonly Gap[],
): Promise<Period[]> {
  const { rows } = await sql<Period>`
    select period.link_id, period.unit, period.start from ${gapRows(dialect, gaps)} as gap
    cross join click_period as period
    where period.link_id = gap.link_id and period.unit = ${sql.lit(unit)}
      and period.start >= gap.low and period.start < gap.high
    order by period.link_id, period.start`.execute(read)
  return rows
}

function gapRows(dialect: Db['dialect'], gaps: readonly Gap[]): Fragment {
  return numberRows(dialect, ['link_id', 'low', 'high', 'sign'], gaps)
}

/** `of(unit, rows)` for the periods of each unit, as one query; `rows` are of `link_id, start`. */
function ofPeriods(
  dialect: Db['dialect'],
  periods: readonly Period[],
  of: (unit: RawBuilder<unknown>, rows: Fragment) => Fragment,
): Fragment[] {
  return [...Map.groupBy(periods, (period) => period.unit)].map(([unit, some]) =>
    of(sql.lit(unit), numberRows(dialect, ['link_id', 'start'], some)),
  )
}

function countSums(): Fragment {
  return sql`sum(clicks) as clicks, sum(bots) as bots, sum(self_referrers) as self_referrers,
    sum(bot_self_referrers) as bot_self_referrers`
}

/** The clicks in a window by these dimensions, from nothing larger than `largest`. */
export async function tallied(
  db: Db,
  scope: Scope,
  window: Window,
  wanted: readonly Dimension[],
  largest?: Largest,
): Promise<Tally> {
  const cover = await coverOf(db, scope, window, largest)
  const tally = new Tally()
  const sums = sumsOf(db, cover, wanted)
  if (sums) {
    const { rows } = await sums.execute(db.read)
    for (const { dimension, name, ...counts } of rows) tally.add(dimension, name, counts)
  }
  if (cover.gaps.length === 0) return tally
  const columns = sql.join(
    [...wanted, 'is_bot', 'is_self_referrer'].map((column) => sql.ref(`click.${column}`)),
  )
  const raw = sql<
    TalliedClick & { sign: 1 | -1 }
  >`select sign, ${columns} from ${gapRows(db.dialect, cover.gaps)} as gap
    cross join click where ${inGap(scope)} and clicked_at >= low and clicked_at < high`
  await eachRow(db, raw, (click) => tally.addClick(click, wanted, click.sign))
  return tally
}

type Sum = ClickCounts & { dimension: Dimension; name: string }

/** What complete periods and forgotten clicks add up to; undefined when there is nowhere to look. */
function sumsOf(
  { dialect }: Db,
  { periods, gaps }: Cover,
  wanted: readonly Dimension[],
): RawBuilder<Sum> | undefined {
  const counts = sql`dimension, name, clicks, bots, self_referrers, bot_self_referrers`
  const isWanted = among(dialect, 'dimension', wanted)
  const parts = ofPeriods(
    dialect,
    periods,
    (unit, rows) => sql`select ${counts} from ${rows} as chosen cross join click_sum as part
      where part.link_id = chosen.link_id and part.unit = ${unit} and part.start = chosen.start and ${isWanted}`,
  )
  const forgotten = forgottenIn(gaps)
  if (forgotten.length > 0)
    parts.push(sql`select ${counts} from ${gapRows(dialect, forgotten)} as gap cross join click_forgotten as part
      where ${inGap(forgotten[0]?.link_id === INSTANCE ? 'instance' : [], 'part')}
        and hour >= low and hour < high and ${isWanted}`)
  if (parts.length === 0) return undefined
  return sql<Sum>`select dimension, name, ${countSums()} from (${sql.join(parts, sql` union all `)}) as part
    group by dimension, name`
}

/** Forgotten clicks are known to the hour: those of a gap's first hour are all in it. */
function forgottenIn(gaps: readonly Gap[]): Gap[] {
  return gaps.filter(({ sign }) => sign === 1).map((gap) => ({ ...gap, low: hourOf(gap.low) }))
}

function inGap(scope: Scope, table = 'click'): Fragment {
  return scope === 'instance' ? sql`1 = 1` : sql`${sql.ref(table)}.link_id = gap.link_id`
}

/** Distinct visitors of a window; each is one per UTC day. Those of whole days are known for a single link. */
export async function uniqueVisitors(
  db: Db,
  linkIds: readonly number[],
  window: Window,
  filters: ViewerFilters,
): Promise<number> {
  const counts = await visitorCounts(db, linkIds, window)
  return counts[distinctColumn(filters)]
}

export type DistinctCounts = Pick<ClickPeriodTable, `distinct_${string}` & keyof ClickPeriodTable>

export function distinctColumn({ bots, selfReferrers }: ViewerFilters): keyof DistinctCounts {
  if (bots && selfReferrers) return 'distinct_neither'
  if (bots) return 'distinct_no_bots'
  return selfReferrers ? 'distinct_no_self' : 'distinct_raw'
}

/** The same for each filter, from nothing larger than `largest`. */
export async function visitorCounts(
  db: Db,
  linkIds: readonly number[],
  { from, to }: Window,
  largest: Largest = 'month',
): Promise<DistinctCounts> {
  // Unlike clicks, visitors cannot be taken out again: only days that are wholly inside, and only of a single link.
  const gaps = linkIds.map((link_id) => ({ link_id, low: from, high: to + 1, sign: 1 as const }))
  const units = linkIds.length === 1 ? unitsUpTo(largest).filter((unit) => unit !== 'hour') : []
  const cover = await filled(db, { periods: [], gaps }, units)
  const distinct = (when: Fragment) => sql`count(distinct case when ${when} then visitor_fp end)`
  const parts = [
    sql`select ${distinct(sql`1 = 1`)} as distinct_raw, ${distinct(sql`is_bot = 0`)} as distinct_no_bots,
        ${distinct(sql`is_self_referrer = 0`)} as distinct_no_self,
        ${distinct(sql`is_bot = 0 and is_self_referrer = 0`)} as distinct_neither
      from ${gapRows(db.dialect, cover.gaps)} as gap
      cross join click where ${inGap(linkIds)} and clicked_at >= low and clicked_at < high`,
    ...ofPeriods(
      db.dialect,
      cover.periods,
      (unit, rows) => sql`select distinct_raw, distinct_no_bots, distinct_no_self, distinct_neither
        from ${rows} as chosen cross join click_period as part
        where part.link_id = chosen.link_id and part.unit = ${unit} and part.start = chosen.start`,
    ),
  ]
  const { rows } = await sql<DistinctCounts>`select sum(distinct_raw) as distinct_raw,
      sum(distinct_no_bots) as distinct_no_bots, sum(distinct_no_self) as distinct_no_self,
      sum(distinct_neither) as distinct_neither
    from (${sql.join(parts, sql` union all `)}) as part`.execute(db.read)
  const [row] = rows
  if (!row) throw new Error('A sum without a row')
  return row
}

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
