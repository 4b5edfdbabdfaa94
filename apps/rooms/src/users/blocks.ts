import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Db, ReadDatabase, Tx } from '../db/tables.ts'
import { isAccount } from './store.ts'

/** The people whom each of these users blocks. Users who block no one are missing. */
export async function findBlockedIds(
  { read, dialect }: ReadDatabase,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (userIds.length === 0) return new Map()
  const rows = await read
    .selectFrom('blocks')
    .select(['user_id', 'blocked_id'])
    .where(inList(dialect, 'user_id', userIds))
    .execute()
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id)
  return new Map([...byUser].map(([id, own]) => [id, new Set(own.map(({ blocked_id }) => blocked_id))]))
}

/** Which of these users block this person. */
export async function findBlockersAmong(
  db: Db,
  dialect: DialectName,
  userIds: readonly string[],
  blockedId: string,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('blocks')
    .select('user_id')
    .where('blocked_id', '=', blockedId)
    .where(inList(dialect, 'user_id', userIds))
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

/**
 * Whether the caller may address all of these people: enabled member accounts that do not block the
 * caller. One statement reads all of that, so the time does not show which of it failed (R37.4).
 */
export async function canAddress(
  db: Db | Tx,
  dialect: DialectName,
  callerId: string,
  userIds: readonly string[],
): Promise<boolean> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where(inList(dialect, 'id', [...new Set(userIds)]))
    .where('is_guest', '=', 0)
    .where('disabled', '=', 0)
    .where(isAccount())
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('blocks')
            .select('blocks.user_id')
            .whereRef('blocks.user_id', '=', 'users.id')
            .where('blocks.blocked_id', '=', callerId),
        ),
      ),
    )
    .execute()
  return rows.length === new Set(userIds).size
}
