import type { Database } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { snapshot } from '../../db/snapshot.ts'
import type { Tables } from '../../db/tables.ts'
import {
  FORMAT,
  type InstanceTable,
  type LastIds,
  type TableFormat,
  VERSION,
  instanceTableNames,
  instanceTables,
  numberedTables,
} from './tables.ts'

const ROWS_AT_ONCE = 2_000

export interface Piece {
  text: string
  /** Rows that it holds. */
  rows: number
  /** Rows of the whole file. */
  of: number
}

/**
 * Everything the instance holds, as lines of JSON: a header, then each table with its rows, then `{"end":true}`. All of it
 * is one moment; `consume` is awaited piece by piece, and no more than a piece is held.
 */
export async function exportInstance(
  database: Database<Tables>,
  now: number,
  consume: (piece: Piece) => Promise<void>,
): Promise<void> {
  await snapshot(database, async ({ read, dialect }) => {
    const counts = await countRows(read)
    const of = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const say = (line: unknown) => consume({ text: `${JSON.stringify(line)}\n`, rows: 0, of })
    const last_ids = await lastIds(read, dialect)
    await say({ format: FORMAT, version: VERSION, exported_at: now, counts, last_ids })
    for (const table of instanceTableNames) {
      await say({ table, columns: Object.keys(instanceTables[table].columns) })
      for await (const lines of linesOf(read, dialect, table))
        await consume({ text: `${lines.join('\n')}\n`, rows: lines.length, of })
    }
    await say({ end: true })
  })
}

async function countRows(read: Kysely<Tables>): Promise<Record<InstanceTable, number>> {
  const counts: [string, number][] = []
  for (const table of instanceTableNames) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      read,
    )
    counts.push([table, rows[0]?.count ?? 0])
  }
  return Object.fromEntries(counts) as Record<InstanceTable, number>
}

async function lastIds(read: Kysely<Tables>, dialect: DialectName): Promise<LastIds> {
  const ids: LastIds = { link: 0, bundle: 0, api_key: 0 }
  for (const table of numberedTables) {
    const { rows } = await sql<{ last: number | null }>`select ${
      dialect === 'sqlite'
        ? sql`(select seq from sqlite_sequence where name = ${table})`
        : sql`pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass)`
    } as last`.execute(read)
    ids[table] = rows[0]?.last ?? 0
  }
  return ids
}

/** The rows of a table as JSON lists, a batch at a time. The engine writes them: that is faster than doing it here. */
async function* linesOf(
  read: Kysely<Tables>,
  dialect: DialectName,
  table: InstanceTable,
): AsyncGenerator<string[]> {
  const { columns, orderBy }: TableFormat = instanceTables[table]
  const names = Object.keys(columns).map((column) => sql.ref(column))
  const order = sql.join(orderBy.map((column) => sql.ref(column)))
  const query = sql<{ line: string }>`select ${asList(dialect, names)} as line
    from ${sql.table(table)} order by ${order}`
  if (dialect === 'sqlite') {
    for await (const { rows } of read
      .getExecutor()
      .stream<{ line: string }>(query.compile(read), ROWS_AT_ONCE))
      yield rows.map((row) => row.line)
    return
  }
  await sql`declare lines no scroll cursor for ${query}`.execute(read)
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(ROWS_AT_ONCE)} from lines`.execute(read)
    if (rows.length > 0) yield rows.map((row) => row.line)
    if (rows.length < ROWS_AT_ONCE) break
  }
  await sql`close lines`.execute(read)
}

/** The same text on both engines; PostgreSQL's own list would have blanks in it. */
function asList(dialect: DialectName, names: readonly RawBuilder<unknown>[]): RawBuilder<string> {
  if (dialect === 'sqlite') return sql<string>`json_array(${sql.join(names)})`
  const values = names.map((name) => sql`coalesce(to_json(${name})::text, 'null')`)
  return sql<string>`'[' || ${sql.join(values, sql` || ',' || `)} || ']'`
}
