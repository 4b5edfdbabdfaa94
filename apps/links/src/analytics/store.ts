import { type Database, among } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { numberRows } from '../db/rows.ts'
import { eachRow } from '../db/stream.ts'
import type { ClickCounts, PeriodUnit, Tables } from '../db/tables.ts'
import {
  type Cover,
  type Gap,
  type Period,
  cutTo,
  endOf,
  fill,
  joined,
  periodUnits,
  wholeHours,
} from './cover.ts'
import type { PackedSums } from './packed.ts'
import { type SumColumn, Tally, type TalliedClick } from './tally.ts'
import { type Window, hourOf } from './window.ts'

export type Db = Database<Tables>
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
  largest: Largest = 'quarter',
): Promise<Cover> {
  const linkIds = scope === 'instance' ? [INSTANCE] : scope
  const cover = await filled(db, wholeHours(linkIds, window), unitsUpTo(largest))
  return cutTo(window, cover)
}

export function unitsUpTo(largest: Largest): PeriodUnit[] {
  return largest === 'none' ? [] : periodUnits.slice(periodUnits.indexOf(largest))
}

/** Units that are looked up together: where larger ones leave gaps, the smaller ones are few. */
const SEARCHES: readonly (readonly PeriodUnit[])[] = [['quarter', 'month', '10d'], ['day'], ['6h', 'hour']]

export async function filled(db: Db, whole: Cover, units: readonly PeriodUnit[]): Promise<Cover> {
  let cover = whole
  const openHours = units.length === 0 ? new Map() : await hoursOpen(db, joined(cover.gaps))
  for (const some of SEARCHES.map((search) => search.filter((unit) => units.includes(unit)))) {
    if (some.length === 0 || cover.gaps.length === 0) continue
    const found = await completePeriods(db, some, joined(cover.gaps))
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

/** The clicks in a window by these columns, from nothing larger than `largest`. */
export async function tallied(
  db: Db,
  scope: Scope,
  window: Window,
  { wanted, largest }: { wanted: readonly SumColumn[]; largest?: Largest },
): Promise<Tally> {
  return tallyOf(db, scope, await coverOf(db, scope, window, largest), wanted)
}

export async function tallyOf(
  db: Db,
  scope: Scope,
  { periods, gaps }: Cover,
  wanted: readonly SumColumn[],
): Promise<Tally> {
  const tally = new Tally()
  for (const sums of await packedSums(db, periods, wanted)) tally.addPacked(sums.dimension, sums)
  if (gaps.length === 0) return tally
  for (const { dimension, name, ...counts } of await forgottenSums(db, scope, forgottenIn(gaps), wanted))
    tally.add(dimension, name, counts)
  const columns = sql.join(
    [...wanted, 'is_bot', 'is_self_referrer'].map((column) => sql.ref(`click.${column}`)),
  )
  const raw = sql<
    TalliedClick & { sign: 1 | -1 }
  >`select sign, ${columns} from ${gapRows(db.dialect, gaps)} as gap
    cross join click where ${inGap(scope)} and clicked_at >= low and clicked_at < high`
  await eachRow(db, raw, (click) => tally.addClick(click, wanted, click.sign))
  return tally
}

/** What complete periods add up to, a row for each of them and column. */
export async function packedSums(
  { read, dialect }: Db,
  periods: readonly Period[],
  wanted: readonly SumColumn[],
): Promise<(PackedSums & { dimension: SumColumn })[]> {
  if (periods.length === 0) return []
  const parts = ofPeriods(
    dialect,
    periods,
    (unit, rows) => sql`select dimension, names, counts from ${rows} as chosen cross join click_sum as part
      where part.link_id = chosen.link_id and part.unit = ${unit} and part.start = chosen.start
        and ${among(dialect, 'dimension', wanted)}`,
  )
  const { rows } = await sql<
    PackedSums & { dimension: SumColumn }
  >`${sql.join(parts, sql` union all `)}`.execute(read)
  return rows
}

/** What forgotten clicks add up to. Every click has a link mode: of those are the forgotten clicks of a slug. */
async function forgottenSums(
  { read, dialect }: Db,
  scope: Scope,
  gaps: readonly Gap[],
  wanted: readonly SumColumn[],
): Promise<(ClickCounts & { dimension: SumColumn; name: string })[]> {
  const from = sql`from ${gapRows(dialect, gaps)} as gap cross join click_forgotten as part
    where ${inGap(scope, 'part')} and hour >= low and hour < high`
  const parts = [
    sql`select dimension, name, ${countSums()} ${from} and ${among(dialect, 'dimension', wanted)}
      group by dimension, name`,
    ...(wanted.includes('slug')
      ? [sql`select 'slug', slug, ${countSums()} ${from} and dimension = 'link_mode' group by slug`]
      : []),
  ]
  const { rows } = await sql<
    ClickCounts & { dimension: SumColumn; name: string }
  >`${sql.join(parts, sql` union all `)}`.execute(read)
  return rows
}

/** Forgotten clicks are known to the hour: those of a gap's first hour are all in it. */
export function forgottenIn(gaps: readonly Gap[]): Gap[] {
  return gaps.filter(({ sign }) => sign === 1).map((gap) => ({ ...gap, low: hourOf(gap.low) }))
}

export function inGap(scope: Scope, table = 'click'): Fragment {
  return scope === 'instance' ? sql`1 = 1` : sql`${sql.ref(table)}.link_id = gap.link_id`
}
