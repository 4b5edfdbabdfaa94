import { sql } from 'kysely'
import type { Migration } from '@latchkey/database/migrate'

/** Indexes of rooms without direct conversations, of which there may be a hundred times as many. */
export const directs: Migration = async (tx) => {
  for (const statement of [
    'drop index rooms_by_age',
    `create index rooms_by_age on rooms (created_at, id) where kind = 'room'`,
    `create index directs_by_activity on rooms (active_at) where kind = 'direct'`,
  ])
    await sql.raw(statement).execute(tx)
}
