import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Deliveries show what was sent. The body of an event stays in the event log alone. */
export const deliveryRequests: Migration = async (tx) => {
  await sql`alter table webhook_delivery add column request text`.execute(tx)
}
