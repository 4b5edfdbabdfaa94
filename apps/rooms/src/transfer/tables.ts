import { type ArchiveFormat, int, nullableInt, nullableText, text } from '@latchkey/database/archive/format'
import type { Tables } from '../db/tables.ts'

const tables = {
  users: {
    columns: {
      id: text,
      nickname: text,
      search_name: text,
      email: nullableText,
      avatar_color: text,
      disabled: int,
      is_guest: int,
      created_at: int,
      last_seen_at: int,
      guest_ended_at: nullableInt,
    },
    orderBy: ['id'],
  },
  identities: {
    columns: {
      id: text,
      user_id: text,
      is_guest: int,
      issuer: text,
      subject: text,
      mode: text,
      created_at: int,
    },
    orderBy: ['id'],
  },
  sessions: {
    columns: {
      id: text,
      user_id: text,
      token_hash: text,
      idp_issuer: nullableText,
      idp_sub: nullableText,
      idp_sid: nullableText,
      id_token_sealed: nullableText,
      login_at: int,
      created_at: int,
      last_seen_at: int,
      idle_expires_at: int,
      absolute_expires_at: int,
      revoked_at: nullableInt,
      revoke_reason: nullableText,
      user_agent: text,
      client_ip: text,
    },
    orderBy: ['id'],
  },
  role_grants: {
    columns: {
      id: text,
      user_id: text,
      role: text,
      scope_type: text,
      scope_id: text,
      source: text,
      granted_by: nullableText,
      created_at: int,
    },
    orderBy: ['id'],
  },
  platform_state: { columns: { key: text, value: text, updated_at: int }, orderBy: ['key'] },
  logout_tokens: { columns: { issuer: text, jti: text, expires_at: int }, orderBy: ['issuer', 'jti'] },
  logout_markers: {
    columns: { issuer: text, kind: text, value: text, iat: int, received_at: int, expires_at: int },
    orderBy: ['issuer', 'kind', 'value'],
  },
  audit_events: {
    columns: {
      id: text,
      actor_user_id: nullableText,
      action: text,
      target_type: nullableText,
      target_id: nullableText,
      metadata: text,
      client_ip: nullableText,
      request_id: nullableText,
      created_at: int,
    },
    orderBy: ['id'],
  },
  rooms: {
    columns: {
      id: text,
      name: text,
      search_name: text,
      created_by: nullableText,
      owner_id: text,
      owner_since: int,
      max_participants: int,
      visibility: text,
      allow_guests: int,
      default_role: text,
      history_visibility: text,
      retention: text,
      last_seq: int,
      created_at: int,
    },
    orderBy: ['id'],
  },
  room_members: {
    columns: { room_id: text, user_id: text, role: text, joined_at: int, joined_seq: int },
    orderBy: ['room_id', 'user_id'],
  },
  room_visits: {
    columns: { room_id: text, user_id: text, started_at: int, started_seq: int, ended_at: nullableInt },
    orderBy: ['room_id', 'user_id'],
  },
  room_messages: {
    columns: {
      id: text,
      room_id: text,
      seq: int,
      user_id: nullableText,
      author_name: text,
      author_guest: int,
      content: nullableText,
      client_id: nullableText,
      created_at: int,
      deleted_at: nullableInt,
      deleted_by: nullableText,
    },
    orderBy: ['room_id', 'seq'],
  },
  room_events: {
    columns: { room_id: text, seq: int, type: text, data: text, created_at: int },
    orderBy: ['room_id', 'seq'],
  },
  room_bans: {
    columns: {
      room_id: text,
      user_id: text,
      kind: text,
      role_held: nullableText,
      guest_prefix: nullableText,
      reason: nullableText,
      banned_by: nullableText,
      expires_at: nullableInt,
      created_at: int,
    },
    orderBy: ['room_id', 'user_id'],
  },
  room_invitations: {
    columns: {
      id: text,
      room_id: text,
      token_hash: nullableText,
      invited_user_id: nullableText,
      permission: text,
      expires_at: int,
      max_uses: int,
      use_count: int,
      declined_at: nullableInt,
      created_by: text,
      created_at: int,
      offered_seq: int,
    },
    orderBy: ['id'],
  },
  room_invitation_uses: {
    columns: { invitation_id: text, user_id: text, used_at: int },
    orderBy: ['invitation_id', 'user_id'],
  },
  room_manual_roles: {
    columns: { room_id: text, user_id: text, role: nullableText, seq: int, set_at: int },
    orderBy: ['room_id', 'user_id'],
  },
  room_ownership_transfers: {
    columns: { room_id: text, from_user_id: text, to_user_id: text, expires_at: int, created_at: int },
    orderBy: ['room_id'],
  },
} as const satisfies Partial<Record<keyof Tables, unknown>>

export type RoomsTable = keyof typeof tables

/** Useless in another instance: connections of nodes, pending logins and socket tickets. */
export const omittedTables = ['login_states', 'nodes', 'presence_leases', 'ws_tickets'] as const

/** The archive format of Rooms. Times are Unix milliseconds. */
export const roomsFormat: ArchiveFormat<RoomsTable> = {
  name: 'latchkey-rooms-instance',
  version: 1,
  tables,
  numbered: [],
}
