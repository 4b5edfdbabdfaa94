import type { RoomRow, Tx } from '../db/tables.ts'
import { invitationRevokedEvents, listUnanswered } from '../invitations/store.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { findTransfer, transferEndedEvents } from '../members/ownership/transfers.ts'
import { revokeAccess } from '../rooms/eviction.ts'
import { deleteRoomRows, listMemberIds } from '../rooms/store.ts'

/**
 * Deletes a room; the only place that does. The room must be locked. Returns the events for its
 * participants, the users who could see it, and the users with a pending invitation or transfer.
 */
export async function endRoom(tx: Tx, room: RoomRow, nowMs: number): Promise<ClusterEvent[]> {
  const { id: roomId } = room
  const previousAudience =
    room.visibility === 'public' ? ('everyone' as const) : await listMemberIds(tx, room)
  const invitations = await listUnanswered(tx, roomId, nowMs)
  const transfer = await findTransfer(tx, roomId, nowMs)
  const removed = await revokeAccess(tx, { roomId, userIds: null, reason: 'deleted' })
  await deleteRoomRows(tx, roomId, nowMs)
  return [
    ...removed,
    { kind: 'lobby', roomId, previousAudience },
    ...invitations.flatMap(invitationRevokedEvents),
    ...(transfer ? transferEndedEvents(transfer) : []),
  ]
}
