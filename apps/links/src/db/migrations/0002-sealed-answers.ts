import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Answers to requests with an idempotency key were stored in clear, with the secrets of webhooks. */
export const sealedAnswers: Migration = async (tx) => {
  await sql`delete from idempotent_answer`.execute(tx)
}
