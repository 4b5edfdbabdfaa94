import { inList } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { numberRows } from '../db/rows.ts'
import { isSnapshot } from '../db/snapshot.ts'
import { eachRow } from '../db/stream.ts'
import type { ClickCounts, ClickTable } from '../db/tables.ts'
import { type Cover, type Gap, type Period, periodUnits } from './cover.ts'
import { type Db, type Largest, type Scope, coverOf, mayBeForgotten } from './periods.ts'
import { RememberedSums } from './remembered-sums.ts'
import { RememberedTallies } from './remembered-tallies.ts'
import { type SumColumn, Tally } from './tally.ts'
import { type NameSource, sizeOf } from './value-counts.ts'
import { type Window, hourOf } from './window.ts'

type Fragment = RawBuilder<unknown>

export function gapRows(dialect: Db['dialect'], gaps: readonly Gap[]): Fragment {
  return numberRows(dialect, ['link_id', 'low', 'high', 'sign'], gaps)
}

export function countSums(): Fragment {
  return sql`sum(clicks) as clicks, sum(bots) as bots, sum(self_referrers) as self_referrers,
    sum(bot_self_referrers) as bot_self_referrers`
}

/** Clicks to be told apart by these columns. */
export interface Wanted {
  cover: Cover
  columns: readonly SumColumn[]
  /** Their names are read with them, because all are needed. */
  named?: boolean
}

/** The clicks in a window by these columns, from nothing larger than `largest`. */
export async function tallied(
  db: Db,
  scope: Scope,
  window: Window,
  { largest, ...wanted }: Omit<Wanted, 'cover'> & { largest?: Largest },
): Promise<Tally> {
  const cover = await coverOf(db, scope, window, largest)
  const [tally = new Tally()] = await talliesOf(db, scope, [{ ...wanted, cover }])
  return tally
}

/** The clicks of each cover by its columns, all read together. */
export async function talliesOf(db: Db, scope: Scope, wanted: readonly Wanted[]): Promise<Tally[]> {
  const tallies = await periodTallies(db, wanted)
  if (wanted.every(({ cover }) => cover.gaps.length === 0)) return tallies
  for (const { n, dimension, name, ...counts } of await forgottenSums(db, scope, wanted))
    tallies[n]?.of(dimension).add(name, counts)
  await addRaw(db, scope, wanted, tallies)
  return tallies
}

const rememberedTallies = new RememberedTallies<Tally>()

/** What the complete periods of each cover add up to. */
async function periodTallies(db: Db, wanted: readonly Wanted[]): Promise<Tally[]> {
  const known = wanted.map(({ cover, columns, named = false }) =>
    // Only in a snapshot are a period's sums those of its stamp.
    named || !isSnapshot(db) ? undefined : rememberedTallies.get(cover.periods, columns),
  )
  const tallies = known.map((tally) => tally ?? new Tally())
  const sums = await packedSums(
    db,
    wanted.map((one, n) => (known[n] ? { ...one, cover: { periods: [], gaps: [] } } : one)),
  )
  // Of visitors nearly every one is in a single hour, of other values most are in all periods.
  const visitors = sums.filter(({ dimension }) => dimension === 'visitor_fp')
  for (const [n, rows] of Map.groupBy(visitors, (row) => row.n))
    tallies[n]?.of('visitor_fp').reserve(rows.reduce((sum, row) => sum + sizeOf(row.sums), 0))
  // Large ones have most of the names there are, so that few others are read for theirs.
  for (const { sums: packed, ...source } of sums.toSorted((a, b) => b.sums.length - a.sums.length))
    tallies[source.n]?.of(source.dimension).addPacked(packed, source)
  for (const [n, { cover, columns, named = false }] of wanted.entries())
    if (tallies[n] && !known[n] && !named && isSnapshot(db))
      rememberedTallies.add(cover.periods, columns, tallies[n])
  return tallies
}

