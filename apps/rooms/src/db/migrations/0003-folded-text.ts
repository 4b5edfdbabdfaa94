import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'
import { REFOLDING, secureDelete } from '../message-words.ts'

/**
 * Accents do not count in searches. A job folds the texts of an existing instance again, since there
 * may be a million.
 */
export const foldedText: Migration = async (tx, dialect) => {
  const { rows } = await sql`insert into platform_state (key, value, updated_at)
    select ${REFOLDING}, 'users ', 0 where exists (select 1 from users) returning key`.execute(tx)
  // The index of an existing instance removes words at once after that job.
  if (rows.length === 0 && dialect === 'sqlite') await secureDelete(tx, true)
}
