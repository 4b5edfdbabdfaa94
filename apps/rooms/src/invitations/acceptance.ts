import type { Transaction } from 'kysely'
import type { Context } from '../context.ts'
import type { RoomInvitationRow, RoomRow, Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import { giveRole } from '../members/membership.ts'
import { holdKnownPerson } from '../members/store.ts'
import type { News } from '../news.ts'
import { auditRoom } from '../rooms/audit.ts'
import { entrantOf } from '../rooms/entry.ts'
import { lockRoom } from '../rooms/log.ts'
import { type MemberRole, entryOf, isAtLeast } from '../rooms/room-access.ts'
import { type FoundStanding, findStanding } from '../rooms/standing.ts'
import { isVouchedFor } from './authority.ts'
import { permissionOf } from './permission.ts'
import { findInvitation, findManualRole, insertUse, takeUse } from './store.ts'

/** R14.4, R14.5: to which rooms, and as what, a link brings guests. */
export function admitsGuests(
  { visibility, allow_guests }: RoomRow,
  { permission }: RoomInvitationRow,
): boolean {
  return visibility !== 'private' && allow_guests === 1 && permission !== 'moderator'
}

/**
 * Makes a member of the caller, or raises their role, and counts the use, all or nothing (R17.6). Everything is decided
 * anew with the room locked: what was found before may have been revoked, used up or made void meanwhile.
 */
export async function accept(
  tx: Transaction<Tables>,
  context: Context,
  { id, room_id: roomId }: RoomInvitationRow,
): Promise<{ role: MemberRole; told: News[] }> {
  const { now: nowMs } = context
  await lockRoom(tx, roomId)
  const invitation = await findInvitation(tx, id)
  if (!invitation || invitation.declined_at !== null || invitation.expires_at <= nowMs)
    throw failure('not_found')
  if (!(await isVouchedFor(tx, invitation, nowMs))) throw failure('not_found')
  const standing = await findStanding(tx, roomId, entrantOf(context))
  if (!standing) throw failure('not_found')
  const { userId, room } = standing
  const permission = permissionOf(invitation, room, await findManualRole(tx, { roomId, userId }))
  refuse(standing, invitation, permission)
  if (!(await takeUse(tx, id))) throw failure('invitation_used')
  const person = await holdKnownPerson(tx, roomId, userId, nowMs)
  if (!person) throw failure('not_found')
  if (!(await insertUse(tx, { id, userId, nowMs })))
    throw failure('invitation_used', { text: 'You have used this invitation already' })
  const role = roleBy(permission, standing)
  const { told } = await giveRole(tx, { room, person, role, nowMs })
  const metadata = { invitationId: id, role }
  await auditRoom(tx, context, { action: 'room.invitation.accept', roomId, metadata })
  return { role, told }
}

/** Who could be there as a visitor does not end up with less than visitors have (R17.6). */
function roleBy(permission: MemberRole, standing: FoundStanding): MemberRole {
  const isLower = !isAtLeast(permission, standing.defaultRole)
  return isLower && entryOf(standing) === 'yes' ? standing.defaultRole : permission
}

function refuse(
  { bar, isGuest, role, room }: FoundStanding,
  invitation: RoomInvitationRow,
  permission: MemberRole,
): void {
  if (bar) throw failure(bar.kind === 'ban' ? 'banned' : 'cooldown')
  if (isGuest && !admitsGuests(room, invitation)) throw failure('guest_not_permitted')
  if (isAtLeast(role, permission)) throw failure('already_member')
}
