import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * Sums that nobody read any more outlived clicks that were removed or forgotten, with full referrers and visitors. Chosen by
 * the keys alone, since an index has those: sums can be as large as all else together.
 */
export const sumsOfGoneClicks: Migration = async (tx) => {
  await sql`delete from click_sum where (link_id, unit, start) in (
    select link_id, unit, start from click_sum as sums where not exists (
      select 1 from click_period as period
      where period.link_id = sums.link_id and period.unit = sums.unit and period.start = sums.start))`.execute(
    tx,
  )
}
