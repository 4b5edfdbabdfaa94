import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { PreviousAudience, ClusterEvent } from '../api/cluster-events.ts'
import { type NewEvent, appendEvent, putEvent } from '../rooms/room-events.ts'
import type { MemberRole } from '../api/roles.ts'
import { toPerson } from '../rooms/schema.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { beginState } from '../unread/store.ts'
import { type KnownPerson, putMember } from './store.ts'

export interface RoleAssignment {
  /** Room from the access of the inviting or accepting user, read with the room locked. */
  room: UserRoomAccess['room']
  person: KnownPerson
  role: MemberRole
  nowMs: number
  /** Sequence number for the event, if this transaction has taken it already. */
  seq?: number
  /** A new member may read later events, if the room hides earlier ones. By default those from now on. */
  joinedSeq?: number
}

/**
 * Makes a user a member or changes the role of a member (R17.3); the only place that does. The room
 * must be locked. Returns the resulting person and the events to publish after the commit. Throws
 * for guests who would become moderators (R14.5).
 */
export async function assignRole(
  tx: Tx,
  { room, person, role, nowMs, seq, joinedSeq = room.last_seq }: RoleAssignment,
): Promise<{ person: KnownPerson; events: ClusterEvent[] }> {
  if (person.role === role) return { person, events: [] }
  if (person.is_guest === 1 && role === 'moderator')
    throw failure('guest_not_permitted', { text: 'Guests cannot be moderators' })
  const roomId = room.id
  const membership = { room_id: roomId, user_id: person.user_id, joined_at: nowMs, joined_seq: joinedSeq }
  await putMember(tx, { ...membership, role })
  if (person.role === null)
    await beginState(tx, { roomId, userId: person.user_id, seq: (seq ?? room.last_seq + 1) - 1 })
  const changed = { ...person, role, joined_at: person.joined_at ?? nowMs }
  const newEvent: NewEvent = {
    roomId,
    event: person.role === null ? 'member.joined' : 'member.role',
    data: { person: toPerson(changed, room.default_role) },
    nowMs,
  }
  const event = await (seq === undefined ? appendEvent(tx, newEvent) : putEvent(tx, seq, newEvent))
  // A visitor who joins an open room may do and see what they could before. No one's access is
  // checked again, however many join at once.
  const keepsRights = person.role === null && role === room.default_role && room.visibility !== 'private'
  return {
    person: changed,
    events: [{ kind: 'event', roomId, event }, ...(keepsRights ? [] : roleChangeEvents(roomId))],
  }
}

/**
 * Further events after a change of role. `lostBy` names users who may not see the room any more.
 */
export function roleChangeEvents(roomId: string, lostBy: PreviousAudience = []): ClusterEvent[] {
  return [
    { kind: 'access', roomId },
    { kind: 'lobby', roomId, ...(lostBy.length > 0 && { previousAudience: lostBy }) },
  ]
}
