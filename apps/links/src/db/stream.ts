import type { DialectName } from '@latchkey/database/url'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

const ROWS_AT_ONCE = 2_000

/** Reads any number of rows without holding them all. Only within a `snapshot`: PostgreSQL's cursors live in one. */
export async function eachRow<Row>(
  { read, dialect }: { read: Kysely<Tables>; dialect: DialectName },
  query: RawBuilder<Row>,
  use: (row: Row) => void,
): Promise<void> {
  if (dialect === 'sqlite') {
    for await (const { rows } of read.getExecutor().stream<Row>(query.compile(read), ROWS_AT_ONCE))
      for (const row of rows) use(row)
    return
  }
  await sql`declare rows no scroll cursor for ${query}`.execute(read)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(ROWS_AT_ONCE)} from rows`.execute(read)
    for (const row of rows) use(row)
    if (rows.length < ROWS_AT_ONCE) break
  }
  await sql`close rows`.execute(read)
}
