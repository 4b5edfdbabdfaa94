import type { NotificationSettingsRow } from '../db/notification-rows.ts'
import type { Db, Tx } from '../db/tables.ts'
import type { NotificationLevel } from '../rooms/notification-levels.ts'
import { NEW_STATE } from '../rooms/user-state.ts'

export async function findNotificationSettings(
  db: Db,
  userId: string,
): Promise<NotificationSettingsRow | undefined> {
  return db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

export async function putNotificationSettings(tx: Tx, row: NotificationSettingsRow): Promise<void> {
  await tx
    .insertInto('notification_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute()
}

/** Stores the level. A user without a read mark begins to read at `readSeq`. */
export async function putNotificationLevel(
  tx: Tx,
  {
    roomId,
    userId,
    readSeq,
    level,
  }: { roomId: string; userId: string; readSeq: number; level: NotificationLevel },
): Promise<void> {
  await tx
    .insertInto('room_user_states')
    .values({ ...NEW_STATE, room_id: roomId, user_id: userId, last_read_seq: readSeq, level })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet({ level }))
    .execute()
}
