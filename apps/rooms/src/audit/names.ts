import { type Database, inList } from '@latchkey/database/database'
import type { AuditEventRow, Tables } from '../db/tables.ts'
import { isAccount } from '../users/store.ts'
import { Id } from '../api/wire.ts'

/**
 * Returns the current names of the users and rooms that entries of the audit log mention, by id.
 * Those that were deleted are missing.
 */
export async function findNames(
  { dialect, read }: Database<Tables>,
  rows: readonly AuditEventRow[],
): Promise<Record<string, string>> {
  const ids = [...new Set(rows.flatMap(mentionedIds))]
  if (ids.length === 0) return {}
  const users = await read
    .selectFrom('users')
    .select(['id', 'nickname as name'])
    .where(inList(dialect, 'users.id', ids))
    .where(isAccount())
    .execute()
  const rooms = await read
    .selectFrom('rooms')
    .select(['id', 'name'])
    .where('kind', '=', 'room')
    .where(inList(dialect, 'rooms.id', ids))
    .execute()
  return Object.fromEntries([...users, ...rooms].map(({ id, name }) => [id, name]))
}

function mentionedIds({ actor_user_id, target_id, metadata }: AuditEventRow): string[] {
  const values: unknown[] = Object.values(JSON.parse(metadata) as Record<string, unknown>)
  return [actor_user_id, target_id, ...values].flatMap((value) => {
    const id = Id.safeParse(value)
    return id.success ? [id.data] : []
  })
}
