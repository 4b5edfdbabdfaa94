import type { RoomInvitationRow, RoomManualRoleRow, RoomRow } from '../db/tables.ts'
import { isAtLeast } from '../rooms/permissions.ts'
import type { MemberRole } from '../api/roles.ts'

/** Last explicit decision about the role of a user in a room. */
export type ManualRole = Pick<RoomManualRoleRow, 'role' | 'seq'>

/**
 * Role that an invitation gives. A later explicit decision limits it to the role that was set or,
 * after a kick or ban, to the role of visitors. The event log determines which came later, because
 * clocks of nodes differ.
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
