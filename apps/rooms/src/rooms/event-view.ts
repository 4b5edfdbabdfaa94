import type { RoomEvent, ShownMessages } from '../api/cluster-events.ts'
import type { DefaultRole, RoomRole } from '../api/roles.ts'
import { canPublish } from './permissions.ts'

/** Recipient of an event, as far as the event depends on it. */
export interface Viewer {
  role: RoomRole | null
  /** Number of participants. Equal for all recipients, but not part of the stored event. */
  participantCount: number
  /** Messages up to this sequence number are hidden from the recipient (R17.8). */
  afterSeq: number
}

/** Whether recipients see different forms of this event. */
export function dependsOnViewer({ event, shows }: RoomEvent): boolean {
  return event === 'room.settings' || shows !== undefined
}

/**
 * Event as this recipient sees it, on a socket and in the list alike: with no role or right but
 * their own (R28.20), and nothing of a message that is hidden from them.
 */
export function viewOf({ shows, ...event }: RoomEvent, viewer: Viewer): RoomEvent {
  if (shows) return { ...event, data: withoutHidden(event.data, shows, viewer) }
  if (event.event !== 'room.settings') return event
  const { role, participantCount } = viewer
  const shared = event.data['room'] as { defaultRole: DefaultRole }
  const own = { role, canPublish: canPublish({ role, defaultRole: shared.defaultRole }) }
  const room = { ...shared, lastSeq: event.seq, participantCount, ...own }
  return { ...event, data: { ...event.data, room } }
}

function withoutHidden(
  data: RoomEvent['data'],
  { subject, original }: ShownMessages,
  { afterSeq }: Viewer,
): RoomEvent['data'] {
  if (subject !== null && subject <= afterSeq) return {}
  const { message } = data as { message?: object }
  if (!message || original === null || original > afterSeq) return data
  return { ...data, message: { ...message, replyTo: null } }
}
