import { LAST_BACKUP, type LastBackup, parseLastBackup } from '@latchkey/database/backup/last-backup'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

export async function saveLastBackup(tx: Kysely<Tables>, backup: LastBackup): Promise<void> {
  const value = JSON.stringify(backup)
  await tx
    .insertInto('instance')
    .values({ name: LAST_BACKUP, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** The last backup of all that was verified; undefined without one. */
export async function findLastBackup(db: Kysely<Tables>): Promise<LastBackup | undefined> {
  const row = await db
    .selectFrom('instance')
    .select('value')
    .where('name', '=', LAST_BACKUP)
    .executeTakeFirst()
  return parseLastBackup(row?.value)
}
