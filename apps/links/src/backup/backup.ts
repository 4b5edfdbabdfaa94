import { existsSync } from 'node:fs'
import { type Backup, checkBackupTarget, copyDatabase } from '@latchkey/database/backup'
import { sqlitePath } from '@latchkey/database/url'
import { Drain } from '../clicks/drain.ts'

/**
 * Copies the SQLite database of a service, running or not, to a new file, and with it the clicks that wait in the journal.
 * Salts of visitor hashes stay behind, so that nobody can test addresses against the hashes in the copy. Throws `BackupFailure`.
 */
export async function backUp(
  { databaseUrl, journal }: { databaseUrl: string; journal: string },
  file: string,
): Promise<Backup> {
  checkBackupTarget(file)
  await drainJournal(sqlitePath(journal), databaseUrl)
  return copyDatabase(sqlitePath(databaseUrl), file, { without: ['visitor_salt'] })
}

/** Counts the clicks that wait in a journal; safe beside the server, which counts them too. */
export async function drainJournal(journalPath: string, databaseUrl: string): Promise<void> {
  if (!existsSync(journalPath)) return
  const drain = new Drain(journalPath, databaseUrl)
  try {
    const upTo = drain.syncJournal()
    while ((await drain.step(upTo)).clicks > 0);
  } finally {
    await drain.close()
  }
}
