import { type RawBuilder, sql } from 'kysely'
import { rowsFrom } from '../db/json-rows.ts'
import { prepareQuery } from '../db/prepared-query.ts'
import type { Db, ReadDatabase, RoomMessageRow, Tx } from '../db/tables.ts'
import { deleteDraft } from '../drafts/store.ts'
import { findBlockedIds } from '../users/blocks.ts'
import { NEW_STATE, isFollowing } from '../rooms/user-state.ts'

/** Unread messages and mentions are counted up to this number (R30.1). */
export const MAX_UNREAD = 100

/**
 * Number of the newest messages among which the unread ones are counted. It bounds the cost for
 * authors of many messages, whose own do not count.
 */
const SCANNED = 1_000

interface UserInRoom {
  roomId: string
  userId: string
}

/** Moves a read mark forward, never back. Returns the resulting mark. */
export async function advanceReadMark(
  tx: Tx,
  { roomId, userId, seq, ...changes }: UserInRoom & { seq: number; left_at?: null },
): Promise<number> {
  const { last_read_seq } = await tx
    .insertInto('room_user_states')
    .values({ ...NEW_STATE, room_id: roomId, user_id: userId, last_read_seq: seq })
    .onConflict((conflict) =>
      conflict.columns(['room_id', 'user_id']).doUpdateSet((eb) => ({
        ...changes,
        last_read_seq: eb
          .case()
          .when('room_user_states.last_read_seq', '<', seq)
          .then(seq)
          .else(eb.ref('room_user_states.last_read_seq'))
          .end(),
      })),
    )
    .returning('last_read_seq')
    .executeTakeFirstOrThrow()
  return last_read_seq
}

/**
 * Begins what is new to a user who joins after `seq`, and forgets that they once left the room by
 * choice.
 */
export async function beginState(tx: Tx, user: UserInRoom & { seq: number }): Promise<void> {
  await advanceReadMark(tx, { ...user, left_at: null })
}

/** Moves a read mark, also back: the event after `seq` is the first that is new. */
export async function putReadMark(
  tx: Tx,
  { roomId, userId, seq }: UserInRoom & { seq: number },
): Promise<void> {
  await tx
    .insertInto('room_user_states')
    .values({ ...NEW_STATE, room_id: roomId, user_id: userId, last_read_seq: seq })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet({ last_read_seq: seq }))
    .execute()
}

/** Stores the star. A user without a read mark begins to read at `readSeq`. */
export async function putStar(
  tx: Tx,
  { roomId, userId, readSeq, isStarred }: UserInRoom & { readSeq: number; isStarred: boolean },
): Promise<void> {
  const starred = isStarred ? 1 : 0
  await tx
    .insertInto('room_user_states')
    .values({ ...NEW_STATE, room_id: roomId, user_id: userId, last_read_seq: readSeq, starred })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet({ starred }))
    .execute()
}

/** Forgets what the user keeps about the room, on losing it, but not that they left it by choice. */
export async function deleteUserState(tx: Tx, { roomId, userId }: UserInRoom): Promise<void> {
  await deleteDraft(tx, { roomId, userId })
  await tx
    .deleteFrom('room_user_states')
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where('left_at', 'is', null)
    .execute()
}

/** Forgets what the user keeps about the room, and stores that they leave it by choice. */
export async function putLeftState(
  tx: Tx,
  { roomId, userId, seq, nowMs }: UserInRoom & { seq: number; nowMs: number },
): Promise<void> {
  await deleteDraft(tx, { roomId, userId })
  const state = { ...NEW_STATE, last_read_seq: seq, left_at: nowMs }
  await tx
    .insertInto('room_user_states')
    .values({ ...state, room_id: roomId, user_id: userId })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet(state))
    .execute()
}

/** Owner, members and other users with a read mark. */
export async function listFollowerIds(db: Db, roomId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('rooms')
    .select(sql<string>`owner_id`.as('user_id'))
    .where('id', '=', roomId)
    .where('owner_id', 'is not', null)
    .union(db.selectFrom('room_members').select('user_id').where('room_id', '=', roomId))
    .union(
      db.selectFrom('room_user_states').select('user_id').where('room_id', '=', roomId).where(isFollowing),
    )
    .execute()
  return rows.flatMap(({ user_id }) => user_id ?? [])
}

/** Messages of a room that are new to a user: later than both limits, and not by people whom the user blocks. */
export interface UnreadRange extends UserInRoom {
  afterSeq: number
  retainedAfterMs: number
  blockedIds?: ReadonlySet<string> | undefined
}

