import { Database as SqliteFile } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Page cache of each handle, in KiB. SQLite's default of 2 MB misses inner pages at a million
 * links.
 */
const CACHE_KIB = 4_096
/** How long a handle waits for the lock of another, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000
const BUSY_RETRY_MS = 5

/**
 * Opens a SQLite file with the settings of every Latchkey database: busy timeout first, then
 * write-ahead log, foreign keys on, and commits that reach the disk (`synchronous=FULL`). Missing
 * folders are created.
 */
export function openSqliteFile(
  path: string,
  options: {
    readonly?: boolean
    cacheKib?: number
    checkpointPages?: number
    /** Whether deleted rows are overwritten. */
    secureDelete?: boolean
  } = {},
): SqliteFile {
  const isNew = !options.readonly && !existsSync(path)
  const firstMade = isNew ? mkdirSync(dirname(path), { recursive: true }) : undefined
  // Accessible to the owner only: the file holds hashes of keys and sessions. SQLite creates the
  // log and its index with the same mode.
  if (isNew) closeSync(openSync(path, 'a', 0o600))
  const file = options.readonly
    ? new SqliteFile(path, { readonly: true, strict: true })
    : new SqliteFile(path, { create: true, readwrite: true, strict: true })
  file.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  if (!options.readonly) useLog(file)
  file.run('pragma synchronous = full')
  file.run('pragma foreign_keys = on')
  file.run(`pragma cache_size = -${options.cacheKib ?? CACHE_KIB}`)
  if (options.secureDelete) file.run('pragma secure_delete = on')
  if (options.checkpointPages !== undefined)
    file.run(`pragma wal_autocheckpoint = ${options.checkpointPages}`)
  if (isNew) syncNames(path, firstMade)
  return file
}

/**
 * Sets write-ahead mode. While another process writes to the same new file, SQLite refuses this at
 * once, whatever the busy timeout.
 */
function useLog(file: SqliteFile): void {
  const deadlineMs = performance.now() + BUSY_TIMEOUT_MS
  for (;;)
    try {
      return void file.run('pragma journal_mode = wal')
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || performance.now() > deadlineMs) throw error
      Bun.sleepSync(BUSY_RETRY_MS)
    }
}

/**
 * Syncs folders: a new file's name is on disk only after its folder is synced, and a new folder's
 * name after its parent is.
 */
function syncNames(path: string, firstMade: string | undefined): void {
  const last = dirname(firstMade ?? path)
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    syncFolder(folder)
    if (folder.length <= last.length) return
  }
}

/** Returns when the names in this folder are on disk. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
