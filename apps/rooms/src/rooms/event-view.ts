import type { RoomEvent } from '../cluster-events.ts'
import type { RoomRole } from '../roles.ts'
import { canPublish } from './permissions.ts'
import type { SharedRoom } from './schema.ts'

/** What differs between those who are told of the same event. */
export interface Viewer {
  role: RoomRole | null
  /** How many people are in the room; the same for all, but no part of the event. */
  participantCount: number
}

/** The event as this person is told of it, over a socket and in the list alike: with no role or right but their own (R28.20). */
export function viewOf(event: RoomEvent, { role, participantCount }: Viewer): RoomEvent {
  if (event.event !== 'room.settings') return event
  const shared = event.data['room'] as SharedRoom
  const own = { role, canPublish: canPublish({ role, defaultRole: shared.defaultRole }) }
  return { ...event, data: { room: { ...shared, lastSeq: event.seq, participantCount, ...own } } }
}
