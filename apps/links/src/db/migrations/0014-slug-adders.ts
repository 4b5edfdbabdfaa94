import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Who added a slug to a link of another person, so that a person's can be counted. Slugs from before count for nobody. */
export const slugAdders: Migration = async (tx) => {
  await sql`alter table slug add column added_by text`.execute(tx)
}
