import { type Bulk, type Rows, openBulk } from './bulk.ts'
import { type ArchiveFormat, tablesOf } from './format.ts'
import { type Batch, InvalidArchive, readArchive } from './reader.ts'

/** There are rows that the file's would stand beside; `table` is where. */
export class DatabaseNotEmpty extends Error {
  override readonly name = 'DatabaseNotEmpty'

  constructor(table: string) {
    super(`The instance is not empty, it has rows of ${table}: everything is imported into an empty one only`)
  }
}

/** What `restoreArchive` works with. */
export interface RestoreOptions<Table extends string> {
  /** Migrated, and empty but for `replaced`. */
  databaseUrl: string
  source: AsyncIterable<Uint8Array>
  format: ArchiveFormat<Table>
  /** What an instance has that was started once; the file takes its place. */
  replaced: readonly Table[]
  /** Only reads and checks the file. */
  dryRun: boolean
  /** Told after every batch. */
  onRows?: (rows: number, of: number) => void
  /** Before the first row; returns what is done after the last. */
  around?: (bulk: Bulk) => Promise<() => Promise<void>>
  /** The columns of a batch that only this program needs. */
  complete?: (rows: Rows) => Rows
}

/**
 * Takes a file of `writeArchive` into an empty database of either engine, all or nothing: what is interrupted has changed nothing
 * and is run again. Returns the rows of each table. Throws `InvalidArchive`, `DatabaseNotEmpty` and `DatabaseInUse`.
 */
export async function restoreArchive<Table extends string>(
  options: RestoreOptions<Table>,
): Promise<Record<Table, number>> {
  if (options.dryRun) return (await readAll(options, async () => {})).counts
  const bulk = await openBulk(options.databaseUrl)
  try {
    await requireEmpty(bulk, options)
    const finish = await options.around?.(bulk)
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
  const known = options.format.tables[table].columns
  const types = columns.map((column) => known[column]?.type ?? 'text')
  const batch = { table, columns, rows, types }
  return options.complete?.(batch) ?? batch
}

/** Hands the file on batch by batch. */
async function readAll<Table extends string>(
  { source, format, onRows }: RestoreOptions<Table>,
  use: (batch: Batch<Table>) => Promise<void>,
): Promise<{ counts: Record<Table, number>; lastIds: Readonly<Record<string, number>> }> {
  const counts = Object.fromEntries(tablesOf(format).map((table) => [table, 0])) as Record<Table, number>
  const batches = readArchive(source, format)
  // The next batch is read while the database works on the last.
  let used = Promise.resolve()
  let rows = 0
  for (;;) {
    const { done, value } = await batches.next()
    await used
    if (done) return { counts, lastIds: value }
    used = use(value)
    // Told by whoever waits for it above.
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

/** The next ids are those that the other database would have given next. */
async function advanceSequences(
  bulk: Bulk,
  tables: readonly string[],
  lastIds: Readonly<Record<string, number>>,
): Promise<void> {
  for (const table of tables) {
    const known = `select ${lastIds[table] ?? 0} as id union all select coalesce(max(id), 0) from ${table}`
    if (bulk.dialect === 'postgres')
      await bulk.run(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from (${known}) as known
        having max(id) > 0`)
    else
      await bulk.run(
        `delete from sqlite_sequence where name = '${table}'`,
        `insert into sqlite_sequence (name, seq) select '${table}', max(id) from (${known})`,
      )
  }
}

/** What the engine says about a value that the file may not have. */
function explainError(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code)
  // SQLSTATE classes 22 and 23: data that cannot be, or breaks a constraint.
  if (!/^SQLITE_(CONSTRAINT|MISMATCH|RANGE)|^2[23]...$/.test(code)) return error
  return new InvalidArchive(`The file is refused by the database: ${(error as Error).message}`)
}
