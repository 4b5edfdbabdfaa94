import type { Db } from '../db/tables.ts'
import { inList } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import { numberRows } from '../db/rows.ts'
import { isSnapshot } from '../db/snapshot.ts'
import { forEachRow } from '../db/stream.ts'
import type { ClickCounts, ClickTable } from '../db/click-tables.ts'
import { type Cover, type Interval, type Period, periodUnits } from './cover.ts'
import { type MaxUnit, type StatsScope, coverWindow, mayHaveForgottenClicks } from './period-store.ts'
import { RollupCache } from './rollup-cache.ts'
import { TallyCache } from './tally-cache.ts'
import { type RollupColumn, Tally } from './tally.ts'
import { type NameSource, readSize } from './value-counts.ts'
import { type Window, hourOf } from '../time/window.ts'

type Fragment = RawBuilder<unknown>

export function intervalRows(dialect: Db['dialect'], gaps: readonly Interval[]): Fragment {
  return numberRows(dialect, ['link_id', 'low', 'high', 'sign'], gaps)
}

/**
 * The clicks, read by time. SQLite would scan the index by link, link by link, in a database with
 * `ANALYZE` statistics: half a second with fifty million clicks, instead of four milliseconds.
 */
export function clickTable({ dialect }: Db): Fragment {
  return dialect === 'sqlite' ? sql`click indexed by click_by_time` : sql`click`
}

export function countSums(): Fragment {
  return sql`sum(clicks) as clicks, sum(bots) as bots, sum(self_referrers) as self_referrers,
    sum(bot_self_referrers) as bot_self_referrers`
}

/** Clicks to count by the values of these columns. */
export interface TallyRequest {
  cover: Cover
  columns: readonly RollupColumn[]
  /** Reads all names with the rollups, because all of them are needed. */
  withNames?: boolean
}

/** The clicks in a window by these columns, from periods no larger than `maxUnit`. */
export async function readTally(
  db: Db,
  scope: StatsScope,
  window: Window,
  { largest: maxUnit, ...requests }: Omit<TallyRequest, 'cover'> & { largest?: MaxUnit },
): Promise<Tally> {
  const cover = await coverWindow(db, scope, window, maxUnit)
  const [tally = new Tally()] = await readTallies(db, scope, [{ ...requests, cover }])
  return tally
}

/** The clicks of each cover by its columns, read together. */
export async function readTallies(
  db: Db,
  scope: StatsScope,
  requests: readonly TallyRequest[],
): Promise<Tally[]> {
  const tallies = await readPeriodTallies(db, requests)
  if (requests.every(({ cover }) => cover.gaps.length === 0)) return tallies
  for (const { n, dimension, name, ...counts } of await readForgottenSums(db, scope, requests))
    tallies[n]?.valuesOf(dimension).add(name, counts)
  await addRawClicks(db, scope, requests, tallies)
  return tallies
}

const tallyCache = new TallyCache<Tally>()

/** The sums of the complete periods of each cover. */
async function readPeriodTallies(db: Db, requests: readonly TallyRequest[]): Promise<Tally[]> {
  const hits = requests.map(({ cover, columns, withNames = false }) =>
    // Only a snapshot guarantees that the rollups of a period match its stamp.
    withNames || !isSnapshot(db) ? undefined : tallyCache.get(cover.periods, columns),
  )
  const tallies = hits.map((tally) => tally ?? new Tally())
  const rollups = await readPackedRollups(
    db,
    requests.map((one, n) => (hits[n] ? { ...one, cover: { periods: [], gaps: [] } } : one)),
  )
  // Nearly every visitor is in a single hour. Most other values are in all periods.
  const visitors = rollups.filter(({ dimension }) => dimension === 'visitor_fp')
  for (const [n, rows] of Map.groupBy(visitors, (row) => row.n))
    tallies[n]?.valuesOf('visitor_fp').reserve(rows.reduce((sum, row) => sum + readSize(row.sums), 0))
  // Large rollups have most of the names, so few others have to be read for theirs.
  for (const { sums: packed, ...source } of rollups.toSorted((a, b) => b.sums.length - a.sums.length))
    tallies[source.n]?.valuesOf(source.dimension).addPacked(packed, source)
  for (const [n, { cover, columns, withNames = false }] of requests.entries())
    if (tallies[n] && !hits[n] && !withNames && isSnapshot(db))
      tallyCache.add(cover.periods, columns, tallies[n])
  return tallies
}

