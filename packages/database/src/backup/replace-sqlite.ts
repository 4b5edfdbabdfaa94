import type { Database as SqliteFile } from 'bun:sqlite'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import { takeAlone } from '../archive/bulk-sqlite.ts'
import { openSqliteFile } from '../sqlite-file.ts'
import { sqliteDialect } from '../sqlite.ts'
import { syncToDisk } from './copy-sqlite.ts'

/**
 * Runs `work` in one transaction on a copy that no service uses yet. The copy has no journal on disk,
 * so a copy that a crash leaves is useless.
 */
export async function changeSqliteCopy(
  path: string,
  work: (db: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  const file = openSqliteFile(path)
  const db = new Kysely<unknown>({ dialect: sqliteDialect(file) })
  try {
    file.run('pragma journal_mode = memory')
    file.run('pragma secure_delete = on')
    await db.transaction().execute(work)
  } finally {
    await db.destroy()
    file.close()
  }
}

/**
 * Puts a copy in the place of the SQLite database at `path`, whether that exists or not, and is the
 * only one to use the database meanwhile. `compare` reads both before: the copy is attached as
 * `restored`. Throws `DatabaseInUse`.
 */
export async function replaceSqlite(
  path: string,
  copy: string,
  compare: (db: Kysely<unknown>) => Promise<void>,
): Promise<void> {
  const replaced = openAlone(path)
  try {
    if (replaced) {
      replaced.run('attach ? as restored', [copy])
      const db = new Kysely<unknown>({ dialect: sqliteDialect(replaced) })
      await compare(db)
      await db.destroy()
      replaced.run('detach restored')
    }
    await syncToDisk(copy)
    // SQLite would apply the log of a damaged database to its replacement.
    if (!replaced) for (const end of ['-wal', '-shm', '-journal']) await rm(path + end, { force: true })
    await rename(copy, path)
    await syncToDisk(dirname(path))
  } finally {
    // In delete mode: closing must not touch a log of this name.
    replaced?.close()
  }
}

/** Undefined for a file that is no database any more: no service can use it. */
function openAlone(path: string): SqliteFile | undefined {
  let file: SqliteFile | undefined
  try {
    file = openSqliteFile(path)
    takeAlone(file)
    file.run('pragma main.locking_mode = exclusive')
    file.run('begin exclusive')
    // The lock stays with the connection.
    file.run('commit')
    return file
  } catch (error) {
    file?.close()
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(String((error as { code?: unknown }).code))) return undefined
    throw error
  }
}
