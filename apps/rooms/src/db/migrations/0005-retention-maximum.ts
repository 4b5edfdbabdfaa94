import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

const EVENT_TYPES = `'message.created', 'message.edited', 'message.deleted', 'message.reactions',
  'message.pinned', 'message.unpinned', 'member.joined', 'member.left', 'member.removed', 'member.role',
  'members.added', 'room.settings', 'room.owner', 'room.retention', 'call.started', 'call.ended',
  'call.missed'`

/**
 * The maximum retention of the instance, as it was announced in each room that it affects: it holds
 * from a time on, and until then the earlier one, if there was any. Default rooms add many people in
 * one event.
 */
export const retentionMaximum: Migration = async (tx, dialect) => {
  const int = dialect === 'sqlite' ? 'integer' : 'bigint'
  const statements = [
    `alter table rooms add column max_retention_days ${int} check (max_retention_days > 0)`,
    `alter table rooms add column max_retention_before ${int} check (max_retention_before > 0)`,
    `alter table rooms add column max_retention_from ${int}
      check (max_retention_from is not null or (max_retention_days is null and max_retention_before is null))`,
    ...EVENTS[dialect],
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}

const EVENTS = {
  postgres: [
    'alter table room_events drop constraint room_events_type_check',
    `alter table room_events add constraint room_events_type_check check (type in (${EVENT_TYPES}))`,
  ],
  sqlite: [
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
} as const
