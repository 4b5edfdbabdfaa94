import { LAST_BACKUP, type LastBackup } from '@latchkey/database/backup/last-backup'
import type { Tx } from '../db/tables.ts'
import { saveState } from '../platform/store.ts'

export function saveLastBackup(tx: Tx, backup: LastBackup): Promise<void> {
  return saveState(tx, LAST_BACKUP, JSON.stringify(backup), backup.at * 1000)
}