/** Reads raw clicks once, even if several tallies have the same gap. */
async function addRawClicks(
  db: Db,
  scope: StatsScope,
  requests: readonly TallyRequest[],
  tallies: readonly Tally[],
): Promise<void> {
  const each = requests.flatMap(({ cover, columns }, n) => {
    const add = tallies[n]?.createAdder(columns)
    return add ? cover.gaps.map((gap) => ({ gap, add })) : []
  })
  const shared = [
    ...Map.groupBy(each, ({ gap }) => `${gap.link_id} ${gap.low} ${gap.high} ${gap.sign}`).values(),
  ]
  const gaps = shared.flatMap(([first], n) => (first ? [{ ...first.gap, n }] : []))
  const all = [...new Set(requests.flatMap((one) => one.columns))]
  const columns = sql.raw(all.map((column) => `click.${column}`).join(', '))
  // The number of columns per row dominates the cost, so one number encodes the gap index and both
  // flags.
  const raw = sql<Partial<Pick<ClickTable, RollupColumn>> & { marks: number }>`
    select 4 * n + 2 * is_bot + is_self_referrer as marks, ${columns}
    from ${numberRows(db.dialect, ['link_id', 'low', 'high', 'n'], gaps)} as gap
    ${joinClicksOfGaps(db, scope)}`
  await forEachRow(db, raw, (row) => {
    const click = Object.assign(row, { is_bot: (row.marks >> 1) & 1, is_self_referrer: row.marks & 1 })
    for (const { add, gap } of shared[row.marks >> 2] ?? []) add(click, gap.sign)
  })
}

/** The location of the names of one column of a period, and the names once they are read. */
interface RollupNames extends Period, NameSource {
  /** The index of the request. */
  n: number
  dimension: RollupColumn
}

