import { Database as SqliteFile } from 'bun:sqlite'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailure } from '../command.ts'
import { sumsPath } from './archive-writer.ts'

const PARTIAL = '.partial'

/** Where an archive is written until it is complete and verified. */
export const partialPath = (file: string) => `${file}${PARTIAL}`
/** The copy of a SQLite database on its way into the archive. */
export const copyPath = (partial: string) => `${partial}.db`
const lockPath = (partial: string) => `${partial}.lock`

/** Deletes an archive that is not complete, with what lies beside it. */
export async function deletePartial(partial: string): Promise<void> {
  for (const path of [copyPath(partial), `${copyPath(partial)}-journal`, partial, sumsPath(partial)])
    await rm(path, { force: true })
}

/** A backup that was interrupted continues within this time. */
const LEFT_OVER_MS = 24 * 3_600_000

/** `lockPartial` while `work` runs. */
export async function withPartialLock<Result>(partial: string, work: () => Promise<Result>): Promise<Result> {
  const release = lockPartial(partial)
  try {
    return await work()
  } finally {
    await release()
  }
}

/**
 * Lets only one process write the file, and returns the function that ends this. The lock also ends
 * with its process, however that ends. Throws `CommandFailure` while another has it.
 */
export function lockPartial(partial: string): () => Promise<void> {
  const lock = acquire(partial)
  if (!lock) throw new CommandFailure(`Another process is writing ${partial}`)
  return async () => {
    await rm(lockPath(partial), { force: true })
    lock.close()
  }
}

/** Deletes what interrupted backups of other names left in the folder a day ago. */
export async function deleteLeftOvers(folder: string, own: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const partial = join(folder, name)
    if (!name.endsWith(PARTIAL) || partial === own) continue
    const stats = await lstat(partial)
    const isOld = stats.isFile() && Date.now() - stats.mtimeMs > LEFT_OVER_MS
    const hasSums = await lstat(sumsPath(partial)).then(
      () => true,
      () => false,
    )
    if (!isOld || !hasSums || stats.uid !== process.getuid?.()) continue
    const lock = acquire(partial)
    if (!lock) continue
    await deletePartial(partial)
    await rm(lockPath(partial), { force: true })
    lock.close()
  }
}

/** SQLite's lock on a file of its own. Undefined while another process has it. */
function acquire(partial: string): SqliteFile | undefined {
  const path = lockPath(partial)
  const file = new SqliteFile(path, { create: true, readwrite: true, strict: true })
  try {
    file.run('begin exclusive')
    return file
  } catch (error) {
    file.close()
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
}