/** Raw clicks are read once, though several tallies have the same gap. */
async function addRaw(
  db: Db,
  scope: Scope,
  wanted: readonly Wanted[],
  tallies: readonly Tally[],
): Promise<void> {
  const each = wanted.flatMap(({ cover, columns }, n) => {
    const add = tallies[n]?.adder(columns)
    return add ? cover.gaps.map((gap) => ({ gap, add })) : []
  })
  const shared = [
    ...Map.groupBy(each, ({ gap }) => `${gap.link_id} ${gap.low} ${gap.high} ${gap.sign}`).values(),
  ]
  const gaps = shared.flatMap(([first], n) => (first ? [{ ...first.gap, n }] : []))
  const all = [...new Set(wanted.flatMap((one) => one.columns))]
  const columns = sql.raw(all.map((column) => `click.${column}`).join(', '))
  // What is asked of each of many rows costs most: the place of its gap and both flags are one number.
  const raw = sql<Partial<Pick<ClickTable, SumColumn>> & { marks: number }>`
    select 4 * n + 2 * is_bot + is_self_referrer as marks, ${columns}
    from ${numberRows(db.dialect, ['link_id', 'low', 'high', 'n'], gaps)} as gap
    cross join click where ${inGap(scope)} and clicked_at >= low and clicked_at < high`
  await eachRow(db, raw, (row) => {
    const click = Object.assign(row, { is_bot: (row.marks >> 1) & 1, is_self_referrer: row.marks & 1 })
    for (const { add, gap } of shared[row.marks >> 2] ?? []) add(click, gap.sign)
  })
}

/** Where the names of one column of a period are, and the names where they were read. */
interface SumNames extends Period, NameSource {
  /** Which of those that were asked for. */
  n: number
  dimension: SumColumn
}

/** The sums of one column of a period. */
interface SumRow extends SumNames {
  sums: Uint8Array
}

export const unitNumber = sql.raw(
  `case chosen.unit ${periodUnits.map((unit, number) => `when ${number} then '${unit}'`).join(' ')} end`,
)

/** Periods as rows of a statement, `unitNumber` being what `chosen.unit` stands for. */
export function periodRows(
  dialect: Db['dialect'],
  periods: readonly (Period & { n?: number | undefined })[],
): Fragment {
  const rows = periods.map(({ unit, link_id, start, n = 0 }) => ({
    n,
    link_id,
    start,
    unit: periodUnits.indexOf(unit),
  }))
  return numberRows(dialect, ['n', 'link_id', 'unit', 'start'], rows)
}

const remembered = new RememberedSums()

/** What complete periods add up to, a row for each of them and column. */
async function packedSums(db: Db, wanted: readonly Wanted[]): Promise<SumRow[]> {
  const rows: SumRow[] = []
  const unknown: Wanted[] = wanted.map(({ cover, columns, named = false }, n) => {
    const periods = cover.periods.filter((period) => {
      // Only in a snapshot are a period's sums those of its stamp.
      const known = named || !isSnapshot(db) ? undefined : remembered.get(period, columns)
      const { link_id, unit, start } = period
      for (const { column, sums } of known ?? [])
        rows.push({ n, link_id, unit, start, dimension: column, sums, names: undefined })
      return !known
    })
    return { cover: { periods, gaps: [] }, columns, named }
  })
  const read = await readSums(db, unknown)
  if (isSnapshot(db)) remember(unknown, read)
  return [...rows, ...read]
}

function remember(wanted: readonly Wanted[], rows: readonly SumRow[]): void {
  const keyOf = ({ n, link_id, unit, start, dimension }: Omit<SumRow, 'sums' | 'names'>) =>
    `${n} ${link_id} ${unit} ${start} ${dimension}`
  const found = new Map(rows.map((row) => [keyOf(row), row.sums]))
  const periods = wanted.flatMap(({ cover, columns, named }, n) =>
    named ? [] : cover.periods.map((period) => ({ period, columns, n })),
  )
  for (const { period, columns, n } of periods)
    for (const dimension of columns)
      remembered.add(period, dimension, found.get(keyOf({ ...period, n, dimension })))
}