/** The rollup of one column of a period. */
interface RollupRow extends RollupNames {
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

const rollupCache = new RollupCache()

/** The rollups of complete periods, one row per period and column. */
async function readPackedRollups(db: Db, requests: readonly TallyRequest[]): Promise<RollupRow[]> {
  const cachedRows: RollupRow[] = []
  const misses: TallyRequest[] = requests.map(({ cover, columns, withNames = false }, n) => {
    const periods = cover.periods.filter((period) => {
      // Only a snapshot guarantees that the rollups of a period match its stamp.
      const hits = withNames || !isSnapshot(db) ? undefined : rollupCache.get(period, columns)
      const { link_id, unit, start } = period
      for (const { column, sums } of hits ?? [])
        cachedRows.push({ n, link_id, unit, start, dimension: column, sums, names: undefined })
      return !hits
    })
    return { cover: { periods, gaps: [] }, columns, withNames }
  })
  const rows = await readRollups(db, misses)
  if (isSnapshot(db)) cacheRollups(misses, rows)
  return [...cachedRows, ...rows]
}

function cacheRollups(requests: readonly TallyRequest[], rows: readonly RollupRow[]): void {
  const keyOf = ({ n, link_id, unit, start, dimension }: Omit<RollupRow, 'sums' | 'names'>) =>
    `${n} ${link_id} ${unit} ${start} ${dimension}`
  const sumsByKey = new Map(rows.map((row) => [keyOf(row), row.sums]))
  const periods = requests.flatMap(({ cover, columns, withNames }, n) =>
    withNames ? [] : cover.periods.map((period) => ({ period, columns, n })),
  )
  for (const { period, columns, n } of periods)
    for (const dimension of columns)
      rollupCache.add(period, dimension, sumsByKey.get(keyOf({ ...period, n, dimension })))
}

async function readRollups({ read, dialect }: Db, requests: readonly TallyRequest[]): Promise<RollupRow[]> {
  const parts = groupByColumns(requests).flatMap(({ columns, withNames, each }) => {
    const periods = each.flatMap(({ n, cover }) => cover.periods.map((period) => ({ ...period, n })))
    if (periods.length === 0) return []
    return [
      sql`select chosen.n, part.link_id, part.unit, part.start, part.dimension, part.sums,
          ${withNames ? sql`part.names` : sql`null`} as names
        from ${periodRows(dialect, periods)} as chosen cross join click_sum as part
        where part.link_id = chosen.link_id and part.unit = ${unitNumber} and part.start = chosen.start
          and ${inList(dialect, 'part.dimension', columns)}`,
    ]
  })
  if (parts.length === 0) return []
  const { rows } = await sql<
    Omit<RollupRow, 'names'> & { names: string | null }
  >`${sql.join(parts, sql` union all `)}`.execute(read)
  return rows.map((row) => ({ ...row, names: row.names === null ? undefined : parseNames(row.names) }))
}

/**
 * Groups requests with the same columns. One statement reads many links, and its text has the same
 * length for any number of links.
 */
function groupByColumns(requests: readonly TallyRequest[]) {
  const all = requests.map((one, n) => ({ ...one, n }))
  const groups = Map.groupBy(all, ({ columns, withNames = false }) => `${withNames} ${columns.join()}`)
  return [...groups.values()].map((each) => ({
    columns: each[0]?.columns ?? [],
    withNames: each[0]?.withNames,
    each,
  }))
}

/** Visitors have no names. */
function parseNames(names: string): string[] | undefined {
  return names === '' ? undefined : (JSON.parse(names) as string[])
}

/** Reads the names of these rollups. */
export async function loadNames({ read, dialect }: Db, sources: readonly NameSource[]): Promise<void> {
  const unloaded = sources.filter((source): source is RollupNames => 'dimension' in source)
  if (unloaded.length === 0) return
  const columns = [...new Set(unloaded.map(({ dimension }) => dimension))]
  const parts = columns.map((column) => {
    const rows = unloaded.flatMap((row, n) => (row.dimension === column ? [{ ...row, n }] : []))
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
    const source = unloaded[n]
    if (source) source.names = parseNames(names)
  }
}

/**
 * Sums of forgotten clicks. Every click has a link mode, so that dimension has all forgotten clicks
 * of a slug.
 */
async function readForgottenSums(
  db: Db,
  scope: StatsScope,
  requests: readonly TallyRequest[],
): Promise<(ClickCounts & { n: number; dimension: RollupColumn; name: string })[]> {
  const parts = groupByColumns(requests).flatMap(({ columns, each }) => {
    const dimensions = columns.filter((column) => column !== 'visitor_fp')
    const gaps = each.flatMap(({ n, cover }) =>
      forgottenIntervals(cover.gaps)
        .filter((gap) => mayHaveForgottenClicks(db, gap))
        .map((gap) => ({ ...gap, n })),
    )
    if (gaps.length === 0 || dimensions.length === 0) return []
    const from = sql`from ${numberRows(db.dialect, ['n', 'link_id', 'low', 'high'], gaps)} as gap
      cross join click_forgotten as part where ${isInInterval(scope, 'part')} and hour >= low and hour < high`
    const of = (dimension: Fragment, name: string, when: Fragment) =>
      sql`select gap.n, ${dimension} as dimension, ${sql.ref(name)} as name, ${countSums()}
        ${from} and ${when} group by 1, 2, 3`
    return [
      of(sql`dimension`, 'name', inList(db.dialect, 'dimension', dimensions)),
      ...(dimensions.includes('slug') ? [of(sql`'slug'`, 'slug', sql`dimension = 'link_mode'`)] : []),
    ]
  })
  if (parts.length === 0) return []
  const { rows } = await sql<
    ClickCounts & { n: number; dimension: RollupColumn; name: string }
  >`${sql.join(parts, sql` union all `)}`.execute(db.read)
  return rows
}

/** Forgotten clicks are stored per hour, so those of a gap's first hour are all in the gap. */
export function forgottenIntervals(gaps: readonly Interval[]): Interval[] {
  return gaps.filter(({ sign }) => sign === 1).map((gap) => ({ ...gap, low: hourOf(gap.low) }))
}

/**
 * Joins each row of `gap` with its raw clicks. PostgreSQL supposes a ninth of all clicks in a gap of
 * the instance, and would rather read all of them. With an order, it reads the index by time.
 */
export function joinClicksOfGaps(db: Db, scope: StatsScope): Fragment {
  const isInGap = sql`${isInInterval(scope)} and clicked_at >= gap.low and clicked_at < gap.high`
  if (db.dialect === 'postgres')
    return sql`cross join lateral (select * from click where ${isInGap} order by clicked_at) as click`
  return sql`cross join ${scope === 'instance' ? clickTable(db) : sql`click`} where ${isInGap}`
}

export function isInInterval(scope: StatsScope, table = 'click'): Fragment {
  return scope === 'instance' ? sql`1 = 1` : sql`${sql.ref(table)}.link_id = gap.link_id`
}
