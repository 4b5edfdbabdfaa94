import type { Bulk } from './bulk-types.ts'
import { openPostgresBulk } from './bulk-postgres.ts'
import { openSqliteBulk } from './bulk-sqlite.ts'
import { dialectOf, sqlitePath } from '../url.ts'

/**
 * Opens the database and begins the transaction. Throws `DatabaseInUse` while a node works on the
 * database or, on SQLite, while any other connection has the file open.
 */
export function openBulk(databaseUrl: string): Promise<Bulk> {
  return dialectOf(databaseUrl) === 'sqlite'
    ? openSqliteBulk(sqlitePath(databaseUrl))
    : openPostgresBulk(databaseUrl)
}
