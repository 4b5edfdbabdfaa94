import type { DialectName } from '../url.ts'
import type { TableFormat } from './format.ts'
import type { Value } from './reader.ts'

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
