import type { RoomInvitationRow, RoomManualRoleRow, RoomRow } from '../db/tables.ts'
import { isAtLeast } from '../rooms/permissions.ts'
import type { MemberRole } from '../roles.ts'

/** What was last decided by hand about somebody in a room. */
export type ManualRole = Pick<RoomManualRoleRow, 'role' | 'seq'>

/**
 * The role that an invitation gives. A later decision by hand holds against it: it gives no more than the role that was set,
 * or, after a kick or ban, than visitors have. Which came later, the room's log decides: clocks of nodes differ.
 */
export function permissionOf(
  { permission, offered_seq }: RoomInvitationRow,
  { default_role }: Pick<RoomRow, 'default_role'>,
  manual: ManualRole | undefined,
): MemberRole {
  if (!manual || manual.seq <= offered_seq) return permission
  const max = manual.role ?? default_role
  return isAtLeast(permission, max) ? max : permission
}
