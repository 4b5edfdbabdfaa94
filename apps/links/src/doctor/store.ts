import type { Database } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** What the engine finds wrong with its own files; empty when nothing is. */
export async function storageProblems({ dialect, read }: Database<Tables>): Promise<string[]> {
  if (dialect === 'postgres') {
    await sql`select 1 from link limit 1`.execute(read)
    return []
  }
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(read)
  return rows.map((row) => row.quick_check).filter((text) => text !== 'ok')
}

export async function engineVersion({ dialect, read }: Database<Tables>): Promise<string> {
  const query =
    dialect === 'sqlite'
      ? sql<{ version: string }>`select sqlite_version() as version`
      : sql<{ version: string }>`select current_setting('server_version') as version`
  const { rows } = await query.execute(read)
  return `${dialect === 'sqlite' ? 'SQLite' : 'PostgreSQL'} ${rows[0]?.version}`
}

/** The newest migration of the database. */
export async function newestMigration({ read }: Database<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from migration order by name desc limit 1`.execute(
    read,
  )
  return rows[0]?.name
}

/** Unix seconds: the server's clock on PostgreSQL, on SQLite (which has none of its own) the newest click. */
export async function referenceTime({ dialect, read }: Database<Tables>): Promise<number> {
  if (dialect === 'postgres') {
    const { rows } = await sql<{
      at: number
    }>`select extract(epoch from clock_timestamp())::float8 as at`.execute(read)
    return rows[0]?.at ?? Number.NaN
  }
  const newest = await read
    .selectFrom('click')
    .select((eb) => eb.fn.max<number | null>('clicked_at').as('at'))
    .executeTakeFirst()
  return newest?.at ?? 0
}
