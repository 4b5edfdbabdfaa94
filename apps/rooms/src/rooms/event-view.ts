import type { RoomEvent } from '../cluster-events.ts'
import type { RoomRole } from '../roles.ts'
import { canPublish } from './permissions.ts'
import type { SharedRoom } from './schema.ts'

/** Recipient of an event, as far as the event depends on it. */
export interface Viewer {
  role: RoomRole | null
  /** Number of participants. Equal for all recipients, but not part of the stored event. */
  participantCount: number
}

/**
 * Event as this recipient sees it, on a socket and in the list alike: with no role or right but
 * their own (R28.20).
 */
export function viewOf(event: RoomEvent, { role, participantCount }: Viewer): RoomEvent {
  if (event.event !== 'room.settings') return event
  const shared = event.data['room'] as SharedRoom
  const own = { role, canPublish: canPublish({ role, defaultRole: shared.defaultRole }) }
  return { ...event, data: { room: { ...shared, lastSeq: event.seq, participantCount, ...own } } }
}
