import type { Database } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * Runs several reads on one state of the database: a click that is counted meanwhile is in all of them or in none.
 * SQLite's other readers wait until it ends, so `work` must await nothing but the database.
 */
export async function snapshot<Result>(
  database: Database<Tables>,
  work: (database: Database<Tables>) => Promise<Result>,
): Promise<Result> {
  return database.read.connection().execute(async (read) => {
    const begin = database.dialect === 'sqlite' ? 'begin' : 'begin isolation level repeatable read, read only'
    await sql.raw(begin).execute(read)
    try {
      return await work({ ...database, read })
    } finally {
      await sql`commit`.execute(read)
    }
  })
}
