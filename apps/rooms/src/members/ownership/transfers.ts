import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Db, RoomOwnershipTransferRow, Tx } from '../../db/tables.ts'
import type { ClusterEvent } from '../../api/cluster-events.ts'

/** Pending transfer of a room; undefined also after its expiry. */
export async function findTransfer(
  db: Db,
  roomId: string,
  nowMs: number,
): Promise<RoomOwnershipTransferRow | undefined> {
  return db
    .selectFrom('room_ownership_transfers')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst()
}

/** Ends the transfer of the room, or only one to this user. Undefined if there was none. */
export async function deleteTransfer(
  tx: Tx,
  roomId: string,
  toUserId?: string,
): Promise<RoomOwnershipTransferRow | undefined> {
  return tx
    .deleteFrom('room_ownership_transfers')
    .where('room_id', '=', roomId)
    .$if(toUserId !== undefined, (query) => query.where('to_user_id', '=', toUserId ?? ''))
    .returningAll()
    .executeTakeFirst()
}

/** Notices to both sides, including the user who ended the transfer. */
export function transferEndedEvents({
  room_id,
  from_user_id,
  to_user_id,
}: RoomOwnershipTransferRow): ClusterEvent[] {
  const data = { roomId: room_id, fromUserId: from_user_id, toUserId: to_user_id }
  return [from_user_id, to_user_id].map((userId) => ({
    kind: 'notice',
    userId,
    notice: 'transfer_ended',
    data,
  }))
}

/** Ends a transfer to a user who is no member any more. Returns the events to publish. */
export async function endTransferTo(tx: Tx, roomId: string, userId: string): Promise<ClusterEvent[]> {
  const ended = await deleteTransfer(tx, roomId, userId)
  return ended ? transferEndedEvents(ended) : []
}

/** Ends the transfers of these rooms to a user who is no member any more. */
export async function endTransfersIn(
  dialect: DialectName,
  tx: Tx,
  { userId, roomIds }: { userId: string; roomIds: readonly string[] },
): Promise<ClusterEvent[]> {
  const ended = await tx
    .deleteFrom('room_ownership_transfers')
    .where('to_user_id', '=', userId)
    .where(inList(dialect, 'room_id', roomIds))
    .returningAll()
    .execute()
  return ended.flatMap(transferEndedEvents)
}

/** Ends all transfers to an account that is being deleted. Returns the events to publish. */
export async function endTransfersTo(tx: Tx, userId: string): Promise<ClusterEvent[]> {
  const ended = await tx
    .deleteFrom('room_ownership_transfers')
    .where('to_user_id', '=', userId)
    .returningAll()
    .execute()
  return ended.flatMap(transferEndedEvents)
}

export async function deleteEndedTransfers(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom('room_ownership_transfers').where('expires_at', '<=', nowMs).execute()
}
