import { type Transaction, sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import type { TestRooms } from '../rooms.ts'
import { until } from '../until.ts'

/**
 * Waits until this many statements wait for a lock in this PostgreSQL database, or until `done`
 * settles without waiting for one. Throws after twenty seconds.
 */
export async function untilWaiting(
  { rooms: { database } }: TestRooms,
  { count = 1, done }: { count?: number; done?: Promise<unknown> } = {},
): Promise<void> {
  let isDone = false
  void done?.finally(() => (isDone = true))
  await until(async () => {
    if (isDone) return true
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(database.read)
    return (rows[0]?.waiting ?? 0) >= count
  })
}

/** Turns of the event loop in which a request gets as far as it can. */
const TURNS = 50

/**
 * Keeps a transaction open, and at work, until the requests that the test has begun wait for it. On SQLite
 * they wait for the writer, which nothing shows.
 */
export async function untilRequestsWait(service: TestRooms, tx: Transaction<Tables>): Promise<void> {
  if (service.rooms.database.dialect === 'postgres') return untilWaiting(service)
  for (let turn = 0; turn < TURNS; turn++) {
    await sql`select 1`.execute(tx)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
