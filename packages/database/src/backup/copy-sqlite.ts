import { Database as SqliteFile } from 'bun:sqlite'
import { accessSync, constants, existsSync } from 'node:fs'
import { lstat, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { openSqliteFile } from '../sqlite-file.ts'

export interface Backup {
  bytes: number
  /** Number of rows of every table. */
  rows: ReadonlyMap<string, number>
}

/** The reason why there is no backup, in one sentence. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure'
}

/**
 * Throws `BackupFailure` when `file` already exists or its folder does not, and the error of the file
 * system when this user may not write to that folder.
 */
export function checkBackupTarget(file: string): void {
  if (existsSync(file))
    throw new BackupFailure(`${file} already exists, and a backup never overwrites a file`)
  try {
    // A relative path says nothing where this user may not open the current folder.
    accessSync(dirname(resolve(file)), constants.W_OK | constants.X_OK)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw isMissing ? new BackupFailure(`The folder ${dirname(file)} does not exist`) : error
  }
}

/**
 * Copies the SQLite database at `path`, in use or not, to a new file. The copy holds the
 * transactions committed before it begins, and gets its name only after it has been checked and is
 * on disk. The tables in `without` are empty in the copy, for data that no copy may hold. Throws
 * `BackupFailure`.
 *
 * @example await copyDatabase('./data/rooms.db', '/backup/rooms.db') // { bytes: 90112, rows: Map(11) }
 */
export async function copyDatabase(
  path: string,
  file: string,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<Backup> {
  checkBackupTarget(file)
  await removeLeftOvers(dirname(file))
  const partial = join(dirname(file), `.${basename(file)}.${process.pid}.partial`)
  try {
    const rows = await copy(path, partial, without)
    await syncToDisk(partial)
    const { size } = await stat(partial)
    await rename(partial, file)
    await syncToDisk(dirname(file))
    return { bytes: size, rows }
  } finally {
    for (const each of [partial, `${partial}-journal`]) await rm(each, { force: true })
  }
}

/**
 * Another host that shares the folder may run a backup under a process id that is unused here. No
 * backup takes longer than this.
 */
const LEFT_OVER_MS = 24 * 3_600_000

/**
 * Removes partial files of this user that killed backups left in the folder, whatever the name of
 * the backup: it usually contains the date.
 */
async function removeLeftOvers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^\..+\.([1-9]\d*)\.partial(?:-journal)?$/.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    const partial = join(folder, name)
    const stats = await lstat(partial).catch(() => undefined)
    if (!stats?.isFile() || stats.uid !== process.getuid?.()) continue
    if (Date.now() - stats.mtimeMs > LEFT_OVER_MS) await rm(partial, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user (EPERM) is running, too.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

async function copy(
  from: string,
  to: string,
  without: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const source = openSqliteFile(from, { readonly: true })
  try {
    await rm(to, { force: true })
    // Readable by the owner only: the copy holds hashes of keys and sessions.
    await (await open(to, 'wx', 0o600)).close()
    // The copy is one snapshot. Rows are not counted in the source, because writers continue there.
    vacuumInto(source, to)
    const tables = tablesOf(source)
    eraseRows(
      to,
      without.filter((table) => tables.includes(table)),
    )
    const rows = verifySqlite(to)
    const missing = tables.find((table) => !rows.has(table))
    if (missing !== undefined) throw new BackupFailure(`The copy is missing the table ${missing}`)
    return rows
  } finally {
    source.close()
  }
}

/** Throws `BackupFailure` where the copy has no room: its disk may not be that of the database. */
function vacuumInto(source: SqliteFile, to: string): void {
  try {
    source.run('vacuum into ?', [to])
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_FULL') throw error
    throw new BackupFailure(`The disk is full: free up space in ${dirname(to)}`)
  }
}

/** Overwrites the rows. Without `secure_delete`, SQLite would only mark their space as free. */
function eraseRows(path: string, tables: readonly string[]): void {
  if (tables.length === 0) return
  const file = new SqliteFile(path, { readwrite: true, strict: true })
  try {
    // A journal on disk would also hold the rows.
    file.run('pragma journal_mode = memory')
    file.run('pragma secure_delete = on')
    for (const table of tables) file.run(`delete from "${table}"`)
  } finally {
    file.close()
  }
}

/**
 * Checks a copy, and returns the number of rows of every table. Throws `BackupFailure` if it is
 * damaged.
 */
export function verifySqlite(path: string): Map<string, number> {
  const file = openSqliteFile(path, { readonly: true })
  try {
    const problems = file.query<{ integrity_check: string }, []>('pragma integrity_check').all()
    const [first] = problems
    if (first?.integrity_check !== 'ok')
      throw new BackupFailure(`The copy is damaged: ${first?.integrity_check}`)
    const orphans = file.query('pragma foreign_key_check').all().length
    if (orphans > 0)
      throw new BackupFailure(`The copy is damaged: ${orphans} rows refer to rows that do not exist`)
    return countRows(file)
  } finally {
    file.close()
  }
}

function countRows(file: SqliteFile): Map<string, number> {
  return new Map(
    tablesOf(file).map((name) => [
      name,
      file.query<{ count: number }, []>(`select count(*) as count from "${name}"`).get()?.count ?? 0,
    ]),
  )
}

function tablesOf(file: SqliteFile): string[] {
  return file
    .query<{ name: string }, []>(`select name from sqlite_schema where type = 'table' order by name`)
    .all()
    .map(({ name }) => name)
}

/** Returns when a file, or the names in a folder, are on disk. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
