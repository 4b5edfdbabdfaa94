import type { Database } from '@latchkey/database/database'
import { readSnapshot } from '@latchkey/database/snapshot'
import type { Tables } from './tables.ts'

/** The databases that `withSnapshot` has passed on. */
const snapshots = new WeakSet<Database<Tables>>()

/** True if all reads see one state of the database, whatever is written meanwhile. */
export function isSnapshot(database: Database<Tables>): boolean {
  return snapshots.has(database)
}

/**
 * `readSnapshot`: a click counted meanwhile is in all reads or in none. A nested call uses the same
 * snapshot.
 */
export async function withSnapshot<Result>(
  database: Database<Tables>,
  work: (database: Database<Tables>) => Promise<Result>,
): Promise<Result> {
  if (snapshots.has(database)) return work(database)
  return readSnapshot(database, (read) => {
    const snapshotDatabase = { ...database, read }
    snapshots.add(snapshotDatabase)
    return work(snapshotDatabase)
  })
}
