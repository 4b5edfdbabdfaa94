import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * Clicks of a link in a stretch of time are counted in the index alone, whichever of them a viewer leaves out: a time zone
 * with half hours asks for half an hour of each day.
 */
export const clickIndex: Migration = async (tx) => {
  await sql`drop index click_by_link`.execute(tx)
  await sql`create index click_by_link on click (link_id, clicked_at, is_bot, is_self_referrer)`.execute(tx)
}
