import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'
import { fileTables, fileTriggers } from './0001-schema-files.ts'
import { roomTables } from './0001-schema-rooms.ts'
import { searchTables } from './0001-schema-search.ts'
import { voiceTables } from './0001-schema-voice.ts'

const dialects = {
  sqlite: { int: 'integer', text: 'text', table: 'strict' },
  // "C" sorts by code point, as SQLite does.
  postgres: { int: 'bigint', text: 'text collate "C"', table: '' },
}

/**
 * The tables of R20. Every foreign key has an index: without one, deleting a row scans every table
 * that refers to it.
 */
export const schema: Migration = async (tx, dialect) => {
  const types = dialects[dialect]
  const statements = [
    ...accountTables(types),
    ...roomTables(types),
    ...voiceTables(types),
    ...fileTables(types),
    ...searchTables(dialect, types),
    ...fileTriggers[dialect],
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}

/** Accounts, guests, and how they sign in. */
function accountTables({ int, text, table }: Record<'int' | 'text' | 'table', string>): string[] {
  const flag = (name: string) => `${name} ${int} not null check (${name} in (0, 1))`
  return [
    // Identities refer to (id, is_guest), which keeps guests from having one. The collation of
    // skeleton does not matter: it is only compared for equality.
    `create table users (
      id ${text} not null primary key,
      nickname ${text} not null check (nickname <> ''),
      search_name ${text} not null,
      email ${text},
      avatar_color ${text} not null,
      ${flag('disabled')},
      ${flag('is_guest')},
      created_at ${int} not null,
      last_seen_at ${int} not null,
      guest_ended_at ${int} check (guest_ended_at is null or is_guest = 1),
      skeleton text not null default '',
      check (is_guest = 0 or email is null),
      unique (id, is_guest)
    ) ${table}`,
    'create index users_by_age on users (created_at, id)',
    'create index guests_ended on users (guest_ended_at) where guest_ended_at is not null',
    // Finds users in a room whose names look alike (R14.6).
    'create index users_by_skeleton on users (skeleton)',
    `create table identities (
      id ${text} not null primary key,
      user_id ${text} not null unique,
      is_guest ${int} not null default 0 check (is_guest = 0),
      issuer ${text} not null,
      subject ${text} not null check (length(subject) between 1 and 255),
      mode ${text} not null check (mode in ('oidc', 'teamidp', 'oauth2')),
      created_at ${int} not null,
      unique (issuer, subject),
      foreign key (user_id, is_guest) references users (id, is_guest) on delete cascade
    ) ${table}`,
    `create table notification_settings (
      user_id ${text} not null primary key references users (id) on delete cascade,
      quiet_from ${text},
      quiet_to ${text},
      quiet_tz ${text},
      ${flag('sound')},
      check ((quiet_from is null) = (quiet_to is null) and (quiet_from is null) = (quiet_tz is null))
    ) ${table}`,
    `create table sessions (
      id ${text} not null primary key,
      user_id ${text} not null references users (id) on delete cascade,
      token_hash ${text} not null unique,
      idp_issuer ${text},
      idp_sub ${text},
      idp_sid ${text},
      id_token_sealed ${text},
      login_at ${int} not null,
      created_at ${int} not null,
      last_seen_at ${int} not null,
      idle_expires_at ${int} not null,
      absolute_expires_at ${int} not null,
      revoked_at ${int},
      revoke_reason ${text} check (revoke_reason in ('signed_out', 'expired', 'revoked', 'idp_logout', 'disabled')),
      user_agent ${text} not null check (length(user_agent) <= 512),
      client_ip ${text} not null,
      check ((revoked_at is null) = (revoke_reason is null)),
      check (idle_expires_at <= absolute_expires_at)
    ) ${table}`,
    'create index sessions_by_user on sessions (user_id, created_at)',
    // Back-channel logout finds sessions by sid or by subject.
    'create index sessions_by_sid on sessions (idp_issuer, idp_sid)',
    'create index sessions_by_sub on sessions (idp_issuer, idp_sub)',
    'create index sessions_ended on sessions (revoked_at)',
    'create index sessions_idle on sessions (idle_expires_at) where revoked_at is null',
    // A session is one browser, and a browser has one endpoint.
    `create table push_subscriptions (
      id ${text} not null primary key,
      session_id ${text} not null unique references sessions (id) on delete cascade,
      endpoint ${text} not null unique check (endpoint like 'https://%'),
      p256dh ${text} not null,
      auth ${text} not null,
      created_at ${int} not null
    ) ${table}`,
    `create table login_states (
      state_hash ${text} not null primary key,
      nonce_hash ${text},
      verifier_sealed ${text},
      redirect_uri ${text} not null,
      return_path ${text} not null,
      config_fingerprint ${text} not null,
      browser_hash ${text} not null,
      client_prefix ${text} not null,
      created_at ${int} not null,
      expires_at ${int} not null,
      consumed_at ${int}
    ) ${table}`,
    'create index login_states_by_browser on login_states (browser_hash, created_at)',
    'create index login_states_by_prefix on login_states (client_prefix)',
    'create index login_states_by_end on login_states (expires_at)',
    // scope_id is empty for the platform, not null: a unique key treats nulls as different.
    `create table role_grants (
      id ${text} not null primary key,
      user_id ${text} not null references users (id) on delete cascade,
      role ${text} not null,
      scope_type ${text} not null,
      scope_id ${text} not null,
      source ${text} not null check (source in ('bootstrap', 'claim', 'manual', 'teamidp')),
      granted_by ${text} references users (id) on delete set null,
      created_at ${int} not null,
      unique (user_id, role, scope_type, scope_id, source),
      check (
        (role = 'platform_admin' and scope_type = 'platform' and scope_id = '' and source <> 'teamidp')
        or (role = 'owner' and scope_type = 'team' and scope_id <> '' and source = 'teamidp')
      )
    ) ${table}`,
    'create index role_grants_by_role on role_grants (role, user_id)',
    'create index role_grants_by_granter on role_grants (granted_by) where granted_by is not null',
    `create table platform_state (
      key ${text} not null primary key,
      value ${text} not null,
      updated_at ${int} not null
    ) ${table}`,
    // The primary key refuses a logout token that arrives a second time (R13.6).
    `create table logout_tokens (
      issuer ${text} not null,
      jti ${text} not null,
      expires_at ${int} not null,
      primary key (issuer, jti)
    ) ${table}`,
    'create index logout_tokens_by_end on logout_tokens (expires_at)',
    // A marker refuses a login that started before the logout token arrived (R13.8).
    `create table logout_markers (
      issuer ${text} not null,
      kind ${text} not null check (kind in ('sid', 'sub')),
      value ${text} not null,
      iat ${int} not null,
      received_at ${int} not null,
      expires_at ${int} not null,
      primary key (issuer, kind, value)
    ) ${table}`,
    'create index logout_markers_by_end on logout_markers (expires_at)',
    `create table audit_events (
      id ${text} not null primary key,
      actor_user_id ${text} references users (id) on delete set null,
      action ${text} not null,
      target_type ${text},
      target_id ${text},
      metadata ${text} not null,
      client_ip ${text},
      request_id ${text},
      created_at ${int} not null
    ) ${table}`,
    'create index audit_by_age on audit_events (created_at, id)',
    // One index per filter, in the order of the log, which is read a page at a time.
    'create index audit_by_action on audit_events (action, created_at)',
    'create index audit_by_actor on audit_events (actor_user_id, created_at)',
    'create index audit_by_target on audit_events (target_id, created_at)',
    'create index audit_by_target_type on audit_events (target_type, created_at)',
  ]
}
