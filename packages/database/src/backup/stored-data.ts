import { type Kysely, sql } from 'kysely'
import { openReader } from '../database.ts'
import { existsSync } from 'node:fs'
import { type DialectName, dialectOf, sqlitePath } from '../url.ts'

/** What a restore would replace: nothing, data, or tables that are not of this program. */
export type StoredData = 'none' | 'data' | 'foreign'

/**
 * Returns what the database at `url` holds. One that a service has created holds nothing while all of
 * `tables` are empty. A damaged SQLite file holds data.
 */
export async function findStoredData(url: string, tables: readonly string[]): Promise<StoredData> {
  if (dialectOf(url) === 'sqlite' && !existsSync(sqlitePath(url))) return 'none'
  try {
    const reader = openReader<unknown>(url)
    try {
      return await inspect(reader.read, reader.dialect, tables)
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(String((error as { code?: unknown }).code))) return 'data'
    throw error
  }
}

async function inspect(
  read: Kysely<unknown>,
  dialect: DialectName,
  tables: readonly string[],
): Promise<StoredData> {
  const stored = await tableNames(read, dialect)
  if (stored.length === 0) return 'none'
  if (!stored.includes('migration')) return 'foreign'
  for (const table of tables.filter((name) => stored.includes(name))) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(read)
    if (rows.length > 0) return 'data'
  }
  return 'none'
}

/** The names of all tables: on PostgreSQL, of the current schema. */
export async function tableNames(read: Kysely<unknown>, dialect: DialectName): Promise<string[]> {
  const query =
    dialect === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
  return (await query.execute(read)).rows.map(({ name }) => name)
}
