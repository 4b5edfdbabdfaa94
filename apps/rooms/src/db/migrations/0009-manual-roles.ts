import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

const words = {
  sqlite: { int: 'integer', text: 'text', table: 'strict' },
  postgres: { int: 'bigint', text: 'text collate "C"', table: '' },
}

/** Who has used an invitation, and which roles were set by hand: older invitations bring no other role back. */
export const manualRoles: Migration = async (tx, dialect) => {
  const { int, text, table } = words[dialect]
  const statements = [
    `alter table room_invitations add column offered_seq ${int} not null default 0`,
    `create table room_invitation_uses (
      invitation_id ${text} not null references room_invitations (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      used_at ${int} not null,
      primary key (invitation_id, user_id)
    ) ${table}`,
    'create index room_invitation_uses_by_user on room_invitation_uses (user_id)',
    `create table room_manual_roles (
      room_id ${text} not null references rooms (id) on delete cascade,
      user_id ${text} not null references users (id) on delete cascade,
      role ${text} check (role in ('moderator', 'speaker', 'listener')),
      seq ${int} not null,
      set_at ${int} not null,
      primary key (room_id, user_id)
    ) ${table}`,
    'create index room_manual_roles_by_user on room_manual_roles (user_id)',
    'create index room_manual_roles_by_age on room_manual_roles (set_at)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
