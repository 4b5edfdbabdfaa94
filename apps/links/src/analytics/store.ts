import { type Database, among } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { numberRows } from '../db/rows.ts'
import { eachRow } from '../db/stream.ts'
import type { ClickCounts, ClickPeriodTable, PeriodUnit, Tables } from '../db/tables.ts'
import { type Cover, type Gap, type Period, cutTo, endOf, fill, periodUnits, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Dimension, Tally, type TalliedClick } from './tally.ts'
import { type Window, hourOf } from './window.ts'

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

/** Units that are looked up together: where larger ones leave gaps, the smaller ones are few. */
const SEARCHES: readonly (readonly PeriodUnit[])[] = [['quarter', 'month', '10d'], ['day'], ['6h', 'hour']]

async function filled(db: Db, whole: Cover, units: readonly PeriodUnit[]): Promise<Cover> {
  let cover = whole
  const openHours = units.length === 0 ? new Map() : await hoursOpen(db, cover.gaps)
  for (const some of SEARCHES.map((search) => search.filter((unit) => units.includes(unit)))) {
    if (some.length === 0 || cover.gaps.length === 0) continue
    const found = await completePeriods(db, some, cover.gaps)
    const isOver = ({ link_id, unit, start }: Period) =>
      !openHours.get(link_id)?.some((hour: number) => hour >= start && hour < endOf(unit, start))
    const over = Map.groupBy(found.filter(isOver), (period) => period.unit)
    for (const unit of some) cover = fill(cover, over.get(unit) ?? [])
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
  units: readonly PeriodUnit[],
  gaps: readonly Gap[],
): Promise<Period[]> {
  const { rows } = await sql<Period>`
    select period.link_id, period.unit, period.start from ${gapRows(dialect, gaps)} as gap
    cross join click_period as period
    where period.link_id = gap.link_id and ${among(dialect, 'period.unit', units)}
      and period.start >= gap.low and period.start < gap.high
    order by period.link_id, period.start`.execute(read)
  return rows
}

export function gapRows(dialect: Db['dialect'], gaps: readonly Gap[]): Fragment {
  return numberRows(dialect, ['link_id', 'low', 'high', 'sign'], gaps)
}

/** `of(unit, rows)` for the periods of each unit, as one query; `rows` are of `link_id, start`. */
export function ofPeriods(
  dialect: Db['dialect'],
  periods: readonly Period[],
  of: (unit: RawBuilder<unknown>, rows: Fragment) => Fragment,
): Fragment[] {
  return [...Map.groupBy(periods, (period) => period.unit)].map(([unit, some]) =>
    of(sql.lit(unit), numberRows(dialect, ['link_id', 'start'], some)),
  )
}

export function countSums(): Fragment {
  return sql`sum(clicks) as clicks, sum(bots) as bots, sum(self_referrers) as self_referrers,
    sum(bot_self_referrers) as bot_self_referrers`
}

/** The clicks in a window by these dimensions, from nothing larger than `largest`. */
export async function tallied(
  db: Db,
  scope: Scope,
  window: Window,
  { wanted, largest }: { wanted: readonly Dimension[]; largest?: Largest },
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
export function forgottenIn(gaps: readonly Gap[]): Gap[] {
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

function distinct(when: Fragment): Fragment {
  return sql`count(distinct case when ${when} then visitor_fp end)`
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
  const units =
    linkIds.length === 1 ? unitsUpTo(largest).filter((unit) => unit !== 'hour' && unit !== '6h') : []
  const cover = await filled(db, { periods: [], gaps }, units)
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
