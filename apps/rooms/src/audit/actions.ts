/**
 * All actions in the audit log (R21.2). The web client has a name for each, and filters the log by
 * them.
 */
export const AUDIT_ACTIONS = [
  'auth.login',
  'auth.login_failed',
  'auth.access_ended',
  'auth.logout',
  'auth.backchannel_logout',
  'auth.backchannel_rejected',
  'session.revoke',
  'access.enter',
  'guest.create',
  'grant.add',
  'grant.remove',
  'provider.changed',
  'account.delete',
  'account.blocks',
  'room.create',
  'room.settings.update',
  'room.archive',
  'room.unarchive',
  'room.delete',
  'room.admin_entry',
  'room.membership.leave',
  'room.message.delete',
  'room.message.pin',
  'room.message.unpin',
  'room.member.role_update',
  'room.member.kick',
  'room.member.ban',
  'room.member.unban',
  'room.member.group_update',
  'room.groups.update',
  'room.call.mute',
  'room.call.remove',
  'room.call.remove_recorder',
  'room.invitation.create',
  'room.invitation.accept',
  'room.invitation.decline',
  'room.invitation.revoke',
  'room.ownership.request',
  'room.ownership.cancel',
  'room.ownership.decline',
  'room.ownership.transfer',
  'admin.user.disable',
  'admin.user.enable',
  'admin.user.sessions_revoke',
  'admin.user.admin_grant',
  'admin.user.admin_revoke',
  'admin.room.takeover',
  'admin.room.default',
  'admin.user.sessions_read',
  'admin.audit.read',
  'admin.settings.update',
  'admin.guests.revoke_all',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Another version of the service may have recorded an unknown action. */
export function isAuditAction(name: string): name is AuditAction {
  return AUDIT_ACTIONS.some((action) => action === name)
}
