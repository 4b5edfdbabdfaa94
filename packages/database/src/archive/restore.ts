import type { Bulk, Rows } from './bulk-types.ts'
import { openBulk } from './bulk.ts'
import { type ArchiveFormat, tablesOf } from './format.ts'
import { type Batch, type ContentPiece, InvalidArchive, readArchive } from './reader.ts'

/** The database already has rows in `table`. */
export class DatabaseNotEmpty extends Error {
  override readonly name = 'DatabaseNotEmpty'

  constructor(table: string) {
    super(
      `The instance is not empty (it has rows of ${table}): an archive is imported only into an empty one`,
    )
  }
}

/** Options of `restoreArchive`. */
export interface RestoreOptions<Table extends string> {
  /** A migrated database that is empty except for the tables in `replaced`. */
  databaseUrl: string
  source: AsyncIterable<Uint8Array>
  format: ArchiveFormat<Table>
  /**
   * Tables that already have rows after an instance's first start. The rows of the file replace
   * them.
   */
  replaced: readonly Table[]
  /** Reads and checks the file without writing. */
  dryRun: boolean
  /** Called after every batch with the rows so far and the rows of the whole file. */
  onRows?: (rows: number, of: number) => void
  /** Runs before the first row. The function that it returns runs after the last. */
  begin?: (bulk: Bulk) => Promise<() => Promise<void>>
  /** Stores the contents, which come after the rows and are kept even if the restore then fails. */
  onContent?: (piece: ContentPiece) => Promise<void>
  /** Adds the columns that only this program needs to a batch. */
  complete?: (rows: Rows) => Rows
}

/**
 * Restores an archive of `writeArchive` into an empty database of either engine, all or nothing. An
 * interrupted restore has changed nothing and can be run again. Returns the number of rows of each
 * table. Throws `InvalidArchive`, `DatabaseNotEmpty` and `DatabaseInUse`.
 */
export async function restoreArchive<Table extends string>(
  options: RestoreOptions<Table>,
): Promise<Record<Table, number>> {
  if (options.dryRun) return (await readAll(options, async () => {})).counts
  const bulk = await openBulk(options.databaseUrl)
  try {
    await requireEmpty(bulk, options)
    const finish = await options.begin?.(bulk)
    const { counts, lastIds } = await readAll(options, (batch) =>
      bulk.insert(requireComplete(batch, options)),
    )
    await finish?.()
    await advanceSequences(bulk, options.format.numbered, lastIds)
    await bulk.commit()
    return counts
  } catch (error) {
    throw explainError(error)
  } finally {
    await bulk.close()
  }
}

function requireComplete<Table extends string>(
  { table, columns, rows }: Batch<Table>,
  options: RestoreOptions<Table>,
): Rows {
  const tableColumns = options.format.tables[table].columns
  const types = columns.map((column) => tableColumns[column]?.type ?? 'text')
  const batch = { table, columns, rows, types }
  return options.complete?.(batch) ?? batch
}

/** Passes the file to `use` batch by batch. */
async function readAll<Table extends string>(
  { source, format, onRows, onContent, dryRun }: RestoreOptions<Table>,
  use: (batch: Batch<Table>) => Promise<void>,
): Promise<{ counts: Record<Table, number>; lastIds: Readonly<Record<string, number>> }> {
  const counts = Object.fromEntries(tablesOf(format).map((table) => [table, 0])) as Record<Table, number>
  const batches = readArchive(source, format)
  // The next batch is read while the database writes the last one.
  let used = Promise.resolve()
  let rows = 0
  for (;;) {
    const { done, value } = await batches.next()
    await used
    if (done) return { counts, lastIds: value }
    if ('piece' in value) {
      if (!dryRun) await onContent?.(value)
      continue
    }
    used = use(value)
    // The `await used` above reports the error.
    used.catch(() => {})
    counts[value.table] += value.rows.length
    rows += value.rows.length
    onRows?.(rows, value.of)
  }
}

async function requireEmpty<Table extends string>(
  bulk: Bulk,
  { format, replaced }: RestoreOptions<Table>,
): Promise<void> {
  for (const table of tablesOf(format))
    if (replaced.includes(table)) await bulk.run(`delete from ${table}`)
    else if ((await bulk.column(`select 1 from ${table} limit 1`)).length > 0)
      throw new DatabaseNotEmpty(table)
}

/** The next ids are those that the exported database would have assigned next. */
async function advanceSequences(
  bulk: Bulk,
  tables: readonly string[],
  lastIds: Readonly<Record<string, number>>,
): Promise<void> {
  for (const table of tables) {
    const idsQuery = `select ${lastIds[table] ?? 0} as id union all select coalesce(max(id), 0) from ${table}`
    if (bulk.dialect === 'postgres')
      await bulk.run(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from (${idsQuery}) as known
        having max(id) > 0`)
    else
      await bulk.run(
        `delete from sqlite_sequence where name = '${table}'`,
        `insert into sqlite_sequence (name, seq) select '${table}', max(id) from (${idsQuery})`,
      )
  }
}

/** Turns the engine's refusal of a value in the file into `InvalidArchive`. */
function explainError(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code)
  // SQLSTATE classes 22 and 23: invalid data and violated constraints.
  if (!/^SQLITE_(CONSTRAINT|MISMATCH|RANGE)|^2[23]...$/.test(code)) return error
  return new InvalidArchive(`The database rejects the file: ${(error as Error).message}`)
}
