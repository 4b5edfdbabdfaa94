import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'
import { ALLOW_IDLE_TRANSACTION } from './session.ts'
import type { DialectName } from './url.ts'

/**
 * Runs several reads on one snapshot of the database, whatever is written meanwhile, on one
 * separate connection. SQLite's other readers wait until it ends, so `work` must await nothing but
 * the database and the consumer of its rows. With `pacedBy: 'consumer'`, the server does not end
 * the transaction after some idle seconds.
 *
 * @example await readSnapshot(database, (read) => read.selectFrom('link').selectAll().execute())
 */
export async function readSnapshot<Tables, Result>(
  { read, dialect }: Pick<Database<Tables>, 'read' | 'dialect'>,
  work: (read: Kysely<Tables>) => Promise<Result>,
  { pacedBy }: { pacedBy?: 'consumer' } = {},
): Promise<Result> {
  return read.connection().execute(async (connection) => {
    const begin = dialect === 'sqlite' ? 'begin' : 'begin isolation level repeatable read, read only'
    await sql.raw(begin).execute(connection)
    try {
      if (pacedBy && dialect === 'postgres') await sql.raw(ALLOW_IDLE_TRANSACTION).execute(connection)
      return await work(connection)
    } finally {
      // When a disk fails, SQLite rolls back itself. The error of a second rollback would hide the
      // first one.
      await sql`rollback`.execute(connection).catch(() => {})
    }
  })
}

/**
 * Reads any number of rows, at most `atOnce` at a time. Must run inside `readSnapshot`, because
 * PostgreSQL's cursors need a transaction.
 *
 * @example for await (const rows of readBatches({ read, dialect }, sql`select id from link`, 2_000)) use(rows)
 */
export async function* readBatches<Row, Tables>(
  { read, dialect }: { read: Kysely<Tables>; dialect: DialectName },
  query: RawBuilder<Row>,
  atOnce: number,
): AsyncGenerator<Row[]> {
  if (dialect === 'sqlite') {
    for await (const { rows } of read.getExecutor().stream<Row>(query.compile(read), atOnce)) yield rows
    return
  }
  await sql`declare batches no scroll cursor for ${query}`.execute(read)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(atOnce)} from batches`.execute(read)
    if (rows.length > 0) yield rows
    if (rows.length < atOnce) break
  }
  await sql`close batches`.execute(read)
}
