import type { ReadDatabase } from '../db/tables.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { readableAfterSeq, retainedAfterMs } from '../rooms/history.ts'
import type { Unread } from '../rooms/schema.ts'
import { type UnreadRange, countMentions, countUnread, withoutBlocked } from './store.ts'

/**
 * Unread messages and mentions of users in rooms (R30.1). Users without membership and read mark are
 * missing. Counts only messages that the user may read now (R17.8); whether they may enter is for
 * the caller to decide.
 */
export async function findUnread(
  database: ReadDatabase,
  accesses: readonly UserRoomAccess[],
  nowMs: number,
): Promise<ReadonlyMap<UserRoomAccess, Unread>> {
  const followed = accesses.flatMap((access) => {
    const readSeq = readSeqOf(access)
    return readSeq === null ? [] : [{ access, readSeq }]
  })
  const ranges = await withoutBlocked(
    database,
    followed.map(({ access, readSeq }) => unreadRangeOf(access, readSeq, nowMs)),
  )
  const [unread, mentions] = await Promise.all([
    countUnread(database, ranges),
    countMentions(database, ranges),
  ])
  return new Map(
    followed.map(({ access, readSeq }, index) => [
      access,
      {
        readSeq,
        unread: unread[index] ?? 0,
        // Every message of a direct conversation is for its people.
        mentions: (access.kind === 'direct' ? unread : mentions)[index] ?? 0,
      },
    ]),
  )
}

/** Unread messages and mentions of one user in one room. */
export async function findUnreadOf(
  database: ReadDatabase,
  access: UserRoomAccess,
  nowMs: number,
): Promise<Unread | undefined> {
  return (await findUnread(database, [access], nowMs)).get(access)
}

/**
 * Sequence number up to which the user has read, which a new member has at joining. Null for users
 * who do not follow the room: without a membership, they need a read mark, and a star if they have
 * left.
 */
export function readSeqOf({
  role,
  lastReadSeq,
  joinedSeq,
  hasLeft,
  isStarred,
}: UserRoomAccess): number | null {
  const hasMark = lastReadSeq !== null && (!hasLeft || isStarred)
  if (role === null && !hasMark) return null
  return lastReadSeq ?? joinedSeq ?? 0
}

function unreadRangeOf(access: UserRoomAccess, readSeq: number, nowMs: number): UnreadRange {
  const { roomId, userId, room } = access
  const afterSeq = Math.max(readSeq, readableAfterSeq(access))
  return { roomId, userId, afterSeq, retainedAfterMs: retainedAfterMs(room, nowMs) }
}
