import { LAST_BACKUP, type LastBackup, parseLastBackup } from '@latchkey/database/backup/last-backup'
import type { Db, Tx } from '../db/tables.ts'
import { findState, saveState } from '../platform/store.ts'

export function saveLastBackup(tx: Tx, backup: LastBackup): Promise<void> {
  return saveState(tx, LAST_BACKUP, JSON.stringify(backup), backup.at * 1000)
}

/** The last backup of all that was verified; undefined without one. */
export async function findLastBackup(db: Db): Promise<LastBackup | undefined> {
  return parseLastBackup(await findState(db, LAST_BACKUP))
}
