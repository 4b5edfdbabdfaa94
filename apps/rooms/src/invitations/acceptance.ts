import type { Context } from '../api/context.ts'
import type { RoomInvitationRow, RoomRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { assignRole } from '../members/membership.ts'
import { lockKnownPerson } from '../members/store.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { auditRoom } from '../rooms/audit.ts'
import { requireOpen } from '../rooms/admission.ts'
import { lockRoom } from '../rooms/room-events.ts'
import { decideEntry, isAtLeast } from '../rooms/permissions.ts'
import type { MemberRole } from '../api/roles.ts'
import { type UserRoomAccess, findRoomAccess } from '../rooms/access-store.ts'
import { isAuthorized } from './authority.ts'
import { permissionOf } from './permission.ts'
import { findInvitation, findManualRole, insertUse, consumeUse } from './store.ts'

/**
 * Whether guests may accept this link: only into rooms that admit guests, and not as moderator
 * (R14.4, R14.5).
 */
export function admitsGuests(
  { visibility, allow_guests }: RoomRow,
  { permission }: RoomInvitationRow,
): boolean {
  return visibility !== 'private' && allow_guests === 1 && permission !== 'moderator'
}

/**
 * Makes the caller a member or raises their role, and counts the use, all or nothing (R17.6). All
 * checks are repeated with the room locked: the invitation may have been revoked, used up or
 * invalidated since it was found.
 */
export async function accept(
  tx: Tx,
  context: Context,
  { id, room_id: roomId }: RoomInvitationRow,
): Promise<{ role: MemberRole; events: ClusterEvent[] }> {
  const { now: nowMs } = context
  await lockRoom(tx, roomId)
  const invitation = await findInvitation(tx, id)
  if (!invitation || invitation.declined_at !== null || invitation.expires_at <= nowMs)
    throw failure('not_found')
  if (!(await isAuthorized(tx, invitation, nowMs))) throw failure('not_found')
  const access = await findRoomAccess(tx, roomId, context.entrant)
  if (!access) throw failure('not_found')
  const { userId, room } = access
  const permission = permissionOf(invitation, room, await findManualRole(tx, { roomId, userId }))
  refuse(access, invitation, permission)
  if (!(await consumeUse(tx, id))) throw failure('invitation_used')
  const person = await lockKnownPerson(tx, roomId, userId, nowMs)
  if (!person) throw failure('not_found')
  if (!(await insertUse(tx, { id, userId, nowMs })))
    throw failure('invitation_used', { text: 'You have used this invitation already' })
  const role = resultingRole(permission, access)
  const { events } = await assignRole(tx, { room, person, role, nowMs })
  const metadata = { invitationId: id, role }
  await auditRoom(tx, context, { action: 'room.invitation.accept', roomId, metadata })
  return { role, events }
}

/** A user who may enter as a visitor never receives less than the role of visitors (R17.6). */
function resultingRole(permission: MemberRole, access: UserRoomAccess): MemberRole {
  const isLower = !isAtLeast(permission, access.defaultRole)
  return isLower && decideEntry(access) === 'yes' ? access.defaultRole : permission
}

function refuse(
  { ban, isGuest, role, room }: UserRoomAccess,
  invitation: RoomInvitationRow,
  permission: MemberRole,
): void {
  if (ban) throw failure(ban.kind === 'ban' ? 'banned' : 'cooldown')
  if (isGuest && !admitsGuests(room, invitation)) throw failure('guest_not_permitted')
  if (isAtLeast(role, permission)) throw failure('already_member')
  requireOpen(room)
}
