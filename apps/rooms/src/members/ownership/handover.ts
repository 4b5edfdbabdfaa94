import type { RoomRow, Tx } from '../../db/tables.ts'
import { roleChangeEvents } from '../membership.ts'
import { deleteMember, findKnownPerson, putMember } from '../store.ts'
import { deleteBan } from '../moderation/store.ts'
import type { ClusterEvent } from '../../api/cluster-events.ts'
import { revokeLostAccess } from '../../rooms/eviction.ts'
import { appendEvent } from '../../rooms/room-events.ts'
import { updateRoom } from '../../rooms/store.ts'
import { beginState } from '../../unread/store.ts'
import { ownerOf } from './owner.ts'
import { deleteTransfer, transferEndedEvents } from './transfers.ts'

export interface Handover {
  /** Locked. */
  room: RoomRow
  toUserId: string
  nowMs: number
}

/**
 * Gives a room another owner; the only place that does. Owners have no membership row and no bans.
 * The previous owner becomes a moderator, or a speaker if a guest, because guests cannot be
 * moderators (R14.5). A pending transfer ends. The account of the new owner must be locked against
 * erasure. Returns the events to publish.
 */
export async function handOver(tx: Tx, { room, toUserId, nowMs }: Handover): Promise<ClusterEvent[]> {
  const { id: roomId } = room
  const previousOwnerId = ownerOf(room)
  const previous = await findKnownPerson(tx, roomId, previousOwnerId, nowMs)
  const joinedSeq = await deleteMember(tx, roomId, toUserId)
  // Owners have no sequence number of joining, at which what is unread begins.
  await beginState(tx, { roomId, userId: toUserId, seq: joinedSeq ?? room.last_seq })
  await deleteBan(tx, roomId, toUserId)
  await updateRoom(tx, room, { owner_id: toUserId, owner_since: nowMs })
  await putMember(tx, {
    room_id: roomId,
    user_id: previousOwnerId,
    role: previous?.is_guest === 1 ? 'speaker' : 'moderator',
    joined_at: room.owner_since,
    // Owners may read the whole history and keep that right.
    joined_seq: 0,
  })
  const ended = await deleteTransfer(tx, roomId)
  const data = { ownerId: toUserId, previousOwnerId }
  const event = await appendEvent(tx, { roomId, event: 'room.owner', data, nowMs })
  return [
    { kind: 'event', roomId, event },
    ...roleChangeEvents(roomId),
    ...(await revokeLostAccess(tx, roomId, nowMs)),
    ...(ended ? transferEndedEvents(ended) : []),
  ]
}