/** The ranges with the people whom their users block. */
export async function withoutBlocked(
  database: ReadDatabase,
  ranges: readonly UnreadRange[],
): Promise<UnreadRange[]> {
  if (ranges.length === 0) return []
  const blocked = await findBlockedIds(database, [...new Set(ranges.map(({ userId }) => userId))])
  return ranges.map((range) => ({ ...range, blockedIds: blocked.get(range.userId) }))
}

/**
 * Number of unread messages in each of these ranges, at most `MAX_UNREAD`, without own and deleted
 * messages. Reads at most `SCANNED` messages of a range, newest first.
 */
export async function countUnread(database: ReadDatabase, ranges: readonly UnreadRange[]): Promise<number[]> {
  const [first, ...others] = ranges
  if (!first) return []
  const isOneRoom = others.length > 0 && others.every(({ roomId }) => roomId === first.roomId)
  return isOneRoom
    ? countInRoom(database.read, first.roomId, ranges)
    : countAmong(database, ranges, NEWEST_MESSAGES)
}

const listNewest = prepareQuery<
  { roomId: string },
  Pick<RoomMessageRow, 'seq' | 'user_id' | 'created_at' | 'deleted_at'>
>((db, { roomId }) =>
  db
    .selectFrom('room_messages')
    .select(['seq', 'user_id', 'created_at', 'deleted_at'])
    .where('room_id', '=', roomId)
    .orderBy('seq', 'desc')
    .limit(SCANNED),
)

/** Counts for many users, and reads the messages of the room once. */
async function countInRoom(db: Db, roomId: string, ranges: readonly UnreadRange[]): Promise<number[]> {
  const newest = (await listNewest(db, { roomId })).filter(({ deleted_at }) => deleted_at === null)
  return ranges.map(({ userId, afterSeq, retainedAfterMs, blockedIds }) => {
    let unread = 0
    for (const { seq, user_id, created_at } of newest) {
      if (seq <= afterSeq || unread === MAX_UNREAD) break
      if (user_id !== userId && created_at > retainedAfterMs && !blockedIds?.has(user_id ?? '')) unread++
    }
    return unread
  })
}

/** The messages with a mention of the user, after the start of the range. */
const NEWEST_MENTIONS = sql`select room_messages.user_id, room_messages.created_at, room_messages.deleted_at
  from room_mentions join room_messages on room_messages.id = room_mentions.message_id
  where room_mentions.user_id = value ->> 2 and room_mentions.room_id = value ->> 1
    and room_mentions.seq > cast(value ->> 3 as bigint)
  order by room_mentions.seq desc`

const NEWEST_MESSAGES = sql`select user_id, created_at, deleted_at from room_messages
  where room_id = value ->> 1 and seq > cast(value ->> 3 as bigint) order by seq desc`

/**
 * Number of unread messages in each of these ranges that mention the user, within the same limits as
 * `countUnread`.
 */
export async function countMentions(
  database: ReadDatabase,
  ranges: readonly UnreadRange[],
): Promise<number[]> {
  return ranges.length === 0 ? [] : countAmong(database, ranges, NEWEST_MENTIONS)
}

/** Counts the messages of others among the newest of each range. */
async function countAmong(
  { read, dialect }: ReadDatabase,
  ranges: readonly UnreadRange[],
  newest: RawBuilder<unknown>,
): Promise<number[]> {
  const parameters = ranges.map(({ roomId, userId, afterSeq, retainedAfterMs, blockedIds }, index) => [
    index,
    roomId,
    userId,
    afterSeq,
    retainedAfterMs,
    blockedIds ? 1 : 0,
  ])
  const { rows } = await sql<{ range: number; unread: number }>`
    select cast(value ->> 0 as bigint) as range, (
      select count(*) from (
        select 1 from (${newest} limit ${SCANNED}) as newest
        where user_id is distinct from value ->> 2 and deleted_at is null
          and created_at > cast(value ->> 4 as bigint)
          and (cast(value ->> 5 as bigint) = 0 or not exists (
            select 1 from blocks where blocks.user_id = value ->> 2 and blocked_id = newest.user_id
          ))
        limit ${MAX_UNREAD}
      ) as unread
    ) as unread
    from ${rowsFrom(dialect, parameters)}`.execute(read)
  const counts = new Map(rows.map(({ range, unread }) => [range, unread]))
  return ranges.map((_, index) => counts.get(index) ?? 0)
}
