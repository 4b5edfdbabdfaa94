import { readBatches } from '@latchkey/database/snapshot'
import type { DialectName } from '@latchkey/database/url'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

const ROWS_PER_BATCH = 2_000

/**
 * Reads any number of rows without holding all in memory. Only within a `snapshot`, in which
 * PostgreSQL's cursors live. A few rows, the usual case, are read without a cursor, which takes
 * three statements.
 */
export async function forEachRow<Row>(
  { read, dialect }: { read: Kysely<Tables>; dialect: DialectName },
  query: RawBuilder<Row>,
  callback: (row: Row) => void,
): Promise<void> {
  const { rows: firstRows } =
    await sql<Row>`select * from (${query}) as few limit ${sql.lit(ROWS_PER_BATCH)}`.execute(read)
  if (firstRows.length < ROWS_PER_BATCH) return firstRows.forEach((row) => callback(row))
  for await (const rows of readBatches({ read, dialect }, query, ROWS_PER_BATCH))
    for (const row of rows) callback(row)
}
