import type { DialectName } from '@latchkey/database/url'
import { type Transaction, sql } from 'kysely'
import type { PeriodUnit } from '../db/click-tables.ts'
import type { Tables } from '../db/tables.ts'

/**
 * Statements that invalidate every rollup with a changed hour and make it due, in the transaction
 * of the change. `changed` is a query of `link_id, hour`. The due rows come first: their locks keep
 * other writers from completing a rollup of the previous clicks.
 */
export function invalidateRollups(dialect: DialectName, changedHours: string): string[] {
  const { random } = expressions[dialect]
  const periods = periodsOf(dialect, changedHours)
  // SQLite needs a WHERE between a SELECT and ON CONFLICT.
  return [
    `insert into click_due (unit, start, stamp)
      select unit, start, ${random} from (${periods('')}) as due where true order by unit, start
      on conflict (unit, start) do update set stamp = excluded.stamp`,
    deleteFrom('click_period', `${periods('link_id,')} union ${periods('0 as link_id,')}`),
  ]
}

/** Queries of the periods that contain a changed hour, with these columns first. */
function periodsOf(dialect: DialectName, changedHours: string): (columns: string) => string {
  const { random: _, ...calendar } = expressions[dialect]
  const starts: Record<PeriodUnit, string> = {
    hour: 'hour',
    '6h': 'hour - hour % 21600',
    day: 'hour - hour % 86400',
    ...calendar,
  }
  return (columns) =>
    Object.entries(starts)
      .map(
        ([unit, start]) =>
          `select ${columns} '${unit}' as unit, ${start} as start from (${changedHours}) as changed`,
      )
      .join(' union ')
}

/**
 * SQLite searches row by row for the rows of a union only inside another query. Otherwise it scans
 * the whole table.
 */
function deleteFrom(table: 'click_period' | 'click_sum', periods: string): string {
  return `delete from ${table} where (link_id, unit, start) in (select link_id, unit, start from (${periods}) as changed)`
}

/**
 * A stamp shows whether a due period has changed again. It must never repeat, so it is random and
 * not a counter.
 */
const expressions = {
  sqlite: {
    '10d': `cast(strftime('%s', hour, 'unixepoch', 'start of month') as integer)
      + 864000 * min(2, (cast(strftime('%d', hour, 'unixepoch') as integer) - 1) / 10)`,
    month: `cast(strftime('%s', hour, 'unixepoch', 'start of month') as integer)`,
    quarter: `cast(strftime('%s', hour, 'unixepoch', 'start of month',
      '-' || ((cast(strftime('%m', hour, 'unixepoch') as integer) - 1) % 3) || ' months') as integer)`,
    random: 'random() >> 11',
  },
  postgres: {
    '10d': `cast(extract(epoch from date_trunc('month', to_timestamp(hour) at time zone 'UTC')) as bigint)
      + 864000 * least(2, (cast(extract(day from to_timestamp(hour) at time zone 'UTC') as bigint) - 1) / 10)`,
    month: `cast(extract(epoch from date_trunc('month', to_timestamp(hour) at time zone 'UTC')) as bigint)`,
    quarter: `cast(extract(epoch from date_trunc('quarter', to_timestamp(hour) at time zone 'UTC')) as bigint)`,
    random: 'cast(random() * 9007199254740991 as bigint)',
  },
} as const

/**
 * Like `invalidateRollups`, for named hours, at least one, from which clicks are deleted. What
 * rollups keep of single clicks (full referrers, visitors) is deleted too: a new rollup replaces
 * only what it stores, and a link left with few clicks gets no new rollup.
 */
export async function markHoursChanged(
  tx: Transaction<Tables>,
  dialect: DialectName,
  hours: readonly { link_id: number; hour: number }[],
): Promise<void> {
  const values = new Set(hours.map(({ link_id, hour }) => `(${link_id}, ${hour})`))
  await markChanged(
    tx,
    dialect,
    `select column1 as link_id, column2 as hour from (values ${[...values].join(', ')}) as input`,
  )
}

/**
 * Like `markHoursChanged`, for every hour in which the link has clicks. Call it before they are
 * deleted.
 */
export async function markAllHoursChanged(
  tx: Transaction<Tables>,
  dialect: DialectName,
  linkId: number,
): Promise<void> {
  const clicked = tx.selectFrom('click_hour').select('hour').where('link_id', '=', linkId).limit(1)
  // Most deleted links have no clicks, and the statements below are long and new for each link.
  if (!(await clicked.executeTakeFirst())) return
  await markChanged(tx, dialect, `select link_id, hour from click_hour where link_id = ${linkId}`)
}

async function markChanged(
  tx: Transaction<Tables>,
  dialect: DialectName,
  changedHours: string,
): Promise<void> {
  const periods = periodsOf(dialect, changedHours)
  const statements = [
    ...invalidateRollups(dialect, changedHours),
    deleteFrom('click_sum', `${periods('link_id,')} union ${periods('0 as link_id,')}`),
    `delete from click_block where (unit, start) in (select unit, start from (${periods('')}) as changed)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
