import type { ClusterEvent } from '../api/cluster-events.ts'
import type { Context } from '../api/context.ts'
import type { RoomRow, Tx } from '../db/tables.ts'
import { findKnownPerson } from '../members/store.ts'
import { appendEvent } from '../rooms/room-events.ts'
import { toPerson } from '../rooms/schema.ts'
import { type SharedRoom, toSharedRoom } from './schema.ts'

/**
 * Stores that the caller has changed a room, and what. Returns the room after it and the event to
 * publish.
 */
export async function appendSettingsEvent(
  tx: Tx,
  { actor: { user }, now: nowMs }: Context,
  room: RoomRow,
  changes: readonly (keyof SharedRoom)[],
): Promise<{ room: RoomRow; event: ClusterEvent }> {
  const { id: roomId, default_role } = room
  const person = await findKnownPerson(tx, roomId, user.id, nowMs)
  const event = await appendEvent(tx, {
    roomId,
    event: 'room.settings',
    data: { ...(person && { person: toPerson(person, default_role) }), room: toSharedRoom(room), changes },
    nowMs,
  })
  return { room: { ...room, last_seq: event.seq }, event: { kind: 'event', roomId, event } }
}
