import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** What somebody has said can be read in its order, a page at a time. */
export const messagesByAuthor: Migration = async (tx) => {
  await sql`drop index room_messages_by_user`.execute(tx)
  await sql`create index room_messages_by_user on room_messages (user_id, created_at)`.execute(tx)
}
