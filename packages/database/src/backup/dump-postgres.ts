import { type Kysely, sql } from 'kysely'
import { openReader } from '../database.ts'
import { readBatches, readSnapshot } from '../snapshot.ts'

/** A table of a dump, with its rows as objects in JSON. */
export interface TableDump {
  readonly table: string
  readonly columns: readonly string[]
  readonly lines: AsyncIterable<readonly string[]>
}

export interface DatabaseDump<Tables> {
  /** The snapshot that the dump shows. */
  readonly read: Kysely<Tables>
  readonly migrations: readonly string[]
  /** The last numbers of sequences that were used. */
  readonly sequences: Readonly<Record<string, number>>
  /** Each table is read to its end before the next. */
  tables(): AsyncGenerator<TableDump>
}

/** Rows with long texts have some MB each. */
const ROWS_AT_ONCE = 500

/**
 * Shows everything that the current schema of a PostgreSQL database holds at one moment, in use or
 * not. The tables in `without` are shown empty, for data that no copy may hold.
 *
 * @example await dumpPostgres<Tables>(url, ['visitor_salt'], (dump) => store(dump))
 */
export async function dumpPostgres<Tables, Result>(
  url: string,
  without: readonly string[],
  work: (dump: DatabaseDump<Tables>) => Promise<Result>,
): Promise<Result> {
  const reader = openReader<Tables>(url)
  try {
    return await readSnapshot(reader, async (read) => work(await dumpOf(read, without)), {
      pacedBy: 'consumer',
    })
  } finally {
    await reader.close()
  }
}

async function dumpOf<Tables>(
  read: Kysely<Tables>,
  without: readonly string[],
): Promise<DatabaseDump<Tables>> {
  const migrations = await sql<{ name: string }>`select name from migration order by name`.execute(read)
  const sequences = await sql<{ name: string; last: number }>`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = current_schema() and last_value is not null`.execute(read)
  return {
    read,
    migrations: migrations.rows.map(({ name }) => name),
    sequences: Object.fromEntries(sequences.rows.map(({ name, last }) => [name, last])),
    async *tables() {
      for (const { table, columns } of await storedColumns(read))
        yield { table, columns, lines: without.includes(table) ? noLines() : linesOf(read, table) }
    },
  }
}

/** The tables of the current schema, with the columns whose values are not computed from others. */
export async function storedColumns<Tables>(
  read: Kysely<Tables>,
): Promise<{ table: string; columns: string[] }[]> {
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select relname as table, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by relname order by relname`.execute(read)
  return rows
}

async function* linesOf<Tables>(read: Kysely<Tables>, table: string): AsyncGenerator<string[]> {
  const query = sql<{
    line: string
  }>`select row_to_json(stored)::text as line from ${sql.table(table)} as stored`
  for await (const rows of readBatches({ read, dialect: 'postgres' }, query, ROWS_AT_ONCE))
    yield rows.map(({ line }) => line)
}

async function* noLines(): AsyncGenerator<string[]> {}
