import { type Kysely, type RawBuilder, sql } from 'kysely'
import { readBatches } from '../snapshot.ts'
import type { DialectName } from '../url.ts'
import { type TableFormat, type ArchiveFormat, tablesOf } from './format.ts'

const ROWS_AT_ONCE = 2_000

export interface ArchiveChunk {
  text: string
  /** Number of rows in this chunk. */
  rows: number
  /** Number of rows in the whole file. */
  of: number
}

/** A content that is stored outside the database. */
export interface ArchivedContent {
  key: string
  bytes: number
  stream: AsyncIterable<Uint8Array>
}

interface Source<Tables> {
  read: Kysely<Tables>
  dialect: DialectName
  format: ArchiveFormat
  /** Called after the rows are written. */
  contents?: () => AsyncIterable<ArchivedContent>
}

/** Far below the longest line that is read, in base64. */
const PIECE_BYTES = 512 * 1024

/**
 * Writes all rows that `read` sees as lines of JSON: a header, then each table with its rows, then
 * the contents, then `{"end":true}`. `read` must be one connection in a transaction with one snapshot. `consume` is
 * awaited for each chunk, and only one chunk is held at a time. `now` is in Unix seconds.
 */
export async function writeArchive<Tables>(
  { read: typed, dialect, format, contents }: Source<Tables>,
  now: number,
  consume: (piece: ArchiveChunk) => Promise<void>,
): Promise<void> {
  const read = typed as unknown as Kysely<unknown>
  const counts = await numbers(
    read,
    tablesOf(format),
    (table) => sql`select count(*) as number from ${sql.table(table)}`,
  )
  const last_ids = await numbers(read, format.numbered, (table) =>
    dialect === 'sqlite'
      ? sql`select max(seq) as number from sqlite_sequence where name = ${table}`
      : sql`select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass) as number`,
  )
  const of = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const writeLine = (line: unknown) => consume({ text: `${JSON.stringify(line)}\n`, rows: 0, of })
  await writeLine({ format: format.name, version: format.version, exported_at: now, counts, last_ids })
  for (const [table, { columns, orderBy }] of Object.entries(format.tables)) {
    await writeLine({ table, columns: Object.keys(columns) })
    for await (const lines of linesOf(read, dialect, { table, columns, orderBy }))
      await consume({ text: `${lines.join('\n')}\n`, rows: lines.length, of })
  }
  for await (const { key, bytes, stream } of contents?.() ?? []) {
    await writeLine({ content: key, bytes })
    for await (const piece of stream) for (const line of toLines(piece)) await writeLine(line)
  }
  await writeLine({ end: true })
}

function* toLines(piece: Uint8Array): Generator<string> {
  for (let at = 0; at < piece.length; at += PIECE_BYTES)
    yield Buffer.from(piece.subarray(at, at + PIECE_BYTES)).toString('base64')
}

async function numbers(
  read: Kysely<unknown>,
  tables: readonly string[],
  queryOf: (table: string) => RawBuilder<unknown>,
): Promise<Record<string, number>> {
  const entries: [string, number][] = []
  for (const table of tables) {
    const { rows } = await queryOf(table).execute(read)
    entries.push([table, (rows as { number: number | null }[])[0]?.number ?? 0])
  }
  return Object.fromEntries(entries)
}

/**
 * The rows of a table as JSON lists, one batch at a time. The engine builds the JSON, which is
 * faster than doing it here.
 */
async function* linesOf(
  read: Kysely<unknown>,
  dialect: DialectName,
  { table, columns, orderBy }: TableFormat & { table: string },
): AsyncGenerator<string[]> {
  const names = Object.keys(columns).map((column) => sql.ref(column))
  const order = sql.join(orderBy.map((column) => sql.ref(column)))
  const query = sql<{ line: string }>`select ${asList(dialect, names)} as line
    from ${sql.table(table)} order by ${order}`
  for await (const rows of readBatches({ read, dialect }, query, ROWS_AT_ONCE))
    yield rows.map(({ line }) => line)
}

/** A JSON array, without the blanks of PostgreSQL's own arrays: both engines return one text. */
function asList(dialect: DialectName, names: readonly RawBuilder<unknown>[]): RawBuilder<string> {
  if (dialect === 'sqlite') return sql<string>`json_array(${sql.join(names)})`
  const values = names.map((name) => sql`coalesce(to_json(${name})::text, 'null')`)
  return sql<string>`'[' || ${sql.join(values, sql` || ',' || `)} || ']'`
}
