import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Links that do not redirect are mostly few, and are listed and counted without a look at the others. */
export const linkStates: Migration = async (tx) => {
  await sql`create index link_disabled on link (created_at, id) where disabled_at is not null`.execute(tx)
  await sql`create index link_expiring on link (expires_at)
    where disabled_at is null and expires_at is not null`.execute(tx)
}
