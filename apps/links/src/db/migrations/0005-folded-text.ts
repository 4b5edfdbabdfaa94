import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * Accents do not count in searches. The texts of an existing instance are folded again after the
 * start, since there may be a million (links/refold.ts).
 */
export const foldedText: Migration = async (tx) => {
  await sql`insert into instance (name, value) select 'refolding', '0'
    where exists (select 1 from link) or exists (select 1 from bundle)`.execute(tx)
}
