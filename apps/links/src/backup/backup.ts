import { existsSync } from 'node:fs'
import { type Backup, checkBackupTarget, copyDatabase } from '@latchkey/database/backup/copy-sqlite'
import { sqlitePath } from '@latchkey/database/url'
import { Drain, type DrainOptions } from '../counting/drain.ts'

/**
 * Copies the SQLite database of a running or stopped service to a new file, including the pending
 * clicks of the journal. Salts of visitor hashes are left out, because they allow addresses to be
 * tested against the hashes in the copy; so are the icons of destinations, a cache. Throws `BackupFailure`.
 */
export async function backUp(
  { journal, ...options }: Omit<DrainOptions, 'journalPath'> & { journal: string },
  file: string,
): Promise<Backup> {
  checkBackupTarget(file)
  await drainJournal({ ...options, journalPath: sqlitePath(journal) })
  return copyDatabase(sqlitePath(options.databaseUrl), file, { without: ['visitor_salt', 'favicon'] })
}

/**
 * Counts the pending clicks of a journal. Safe while the server, which counts them too, is running.
 */
export async function drainJournal(options: DrainOptions): Promise<void> {
  if (!existsSync(options.journalPath)) return
  const drain = new Drain(options)
  try {
    const upTo = drain.syncJournal()
    while ((await drain.step(upTo)).clicks > 0);
  } finally {
    await drain.close()
  }
}
