import { Database as SqliteFile } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** How much of the database each handle keeps in memory, in KiB; SQLite's default of 2 MB misses inner pages at a million links. */
const CACHE_KIB = 4_096
const BUSY_TIMEOUT_MS = 5_000

/**
 * Opens a SQLite file the way every part of Latchkey does: busy timeout first, then write-ahead log, foreign keys on,
 * and a commit that reaches the disk (`synchronous=FULL`). Missing folders are created.
 */
export function openSqliteFile(
  path: string,
  options: { readonly?: boolean; cacheKib?: number; checkpointPages?: number } = {},
): SqliteFile {
  if (!options.readonly) mkdirSync(dirname(path), { recursive: true })
  const file = options.readonly
    ? new SqliteFile(path, { readonly: true, strict: true })
    : new SqliteFile(path, { create: true, readwrite: true, strict: true })
  file.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  if (!options.readonly) file.run('pragma journal_mode = wal')
  file.run('pragma synchronous = full')
  file.run('pragma foreign_keys = on')
  file.run(`pragma cache_size = -${options.cacheKib ?? CACHE_KIB}`)
  if (options.checkpointPages !== undefined)
    file.run(`pragma wal_autocheckpoint = ${options.checkpointPages}`)
  return file
}
