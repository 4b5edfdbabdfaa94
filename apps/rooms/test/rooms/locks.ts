import { sql } from 'kysely'
import type { TestRooms } from '../rooms.ts'

/** Until so many statements wait for a lock of PostgreSQL's, or `done` has ended without waiting for one. */
export async function untilWaiting(
  { rooms: { database } }: TestRooms,
  { count = 1, done }: { count?: number; done?: Promise<unknown> } = {},
): Promise<void> {
  let isDone = false
  void done?.finally(() => (isDone = true))
  while (!isDone) {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(database.read)
    if ((rows[0]?.waiting ?? 0) >= count) return
  }
}
