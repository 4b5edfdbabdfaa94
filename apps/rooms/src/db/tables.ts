import type { Database } from '@latchkey/database/database'
import type { Kysely, Transaction } from 'kysely'
import type { AccessTables } from './access-rows.ts'
import type { Flag } from './flag.ts'
import type { NotificationLevel } from '../rooms/notification-levels.ts'
import type { MemberTables } from './member-rows.ts'
import type { FileTables, MessageSearchRow } from './message-rows.ts'
import type { NotificationTables } from './notification-rows.ts'
import type { UserTables } from './user-rows.ts'
import type { GuestVoice, RoomVoice, VoiceTables } from './voice-rows.ts'
import type { DefaultRole, MemberRole } from '../api/roles.ts'

export type { AccessClaimsRow, AccessKeyRow, AccessSessionRow } from './access-rows.ts'
export type { RoomDraftRow, RoomGroupRow, RoomManualRoleRow, RoomMemberRow } from './member-rows.ts'
export type { BlockRow, UserRow } from './user-rows.ts'

// Rows as both engines return them: booleans are 0 or 1, times are integer milliseconds UTC (R20).

export interface IdentityRow {
  id: string
  user_id: string
  /**
   * Always 0: the foreign key to `users (id, is_guest)` prevents guests from having an identity.
   */
  is_guest: Flag
  issuer: string
  subject: string
  mode: string
  created_at: number
}

export type RevokeReason = 'signed_out' | 'expired' | 'revoked' | 'idp_logout' | 'disabled'

export interface SessionRow {
  id: string
  user_id: string
  token_hash: string
  idp_issuer: string | null
  idp_sub: string | null
  idp_sid: string | null
  id_token_sealed: string | null
  login_at: number
  created_at: number
  last_seen_at: number
  idle_expires_at: number
  absolute_expires_at: number
  revoked_at: number | null
  revoke_reason: RevokeReason | null
  user_agent: string
  client_ip: string
}

export interface LoginStateRow {
  state_hash: string
  nonce_hash: string | null
  verifier_sealed: string | null
  redirect_uri: string
  return_path: string
  config_fingerprint: string
  browser_hash: string
  client_prefix: string
  created_at: number
  expires_at: number
  consumed_at: number | null
}

export type GrantSource = 'bootstrap' | 'claim' | 'manual' | 'teamidp'

export interface RoleGrantRow {
  id: string
  user_id: string
  role: 'platform_admin' | 'owner'
  scope_type: 'platform' | 'team'
  /** Empty for the platform: a unique key treats nulls as different. */
  scope_id: string
  source: GrantSource
  granted_by: string | null
  created_at: number
}

export interface PlatformStateRow {
  key: string
  value: string
  updated_at: number
}

export interface LogoutTokenRow {
  issuer: string
  jti: string
  expires_at: number
}

export interface LogoutMarkerRow {
  issuer: string
  kind: 'sid' | 'sub'
  value: string
  /** `iat` of the logout token, in Unix seconds. */
  iat: number
  received_at: number
  expires_at: number
}

export interface AuditEventRow {
  /** UUID version 7, by which entries of the same time keep their order. */
  id: string
  actor_user_id: string | null
  action: string
  target_type: string | null
  target_id: string | null
  /** A JSON object. */
  metadata: string
  client_ip: string | null
  request_id: string | null
  created_at: number
}

export interface RoomRow {
  id: string
  kind: 'room' | 'direct'
  /** Empty for direct conversations. */
  name: string
  /** The name, folded for searches by a part of it. */
  search_name: string
  topic: string | null
  created_by: string | null
  /** Null for direct conversations. */
  owner_id: string | null
  owner_since: number
  /** Null without a limit. */
  max_participants: number | null
  visibility: 'public' | 'unlisted' | 'private'
  allow_guests: Flag
  default_role: DefaultRole
  history_visibility: 'all' | 'since_membership' | 'none'
  /** Null for messages that are retained forever. */
  retention_days: number | null
  /**
   * The maximum of the instance, as announced in the room: it holds from `max_retention_from` on, and
   * `max_retention_before` until then. Null without one, and in rooms that it does not affect.
   */
  max_retention_days: number | null
  max_retention_from: number | null
  max_retention_before: number | null
  voice: RoomVoice
  voice_screen: Flag
  voice_guests: GuestVoice
  archived_at: number | null
  /** New member accounts join it. */
  is_default: Flag
  /** Equal for direct conversations of the same people. Null for rooms. */
  direct_key: string | null
  last_seq: number
  created_at: number
  /** Time of the last message, or of the creation. */
  active_at: number
}

export interface RoomVisitRow {
  room_id: string
  user_id: string
  started_at: number
  started_seq: number
  ended_at: number | null
}

