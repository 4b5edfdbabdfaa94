import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** What happened to one kind of thing, or to one thing, is read in its order, a page at a time. */
export const auditByTarget: Migration = async (tx) => {
  await sql`drop index audit_by_target`.execute(tx)
  await sql`create index audit_by_target on audit_events (target_id, created_at)`.execute(tx)
  await sql`create index audit_by_target_type on audit_events (target_type, created_at)`.execute(tx)
}
