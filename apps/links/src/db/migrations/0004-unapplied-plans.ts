import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Plans that are not applied are limited for each person, who may have applied very many. */
export const unappliedPlans: Migration = async (tx) => {
  await sql`create index plan_unapplied on plan (identity, id) where state in ('open', 'discarded')`.execute(
    tx,
  )
}