/** What a user keeps about a room, with or without a membership. */
export interface RoomUserStateRow {
  room_id: string
  user_id: string
  /** The user has read the events up to this sequence number. */
  last_read_seq: number
  level: NotificationLevel
  /** Time of the last push about the room. */
  pushed_at: number | null
  starred: Flag
  /** When the user left the room by choice; null after a new membership. */
  left_at: number | null
  /** A direct conversation is hidden until an event with a higher number. */
  hidden_seq: number | null
}

export interface NodeRow {
  node_id: string
  heartbeat: number
}

export interface PresenceLeaseRow {
  /** The id of a socket, or `http:` and the session id for a `join` without a socket. */
  connection_id: string
  room_id: string
  user_id: string
  session_id: string
  node_id: string
  expires_at: number
}

export interface RoomMessageRow {
  id: string
  room_id: string
  seq: number
  user_id: string | null
  author_name: string
  author_guest: Flag
  /** Null if and only if the message is deleted. */
  content: string | null
  client_id: string | null
  created_at: number
  edited_at: number | null
  reply_to: string | null
  /** The emoji of `room_reactions` with their numbers, written together with them; null for none. */
  reactions: string | null
  /** Sequence number of the event that pinned it. */
  pinned_seq: number | null
  /** The group that it mentions, if its author was permitted to. */
  group_mention: 'here' | 'room' | null
  /** Number of its files; null for none, and after the account of the author was erased. */
  file_count: number | null
  deleted_at: number | null
  deleted_by: string | null
}

/** An earlier text of an edited message. */
export interface RoomMessageVersionRow {
  message_id: string
  /** Sequence number of the edit that replaced it. */
  seq: number
  content: string
  /** When it was written. */
  created_at: number
}

export interface RoomMentionRow {
  message_id: string
  user_id: string
  room_id: string
  /** Sequence number of the message. */
  seq: number
}

export interface RoomReactionRow {
  id: string
  message_id: string
  /** Sequence number of the event that added it. */
  seq: number
  /** Null if the account was erased. */
  user_id: string | null
  emoji: string
  created_at: number
}

export type RoomEventType =
  | 'message.created'
  | 'message.edited'
  | 'message.deleted'
  | 'message.reactions'
  | 'message.pinned'
  | 'message.unpinned'
  | 'member.joined'
  | 'member.left'
  | 'member.removed'
  | 'member.role'
  | 'members.added'
  | 'room.settings'
  | 'room.owner'
  | 'room.retention'
  | 'call.started'
  | 'call.ended'
  | 'call.missed'

export interface RoomEventRow {
  room_id: string
  seq: number
  type: RoomEventType
  /** JSON. The text of a message is stored only in `room_messages`. */
  data: string
  created_at: number
}

export interface RoomBanRow {
  room_id: string
  user_id: string
  kind: 'kick' | 'ban'
  role_held: MemberRole | null
  guest_prefix: string | null
  reason: string | null
  banned_by: string | null
  expires_at: number | null
  created_at: number
}

export interface RoomInvitationRow {
  id: string
  room_id: string
  token_hash: string | null
  invited_user_id: string | null
  permission: MemberRole
  expires_at: number
  max_uses: number
  use_count: number
  declined_at: number | null
  created_by: string
  created_at: number
  /** The last sequence number of the room when the invitation was created or renewed. */
  offered_seq: number
}

export interface RoomInvitationUseRow {
  invitation_id: string
  user_id: string
  used_at: number
}

export interface RoomOwnershipTransferRow {
  room_id: string
  from_user_id: string
  to_user_id: string
  expires_at: number
  created_at: number
}

export interface WsTicketRow {
  ticket_hash: string
  session_id: string
  expires_at: number
}

export interface Tables
  extends AccessTables, FileTables, MemberTables, NotificationTables, UserTables, VoiceTables {
  rooms: RoomRow
  room_visits: RoomVisitRow
  room_user_states: RoomUserStateRow
  nodes: NodeRow
  presence_leases: PresenceLeaseRow
  room_messages: RoomMessageRow
  room_message_versions: RoomMessageVersionRow
  room_mentions: RoomMentionRow
  room_reactions: RoomReactionRow
  message_search: MessageSearchRow
  room_events: RoomEventRow
  room_bans: RoomBanRow
  room_invitations: RoomInvitationRow
  room_invitation_uses: RoomInvitationUseRow
  room_ownership_transfers: RoomOwnershipTransferRow
  ws_tickets: WsTicketRow
  identities: IdentityRow
  sessions: SessionRow
  login_states: LoginStateRow
  role_grants: RoleGrantRow
  platform_state: PlatformStateRow
  logout_tokens: LogoutTokenRow
  logout_markers: LogoutMarkerRow
  audit_events: AuditEventRow
}

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>
/** Connection for reading, with the engine that it reads from. */
export type ReadDatabase = Pick<Database<Tables>, 'read' | 'dialect'>
