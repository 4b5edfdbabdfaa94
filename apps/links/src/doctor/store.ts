import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { endOf } from '../rollups/index.ts'
import { DAY, HOUR } from '../time/window.ts'
import { MAX_ADDRESS_LENGTH } from '../clicks/address.ts'
import type { PeriodUnit } from '../db/click-tables.ts'
import type { Tables } from '../db/tables.ts'

/** Unix seconds of the newest click; 0 without any. */
export async function findNewestClickTime(read: Kysely<Tables>): Promise<number> {
  const newest = await read
    .selectFrom('click')
    .select((eb) => eb.fn.max<number | null>('clicked_at').as('at'))
    .executeTakeFirst()
  return newest?.at ?? 0
}

/** The start (Unix seconds) of the oldest UTC day with a stored salt; undefined without any. */
export async function findOldestSaltDay(read: Kysely<Tables>): Promise<number | undefined> {
  const oldest = await read
    .selectFrom('visitor_salt')
    .select((eb) => eb.fn.min<number | null>('day').as('day'))
    .executeTakeFirst()
  return oldest?.day ?? undefined
}

export async function findOldestClick(
  read: Kysely<Tables>,
): Promise<{ id: number; clicked_at: number } | undefined> {
  return read
    .selectFrom('click')
    .select(['id', 'clicked_at'])
    .orderBy('clicked_at')
    .limit(1)
    .executeTakeFirst()
}

/** A block that holds more clicks than its period has from this moment on, so also older ones. */
export async function findOutdatedBlock(
  read: Kysely<Tables>,
  oldest: number,
): Promise<{ unit: string; start: number } | undefined> {
  const blocks = await read
    .selectFrom('click_block')
    .select(['unit', 'start', 'clicks'])
    .where('start', '<', oldest)
    .orderBy('start')
    .execute()
  for (const { unit, start, clicks } of blocks) {
    const { count } = await read
      .selectFrom('click')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('clicked_at', '>=', oldest)
      .where('clicked_at', '<', endOf(unit, start))
      .executeTakeFirstOrThrow()
    if (clicks > count) return { unit, start }
  }
  return undefined
}

/** The longest periods of each unit, in seconds. */
const LONGEST: Readonly<Record<PeriodUnit, number>> = {
  hour: HOUR,
  '6h': 6 * HOUR,
  day: DAY,
  '10d': 11 * DAY,
  month: 31 * DAY,
  quarter: 92 * DAY,
}

/** A rollup of full referrers or visitors in a period that was over before this moment. */
export async function findOutdatedSum(read: Kysely<Tables>, oldest: number) {
  const isOver = sql.join(
    Object.entries(LONGEST).map(([unit, seconds]) => sql`unit = ${unit} and start <= ${oldest - seconds}`),
    sql` or `,
  )
  const { rows } = await sql<{ link_id: number; unit: string; start: number; dimension: string }>`
    select link_id, unit, start, dimension from click_sum
    where dimension in ('referrer', 'visitor_fp') and (${isOver}) limit 1`.execute(read)
  return rows[0]
}

export async function findDetailedClick(read: Kysely<Tables>): Promise<number | undefined> {
  const row = await read
    .selectFrom('click')
    .select('id')
    .where((eb) => eb.or([eb('user_agent', 'is not', null), eb('referrer', 'is not', null)]))
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Ids that are searched by one statement. */
const IDS_PER_PART = 20_000

interface ValueCandidate {
  id: number
  column: string
  value: string
}

/**
 * Yields, for some clicks after the other, their number and the values that may be addresses. All
 * columns are searched, also those that this version does not know.
 */
export async function* readValueCandidates(
  read: Kysely<Tables>,
): AsyncGenerator<{ count: number; candidates: ValueCandidate[] }> {
  const columns = await findVisitorColumns(read)
  for (let after = -1; ;) {
    const { first } = await read
      .selectFrom('click')
      .select((eb) => eb.fn.min<number | null>('id').as('first'))
      .where('id', '>', after)
      .executeTakeFirstOrThrow()
    if (first === null) return
    const last = first + IDS_PER_PART
    yield await readCandidates(read, columns, sql<SqlBool>`id >= ${first} and id <= ${last}`)
    after = last
  }
}

async function readCandidates(read: Kysely<Tables>, columns: readonly string[], part: RawBuilder<SqlBool>) {
  const { rows: counts } = await sql<{
    count: number
  }>`select count(*) as count from click where ${part}`.execute(read)
  const values = columns.map((column) => {
    const value = textOf(column)
    return sql`case when ${mayBeAddress(value)} then ${value} end as ${sql.ref(column)}`
  })
  const isCandidate = sql.join(
    columns.map((column) => mayBeAddress(textOf(column))),
    sql` or `,
  )
  const { rows } = await sql<Record<string, string | null> & { id: number }>`
    select id, ${sql.join(values)} from click where ${part} and (${isCandidate})`.execute(read)
  const candidates = rows.flatMap((row) =>
    columns.flatMap((column) => {
      const value = row[column] ?? null
      return value === null ? [] : [{ id: row.id, column, value }]
    }),
  )
  return { count: counts[0]?.count ?? 0, candidates }
}

/**
 * The owner of a link chooses its slug. Other values of a click that are no numbers come from
 * visitors' requests.
 */
async function findVisitorColumns(read: Kysely<Tables>): Promise<string[]> {
  const row = await read.selectFrom('click').selectAll().limit(1).executeTakeFirst()
  return Object.entries(row ?? {})
    .filter(([name, value]) => name !== 'slug' && typeof value !== 'number')
    .map(([name]) => name)
}

function textOf(column: string): RawBuilder<unknown> {
  return sql`cast(${sql.ref(column)} as text)`
}

/** A cheap condition that holds for every address, and for few other texts. */
function mayBeAddress(value: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`(length(${value}) <= ${sql.lit(MAX_ADDRESS_LENGTH)} and (${value} like '%.%.%.%' or ${value} like '%:%:%'))`
}

/** Yields, day by day, values of deleted clicks that may be addresses. */
export async function* readForgottenCandidates(read: Kysely<Tables>) {
  for (let after = -1; ;) {
    const { first } = await read
      .selectFrom('click_forgotten')
      .select((eb) => eb.fn.min<number | null>('hour').as('first'))
      .where('hour', '>', after)
      .executeTakeFirstOrThrow()
    if (first === null) return
    after = first + DAY
    yield await read
      .selectFrom('click_forgotten')
      .select(['link_id', 'hour', 'dimension', 'name'])
      .where('hour', '>=', first)
      .where('hour', '<=', after)
      .where(mayBeAddress(sql.ref('name')))
      .execute()
  }
}
