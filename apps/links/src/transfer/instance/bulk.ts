import { dialectOf, sqlitePath } from '@latchkey/database/url'
import type { DialectName } from '@latchkey/database/url'
import { openPostgresBulk } from './bulk-postgres.ts'
import { openSqliteBulk } from './bulk-sqlite.ts'
import type { InstanceTable } from './tables.ts'
import type { Value } from './reader.ts'

/** One transaction for very many rows, past Kysely; either all of it happens or nothing. */
export interface Bulk {
  readonly dialect: DialectName
  insert(table: InstanceTable, columns: readonly string[], rows: readonly Value[][]): Promise<void>
  /** Statements without an answer. */
  run(...statements: readonly string[]): Promise<void>
  /** What the statement gives in its only column. */
  column(statement: string): Promise<Value[]>
  commit(): Promise<void>
  /** Rolls back whatever was not committed. */
  close(): Promise<void>
}

/** Begins. On SQLite nobody else may have the database open: `DatabaseInUse`. */
export function openBulk(databaseUrl: string): Promise<Bulk> {
  return dialectOf(databaseUrl) === 'sqlite'
    ? openSqliteBulk(sqlitePath(databaseUrl))
    : openPostgresBulk(databaseUrl)
}
