import type { DialectName } from '@latchkey/database/url'
import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

const EVENT_TYPES = `'message.created', 'message.edited', 'message.deleted', 'message.reactions',
  'message.pinned', 'message.unpinned', 'member.joined', 'member.left', 'member.removed', 'member.role',
  'room.settings', 'room.owner', 'room.retention', 'call.started', 'call.ended', 'call.missed'`

/**
 * Rooms without a limit of participants or of age, and direct conversations: rooms without a name
 * and an owner, one for each set of people.
 */
export const roomsForEveryone: Migration = async (tx, dialect) => {
  for (const statement of [...ROOMS[dialect], ...userStates(dialect)]) await sql.raw(statement).execute(tx)
}

const ROOMS: Readonly<Record<DialectName, readonly string[]>> = {
  postgres: [
    `alter table rooms
      add column kind text collate "C" not null default 'room' check (kind in ('room', 'direct')),
      add column topic text collate "C" check (topic <> ''),
      add column retention_days bigint check (retention_days > 0),
      add column archived_at bigint,
      add column is_default bigint not null default 0 check (is_default in (0, 1)),
      add column direct_key text collate "C" unique,
      alter column owner_id drop not null,
      alter column max_participants drop not null,
      drop constraint rooms_name_check,
      drop constraint rooms_max_participants_check,
      add check (max_participants between 1 and 10000),
      add check ((kind = 'direct') = (owner_id is null)),
      add check ((kind = 'direct') = (direct_key is not null)),
      add check ((kind = 'direct') = (name = '')),
      add check (kind = 'room' or visibility = 'private'),
      add check (is_default = 0 or visibility = 'public')`,
    `update rooms set retention_days = nullif(retention, 'forever')::bigint`,
    'alter table rooms drop column retention',
    'alter table room_events drop constraint room_events_type_check',
    `alter table room_events add check (type in (${EVENT_TYPES}))`,
  ],
  sqlite: [
    `create table new_rooms (
      id text not null primary key,
      kind text not null default 'room' check (kind in ('room', 'direct')),
      name text not null,
      search_name text not null,
      topic text check (topic <> ''),
      created_by text references users (id) on delete set null,
      owner_id text references users (id) on delete restrict,
      owner_since integer not null,
      max_participants integer check (max_participants between 1 and 10000),
      visibility text not null check (visibility in ('public', 'unlisted', 'private')),
      allow_guests integer not null check (allow_guests in (0, 1)),
      default_role text not null check (default_role in ('speaker', 'listener')),
      history_visibility text not null check (history_visibility in ('all', 'since_membership', 'none')),
      retention_days integer check (retention_days > 0),
      voice text not null check (voice in ('off', 'voice', 'video')),
      voice_screen integer not null check (voice_screen in (0, 1)),
      voice_guests text not null check (voice_guests in ('off', 'listen', 'speak')),
      archived_at integer,
      is_default integer not null default 0 check (is_default in (0, 1)),
      direct_key text unique,
      last_seq integer not null default 0,
      created_at integer not null,
      active_at integer not null,
      check ((kind = 'direct') = (owner_id is null)),
      check ((kind = 'direct') = (direct_key is not null)),
      check ((kind = 'direct') = (name = '')),
      check (kind = 'room' or visibility = 'private'),
      check (is_default = 0 or visibility = 'public')
    ) strict`,
    `insert into new_rooms (id, name, search_name, created_by, owner_id, owner_since, max_participants, visibility,
        allow_guests, default_role, history_visibility, retention_days, voice, voice_screen, voice_guests,
        last_seq, created_at, active_at)
      select id, name, search_name, created_by, owner_id, owner_since, max_participants, visibility,
        allow_guests, default_role, history_visibility, cast(nullif(retention, 'forever') as integer), voice,
        voice_screen, voice_guests, last_seq, created_at, active_at from rooms`,
    'drop table rooms',
    'alter table new_rooms rename to rooms',
    'create index rooms_by_age on rooms (created_at, id)',
    'create index rooms_by_owner on rooms (owner_id)',
    'create index rooms_by_creator on rooms (created_by) where created_by is not null',
    `create table new_room_events (
      room_id text not null,
      seq integer not null,
      type text not null check (type in (${EVENT_TYPES})),
      data text not null,
      created_at integer not null,
      primary key (room_id, seq)
    ) strict`,
    'insert into new_room_events select room_id, seq, type, data, created_at from room_events',
    'drop table room_events',
    'alter table new_room_events rename to room_events',
    `create index room_events_between on room_events (room_id, seq) where substr(type, 1, 8) <> 'message.'`,
    'create index room_events_by_age on room_events (room_id, created_at)',
  ],
}

/** Stars, rooms that their members left by choice, and hidden direct conversations. */
function userStates(dialect: DialectName): string[] {
  const int = dialect === 'sqlite' ? 'integer' : 'bigint'
  return [
    `alter table room_user_states add column starred ${int} not null default 0 check (starred in (0, 1))`,
    `alter table room_user_states add column left_at ${int}`,
    `alter table room_user_states add column hidden_seq ${int}`,
  ]
}
