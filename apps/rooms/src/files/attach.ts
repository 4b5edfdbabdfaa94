import { HOUR_MS } from '@latchkey/http/duration'
import type { RoomMessageRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'

/** An upload that no message has by then is deleted. */
export const UPLOAD_LIFETIME_MS = HOUR_MS

/**
 * Gives uploads to a message that was just stored, in this order. Throws 404 unless each is the
 * author's own, in the same room, in no message yet and not too old.
 */
export async function attachFiles(
  tx: Tx,
  { id, room_id, user_id }: RoomMessageRow,
  fileIds: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const [position, fileId] of fileIds.entries()) {
    const { numUpdatedRows } = await tx
      .updateTable('files')
      .set({ message_id: id, position })
      .where('id', '=', fileId)
      .where('room_id', '=', room_id)
      .where('user_id', '=', user_id)
      .where('message_id', 'is', null)
      .where('created_at', '>', nowMs - UPLOAD_LIFETIME_MS)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw failure('not_found')
  }
}
