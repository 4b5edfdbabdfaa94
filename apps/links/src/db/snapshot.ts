import type { Database } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { Tables } from './tables.ts'

/** What `snapshot` has handed out. */
const snapshots = new WeakSet<Database<Tables>>()

/** Whether this is one state of the database, whatever is written meanwhile. */
export function isSnapshot(database: Database<Tables>): boolean {
  return snapshots.has(database)
}

/**
 * Runs several reads on one state of the database: a click that is counted meanwhile is in all of them or in none.
 * SQLite's other readers wait until it ends, so `work` must await nothing but the database. Within another snapshot it is
 * the same one.
 */
export async function snapshot<Result>(
  database: Database<Tables>,
  work: (database: Database<Tables>) => Promise<Result>,
): Promise<Result> {
  if (snapshots.has(database)) return work(database)
  return database.read.connection().execute(async (read) => {
    const begin = database.dialect === 'sqlite' ? 'begin' : 'begin isolation level repeatable read, read only'
    await sql.raw(begin).execute(read)
    try {
      const still = { ...database, read }
      snapshots.add(still)
      return await work(still)
    } finally {
      // A failing disk makes SQLite roll back by itself; that there is nothing to end would then hide the first error.
      await sql`rollback`.execute(read).catch(() => {})
    }
  })
}
