import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Adds up the files of a person without reading them. */
export const fileTotals: Migration = async (tx) => {
  await sql`create index files_of_user on files (user_id, bytes)`.execute(tx)
}
