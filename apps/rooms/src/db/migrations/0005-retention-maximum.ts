import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * The maximum retention of the instance, as it was announced in each room that it affects: it holds
 * from a time on, and until then the earlier one, if there was any.
 */
export const retentionMaximum: Migration = async (tx, dialect) => {
  const int = dialect === 'sqlite' ? 'integer' : 'bigint'
  const statements = [
    `alter table rooms add column max_retention_days ${int} check (max_retention_days > 0)`,
    `alter table rooms add column max_retention_before ${int} check (max_retention_before > 0)`,
    `alter table rooms add column max_retention_from ${int}
      check (max_retention_from is not null or (max_retention_days is null and max_retention_before is null))`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
