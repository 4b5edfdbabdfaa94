import { readBatches } from '@latchkey/database/snapshot'
import type { DialectName } from '@latchkey/database/url'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

const ROWS_AT_ONCE = 2_000

/**
 * Reads any number of rows without holding them all. Only within a `snapshot`: PostgreSQL's cursors live in one. Mostly
 * there are few, and those come at once: a cursor takes three statements.
 */
export async function eachRow<Row>(
  { read, dialect }: { read: Kysely<Tables>; dialect: DialectName },
  query: RawBuilder<Row>,
  use: (row: Row) => void,
): Promise<void> {
  const { rows: few } =
    await sql<Row>`select * from (${query}) as few limit ${sql.lit(ROWS_AT_ONCE)}`.execute(read)
  if (few.length < ROWS_AT_ONCE) return few.forEach((row) => use(row))
  for await (const rows of readBatches({ read, dialect }, query, ROWS_AT_ONCE))
    for (const row of rows) use(row)
}
