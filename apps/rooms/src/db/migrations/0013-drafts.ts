import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** What people have begun to write in rooms. */
export const drafts: Migration = async (tx, dialect) => {
  const [int, text, table] =
    dialect === 'sqlite' ? ['integer', 'text', 'strict'] : ['bigint', 'text collate "C"', '']
  const statements = [
    `create table room_drafts (
      user_id ${text} not null references users (id) on delete cascade,
      room_id ${text} not null references rooms (id) on delete cascade,
      content ${text} not null check (content <> ''),
      updated_at ${int} not null,
      primary key (user_id, room_id)
    ) ${table}`,
    'create index room_drafts_by_age on room_drafts (user_id, updated_at, room_id)',
    'create index room_drafts_by_room on room_drafts (room_id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
