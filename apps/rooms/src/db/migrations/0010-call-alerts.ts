import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Who began a call, until when an answer is awaited, and the people whom it alerts. */
export const callAlerts: Migration = async (tx, dialect) => {
  const [int, text, table] =
    dialect === 'sqlite' ? ['integer', 'text', 'strict'] : ['bigint', 'text collate "C"', '']
  const statements = [
    `alter table calls add column started_by ${text} references users (id) on delete set null`,
    `alter table calls add column answer_until ${int}`,
    'create index calls_by_starter on calls (started_by) where started_by is not null',
    'create index calls_by_end_of_answer on calls (answer_until) where answer_until is not null',
    `create table call_alerts (
      user_id ${text} not null references users (id) on delete cascade,
      room_id ${text} not null references calls (room_id) on delete cascade,
      until ${int} not null,
      primary key (user_id, room_id)
    ) ${table}`,
    'create index call_alerts_by_room on call_alerts (room_id)',
    'create index call_alerts_by_end on call_alerts (until)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
