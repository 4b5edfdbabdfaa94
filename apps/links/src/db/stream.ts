import { readBatches } from '@latchkey/database/snapshot'
import type { DialectName } from '@latchkey/database/url'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

const ROWS_PER_BATCH = 2_000

interface Reading {
  read: Kysely<Tables>
  dialect: DialectName
}

/**
 * Reads any number of rows without holding all in memory. Only within a `snapshot`, in which
 * PostgreSQL's cursors live. A few rows, the usual case, are read without a cursor, which takes
 * three statements.
 */
export async function* streamRows<Row>(
  { read, dialect }: Reading,
  query: RawBuilder<Row>,
): AsyncGenerator<Row[]> {
  const { rows: firstRows } =
    await sql<Row>`select * from (${query}) as few limit ${sql.lit(ROWS_PER_BATCH)}`.execute(read)
  if (firstRows.length < ROWS_PER_BATCH) yield firstRows
  else yield* readBatches({ read, dialect }, query, ROWS_PER_BATCH)
}

/** Calls the callback for every row of `streamRows`. */
export async function forEachRow<Row>(
  db: Reading,
  query: RawBuilder<Row>,
  callback: (row: Row) => void,
): Promise<void> {
  for await (const rows of streamRows(db, query)) for (const row of rows) callback(row)
}
