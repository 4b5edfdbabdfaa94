import { Database as SqliteFile } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** How much of the database each handle keeps in memory, in KiB; SQLite's default of 2 MB misses inner pages at a million links. */
const CACHE_KIB = 4_096
/** How long a handle waits for another's lock. */
export const BUSY_TIMEOUT_MS = 5_000
const BUSY_RETRY_MS = 5

/**
 * Opens a SQLite file the way every part of Latchkey does: busy timeout first, then write-ahead log, foreign keys on,
 * and a commit that reaches the disk (`synchronous=FULL`). Missing folders are created.
 */
export function openSqliteFile(
  path: string,
  options: { readonly?: boolean; cacheKib?: number; checkpointPages?: number } = {},
): SqliteFile {
  const isNew = !options.readonly && !existsSync(path)
  const firstMade = isNew ? mkdirSync(dirname(path), { recursive: true }) : undefined
  // For its owner alone, as are the log and its index, which SQLite makes like it: hashes of keys and sessions are in there.
  if (isNew) closeSync(openSync(path, 'a', 0o600))
  const file = options.readonly
    ? new SqliteFile(path, { readonly: true, strict: true })
    : new SqliteFile(path, { create: true, readwrite: true, strict: true })
  file.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  if (!options.readonly) useLog(file)
  file.run('pragma synchronous = full')
  file.run('pragma foreign_keys = on')
  file.run(`pragma cache_size = -${options.cacheKib ?? CACHE_KIB}`)
  if (options.checkpointPages !== undefined)
    file.run(`pragma wal_autocheckpoint = ${options.checkpointPages}`)
  if (isNew) syncNames(path, firstMade)
  return file
}

/** Whoever does this while another process writes to the same new file is refused by SQLite at once, whatever the busy timeout. */
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

/** A new file's name is on disk only when its folder is, and a new folder's when the one above it is. */
function syncNames(path: string, firstMade: string | undefined): void {
  const last = dirname(firstMade ?? path)
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    syncFolder(folder)
    if (folder.length <= last.length) return
  }
}

/** Ends when the names in this folder are on disk. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
