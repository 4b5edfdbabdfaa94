import type { Database } from '@latchkey/database/database'
import { sqlitePath } from '@latchkey/database/url'
import type { Tables } from '../db/tables.ts'
import { openPostgresLookup } from './lookup-postgres.ts'
import { openSqliteLookup } from './lookup-sqlite.ts'
import type { SessionLookup } from './types.ts'

/** Opens the lookup. `url` is that of the database, which must be migrated. */
export function openLookup(url: string, database: Database<Tables>): SessionLookup {
  return database.dialect === 'sqlite' ? openSqliteLookup(sqlitePath(url)) : openPostgresLookup(database.read)
}
