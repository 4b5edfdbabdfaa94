import type { DialectName } from '@latchkey/database/url'
import { type Transaction, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

/**
 * Statements that make every sum which contains a changed hour invalid and due again, for the transaction that makes the
 * change. `changed` is a query of `link_id, hour`. The due rows come first: their locks keep anybody from completing a sum
 * of the clicks as they were.
 */
export function invalidateSums(dialect: DialectName, changed: string): string[] {
  const { startOfMonth, random } = words[dialect]
  const starts = { hour: 'hour', day: 'hour - hour % 86400', month: startOfMonth }
  const periods = (columns: string) =>
    Object.entries(starts)
      .map(
        ([unit, start]) =>
          `select ${columns} '${unit}' as unit, ${start} as start from (${changed}) as changed`,
      )
      .join(' union ')
  // SQLite needs a WHERE between a SELECT and ON CONFLICT.
  return [
    `insert into click_due (unit, start, stamp)
      select unit, start, ${random} from (${periods('')}) as due where true order by unit, start
      on conflict (unit, start) do update set stamp = excluded.stamp`,
    `delete from click_period where (link_id, unit, start) in (${periods('link_id,')} union ${periods('0,')})`,
  ]
}

/** A stamp tells whether a due period was changed again; it must never come back, so it is drawn and not counted. */
const words = {
  sqlite: {
    startOfMonth: `cast(strftime('%s', hour, 'unixepoch', 'start of month') as integer)`,
    random: 'random() >> 11',
  },
  postgres: {
    startOfMonth: `cast(extract(epoch from date_trunc('month', to_timestamp(hour) at time zone 'UTC')) as bigint)`,
    random: 'cast(random() * 9007199254740991 as bigint)',
  },
} as const

/** The same for hours that are named; at least one. */
export async function changeHours(
  tx: Transaction<Tables>,
  dialect: DialectName,
  hours: readonly { link_id: number; hour: number }[],
): Promise<void> {
  const values = new Set(hours.map(({ link_id, hour }) => `(${Number(link_id)}, ${Number(hour)})`))
  const changed = `select column1 as link_id, column2 as hour from (values ${[...values].join(', ')}) as given`
  for (const statement of invalidateSums(dialect, changed)) await sql.raw(statement).execute(tx)
}

/** The same for every hour in which the link has clicks; before they go. */
export async function changeAllHours(
  tx: Transaction<Tables>,
  dialect: DialectName,
  linkId: number,
): Promise<void> {
  const changed = `select link_id, hour from click_hour where link_id = ${Number(linkId)}`
  for (const statement of invalidateSums(dialect, changed)) await sql.raw(statement).execute(tx)
}