async function readSums({ read, dialect }: Db, wanted: readonly Wanted[]): Promise<SumRow[]> {
  const parts = byColumns(wanted).flatMap(({ columns, named, each }) => {
    const periods = each.flatMap(({ n, cover }) => cover.periods.map((period) => ({ ...period, n })))
    if (periods.length === 0) return []
    return [
      sql`select chosen.n, part.link_id, part.unit, part.start, part.dimension, part.sums,
          ${named ? sql`part.names` : sql`null`} as names
        from ${periodRows(dialect, periods)} as chosen cross join click_sum as part
        where part.link_id = chosen.link_id and part.unit = ${unitNumber} and part.start = chosen.start
          and ${inList(dialect, 'part.dimension', columns)}`,
    ]
  })
  if (parts.length === 0) return []
  const { rows } = await sql<
    Omit<SumRow, 'names'> & { names: string | null }
  >`${sql.join(parts, sql` union all `)}`.execute(read)
  return rows.map((row) => ({ ...row, names: row.names === null ? undefined : listOf(row.names) }))
}

/** Those that want the same columns together: one statement reads many links, and its text is as long for all of them. */
function byColumns(wanted: readonly Wanted[]) {
  const all = wanted.map((one, n) => ({ ...one, n }))
  const groups = Map.groupBy(all, ({ columns, named = false }) => `${named} ${columns.join()}`)
  return [...groups.values()].map((each) => ({
    columns: each[0]?.columns ?? [],
    named: each[0]?.named,
    each,
  }))
}

/** Visitors have no names. */
function listOf(names: string): string[] | undefined {
  return names === '' ? undefined : (JSON.parse(names) as string[])
}

/** Reads the names of these sums. */
export async function loadNames({ read, dialect }: Db, sources: readonly NameSource[]): Promise<void> {
  const needed = sources.filter((source): source is SumNames => 'dimension' in source)
  if (needed.length === 0) return
  const columns = [...new Set(needed.map(({ dimension }) => dimension))]
  const parts = columns.map((column) => {
    const rows = needed.flatMap((row, n) => (row.dimension === column ? [{ ...row, n }] : []))
    return sql`select chosen.n, part.names
      from ${periodRows(dialect, rows)} as chosen cross join click_sum as part
      where part.link_id = chosen.link_id and part.unit = ${unitNumber} and part.start = chosen.start
        and part.dimension = ${sql.lit(column)}`
  })
  const { rows } = await sql<{
    n: number
    names: string
  }>`${sql.join(parts, sql` union all `)}`.execute(read)
  for (const { n, names } of rows) {
    const source = needed[n]
    if (source) source.names = listOf(names)
  }
}

/** What forgotten clicks add up to. Every click has a link mode: of those are the forgotten clicks of a slug. */
async function forgottenSums(
  db: Db,
  scope: Scope,
  wanted: readonly Wanted[],
): Promise<(ClickCounts & { n: number; dimension: SumColumn; name: string })[]> {
  const parts = byColumns(wanted).flatMap(({ columns, each }) => {
    const kept = columns.filter((column) => column !== 'visitor_fp')
    const gaps = each.flatMap(({ n, cover }) =>
      forgottenIn(cover.gaps)
        .filter((gap) => mayBeForgotten(db, gap))
        .map((gap) => ({ ...gap, n })),
    )
    if (gaps.length === 0 || kept.length === 0) return []
    const from = sql`from ${numberRows(db.dialect, ['n', 'link_id', 'low', 'high'], gaps)} as gap
      cross join click_forgotten as part where ${inGap(scope, 'part')} and hour >= low and hour < high`
    const of = (dimension: Fragment, name: string, when: Fragment) =>
      sql`select gap.n, ${dimension} as dimension, ${sql.ref(name)} as name, ${countSums()}
        ${from} and ${when} group by 1, 2, 3`
    return [
      of(sql`dimension`, 'name', inList(db.dialect, 'dimension', kept)),
      ...(kept.includes('slug') ? [of(sql`'slug'`, 'slug', sql`dimension = 'link_mode'`)] : []),
    ]
  })
  if (parts.length === 0) return []
  const { rows } = await sql<
    ClickCounts & { n: number; dimension: SumColumn; name: string }
  >`${sql.join(parts, sql` union all `)}`.execute(db.read)
  return rows
}

/** Forgotten clicks are known to the hour: those of a gap's first hour are all in it. */
export function forgottenIn(gaps: readonly Gap[]): Gap[] {
  return gaps.filter(({ sign }) => sign === 1).map((gap) => ({ ...gap, low: hourOf(gap.low) }))
}

export function inGap(scope: Scope, table = 'click'): Fragment {
  return scope === 'instance' ? sql`1 = 1` : sql`${sql.ref(table)}.link_id = gap.link_id`
}
