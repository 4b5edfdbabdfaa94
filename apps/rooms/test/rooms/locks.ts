import { sql } from 'kysely'
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
