import type { Migration } from '@latchkey/database/migrate'
import type { DialectName } from '@latchkey/database/url'
import { sql } from 'kysely'

/** What people show of themselves, whom they block, and who is connected. */
export const people: Migration = async (tx, dialect) => {
  const [int, text, table] =
    dialect === 'sqlite' ? ['integer', 'text', 'strict'] : ['bigint', 'text collate "C"', '']
  const columns = [
    `title ${text} check (title <> '')`,
    `time_zone ${text} check (time_zone <> '')`,
    `picture_id ${text} check ((picture_id is null) = (picture_sha256 is null))`,
    `picture_bytes ${int} check (picture_bytes > 0 and (picture_bytes is null) = (picture_sha256 is null))`,
    `status_text ${text} check (status_text <> '')`,
    `status_emoji ${text} check (status_emoji <> '')`,
    `status_until ${int}`,
    `away ${int} not null default 0 check (away in (0, 1))`,
  ]
  const statements = [
    `alter table users add column picture_sha256 ${text} references file_contents (sha256)`,
    ...columns.map((column) => `alter table users add column ${column}`),
    'create unique index users_by_picture on users (picture_id) where picture_id is not null',
    'create index users_by_picture_content on users (picture_sha256) where picture_sha256 is not null',
    'create index users_by_picture_bytes on users (picture_bytes) where picture_bytes is not null',
    'create index users_by_end_of_status on users (status_until) where status_until is not null',
    // The list of people, in its order.
    'create index people_by_name on users (search_name, id) where is_guest = 0 and disabled = 0',
    `create table blocks (
      user_id ${text} not null references users (id) on delete cascade,
      blocked_id ${text} not null references users (id) on delete cascade,
      created_at ${int} not null,
      primary key (user_id, blocked_id),
      check (user_id <> blocked_id)
    ) ${table}`,
    'create index blocks_by_age on blocks (user_id, created_at, blocked_id)',
    'create index blocks_by_blocked on blocks (blocked_id)',
    // Rows of a node count as long as its heartbeat does.
    `create table online_users (
      user_id ${text} not null references users (id) on delete cascade,
      node_id ${text} not null references nodes (node_id) on delete cascade,
      primary key (user_id, node_id)
    ) ${table}`,
    'create index online_users_by_node on online_users (node_id)',
    ...TRIGGERS[dialect],
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}

/** Marks the content of a replaced picture, which may have been its last use. */
const TRIGGERS: Readonly<Record<DialectName, readonly string[]>> = {
  sqlite: [
    `create trigger picture_replaced after update of picture_sha256 on users
      when old.picture_sha256 is not new.picture_sha256 begin
      update file_contents set may_be_unused = 1 where sha256 = old.picture_sha256;
    end`,
    `create trigger picture_deleted after delete on users when old.picture_sha256 is not null begin
      update file_contents set may_be_unused = 1 where sha256 = old.picture_sha256;
    end`,
  ],
  postgres: [
    `create function mark_unused_picture() returns trigger language plpgsql as $$ begin
      update file_contents set may_be_unused = 1 where sha256 = old.picture_sha256;
      return null;
    end $$`,
    `create trigger picture_replaced after update of picture_sha256 on users for each row
      when (old.picture_sha256 is distinct from new.picture_sha256) execute function mark_unused_picture()`,
    `create trigger picture_deleted after delete on users for each row
      when (old.picture_sha256 is not null) execute function mark_unused_picture()`,
  ],
}
