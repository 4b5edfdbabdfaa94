import type { TableFormat } from './format.ts'
import type { Value } from './reader.ts'
import { openPostgresBulk } from './bulk-postgres.ts'
import { openSqliteBulk } from './bulk-sqlite.ts'
import { type DialectName, dialectOf, sqlitePath } from '../url.ts'

/** Rows with values for some columns of a table. */
export interface Rows {
  readonly table: string
  readonly columns: readonly string[]
  /** The type of each column, in the order of `columns`. */
  readonly types: readonly TableFormat['columns'][string]['type'][]
  readonly rows: readonly (readonly Value[])[]
}

/** One transaction for very many rows, past Kysely. Either all of it commits or nothing does. */
export interface Bulk {
  readonly dialect: DialectName
  insert(rows: Rows): Promise<void>
  /** Runs statements that return no rows. */
  run(...statements: readonly string[]): Promise<void>
  /** Returns the values of the statement's only column. */
  column(statement: string): Promise<Value[]>
  commit(): Promise<void>
  /** Rolls back unless `commit` has succeeded. */
  close(): Promise<void>
}

/**
 * Opens the database and begins the transaction. Throws `DatabaseInUse` while a node works on the
 * database or, on SQLite, while any other connection has the file open.
 */
export function openBulk(databaseUrl: string): Promise<Bulk> {
  return dialectOf(databaseUrl) === 'sqlite'
    ? openSqliteBulk(sqlitePath(databaseUrl))
    : openPostgresBulk(databaseUrl)
}
