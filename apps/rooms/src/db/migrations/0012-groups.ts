import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** The provider's groups whose people are members of a room, and the memberships that groups give. */
export const groups: Migration = async (tx, dialect) => {
  const [text, table] = dialect === 'sqlite' ? ['text', 'strict'] : ['text collate "C"', '']
  const statements = [
    `create table room_groups (
      room_id ${text} not null references rooms (id) on delete cascade,
      name ${text} not null check (name <> ''),
      role ${text} not null check (role in ('moderator', 'speaker', 'listener')),
      primary key (room_id, name)
    ) ${table}`,
    'create index room_groups_by_name on room_groups (name, room_id)',
    `alter table room_members add column group_name ${text} check (group_name <> '')`,
    `alter table room_members add column own_role ${text}
      check (own_role in ('moderator', 'speaker', 'listener') and (own_role is null or group_name is not null))`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
