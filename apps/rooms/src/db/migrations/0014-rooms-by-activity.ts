import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** The order of the lobby. */
export const roomsByActivity: Migration = async (tx) => {
  await sql`create index rooms_by_activity on rooms (active_at, id) where kind = 'room'`.execute(tx)
}
