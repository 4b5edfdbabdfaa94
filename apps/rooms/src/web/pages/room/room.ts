import { DAY_MS } from '@latchkey/http/duration'
import type { Result } from '../../call.ts'
import { type RoomAction, type RoomAccess, may } from '../../../rooms/permissions.ts'
import type { User } from '../../session.ts'

export type Room = Result<'getRoom'>['room']

/**
 * Actions that the user may perform in this room. The server decides again on each request, with
 * the same permissions (R17.4).
 */
export function rightsIn(room: Room, user: User): (action: RoomAction) => boolean {
  const access: RoomAccess = {
    roomId: room.id,
    kind: room.kind,
    visibility: room.visibility,
    allowGuests: room.allowGuests,
    defaultRole: room.defaultRole,
    role: room.role,
    isGuest: user.identityType === 'guest',
    isAdmin: user.platformAdmin,
    needsSignIn: false,
    ban: null,
  }
  return (action) => may(action, access)
}

/** True if the user may read a room from its beginning, and none of it is too old to be kept. */
export function hasWholeHistory(room: Room, user: User, nowMs: number): boolean {
  const { historyVisibility, createdAt, role } = room
  const mayRead =
    historyVisibility === 'all' ||
    (historyVisibility === 'since_membership' && (role === 'owner' || user.platformAdmin))
  const isKept = nowMs - Date.parse(createdAt) < keptDays(room, nowMs) * DAY_MS
  return mayRead && isKept
}

/** Days for which messages are kept now; infinite without an end. */
export function keptDays({ retention, maxRetention }: Room, nowMs: number): number {
  const maxDays = maxRetention && Date.parse(maxRetention.from) <= nowMs ? maxRetention.days : Infinity
  return Math.min(retention === 'forever' ? Infinity : retention, maxDays)
}
