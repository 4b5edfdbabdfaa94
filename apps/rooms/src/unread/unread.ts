import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { readableAfterSeq, retainedAfterMs } from '../rooms/history.ts'
import type { Unread } from '../rooms/schema.ts'
import { type UnreadRange, countMentions, countUnread } from './store.ts'

/**
 * What is new to users in rooms (R30.1). Users without membership and read mark are missing. Counts
 * only what the user may read now (R17.8); whether they may enter is for the caller to decide.
 */
export async function findUnread(
  database: Pick<Database<Tables>, 'read' | 'dialect'>,
  accesses: readonly UserRoomAccess[],
  nowMs: number,
): Promise<ReadonlyMap<UserRoomAccess, Unread>> {
  const followed = accesses.filter(({ role, lastReadSeq }) => role !== null || lastReadSeq !== null)
  const ranges = followed.map((access) => unreadRangeOf(access, nowMs))
  const [unread, mentions] = await Promise.all([
    countUnread(database, ranges),
    countMentions(database, ranges),
  ])
  return new Map(
    followed.map((access, index) => [
      access,
      { readSeq: readSeqOf(access), unread: unread[index] ?? 0, mentions: mentions[index] ?? 0 },
    ]),
  )
}

/** The same for one user in one room. */
export async function findUnreadOf(
  database: Pick<Database<Tables>, 'read' | 'dialect'>,
  access: UserRoomAccess,
  nowMs: number,
): Promise<Unread | undefined> {
  return (await findUnread(database, [access], nowMs)).get(access)
}

/** A new member begins at joining. */
function readSeqOf({ lastReadSeq, joinedSeq }: UserRoomAccess): number {
  return Math.max(lastReadSeq ?? 0, joinedSeq ?? 0)
}

function unreadRangeOf(access: UserRoomAccess, nowMs: number): UnreadRange {
  const { roomId, userId, room } = access
  const afterSeq = Math.max(readSeqOf(access), readableAfterSeq(access))
  return { roomId, userId, afterSeq, retainedAfterMs: retainedAfterMs(room, nowMs) }
}
