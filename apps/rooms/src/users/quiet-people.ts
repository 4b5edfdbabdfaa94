import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Db } from '../db/tables.ts'
import { isQuiet, quietHoursOf } from './quiet-hours.ts'

/** Which of these users have quiet hours now. */
export async function findQuietAmong(
  db: Db,
  dialect: DialectName,
  userIds: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('notification_settings')
    .selectAll()
    .where('quiet_from', 'is not', null)
    .where(inList(dialect, 'user_id', userIds))
    .execute()
  const now = new Date(nowMs)
  return new Set(rows.flatMap((row) => (isQuiet(quietHoursOf(row), now) ? row.user_id : [])))
}
