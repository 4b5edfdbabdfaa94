import type { TableFormat } from './format.ts'
import type { Value } from './reader.ts'
import { openPostgresBulk } from './bulk-postgres.ts'
import { openSqliteBulk } from './bulk-sqlite.ts'
import { type DialectName, dialectOf, sqlitePath } from '../url.ts'

/** Rows for some columns of a table. */
export interface Rows {
  readonly table: string
  readonly columns: readonly string[]
  /** Of each column. */
  readonly types: readonly TableFormat['columns'][string]['type'][]
  readonly rows: readonly (readonly Value[])[]
}

/** One transaction for very many rows, past Kysely; either all of it happens or nothing. */
export interface Bulk {
  readonly dialect: DialectName
  insert(rows: Rows): Promise<void>
  /** Statements without an answer. */
  run(...statements: readonly string[]): Promise<void>
  /** What the statement gives in its only column. */
  column(statement: string): Promise<Value[]>
  commit(): Promise<void>
  /** Rolls back whatever was not committed. */
  close(): Promise<void>
}

/** Begins. No node may work on the database, and on SQLite nobody else may have it open: `DatabaseInUse`. */
export function openBulk(databaseUrl: string): Promise<Bulk> {
  return dialectOf(databaseUrl) === 'sqlite'
    ? openSqliteBulk(sqlitePath(databaseUrl))
    : openPostgresBulk(databaseUrl)
}
