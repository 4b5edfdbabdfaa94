import { type SqlBool, sql } from 'kysely'
import { prepareQuery } from '../db/prepared-query.ts'
import type { Db, RoomEventRow, RoomMessageRow, Tx } from '../db/tables.ts'
import { type UserDisplay, findUserDisplays, nicknameIn, roleIn } from '../rooms/nickname.ts'
import { isAccount } from '../users/store.ts'

function messages(db: Db, roomId: string) {
  return db.selectFrom('room_messages').selectAll().where('room_id', '=', roomId).where(roomExists(roomId))
}

/** Messages of a deleted room remain for a while but are unreadable. */
function roomExists(roomId: string) {
  return sql<SqlBool>`exists (select 1 from rooms where id = ${roomId})`
}

/** Readable part of a room's log: later than both limits. */
export interface ReadableRange {
  roomId: string
  afterSeq: number
  retainedAfterMs: number
}

function readableMessages(db: Db, { roomId, afterSeq, retainedAfterMs }: ReadableRange) {
  return messages(db, roomId).where('seq', '>', afterSeq).where('created_at', '>', retainedAfterMs)
}

/** Messages before a sequence number, or the newest ones, newest first. */
export async function listMessagesBefore(
  db: Db,
  readable: ReadableRange,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<RoomMessageRow[]> {
  return readableMessages(db, readable)
    .$if(before !== undefined, (query) => query.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
}

/** Messages after a sequence number, oldest first. */
export async function listMessagesAfter(
  db: Db,
  readable: ReadableRange,
  { after, limit }: { after: number; limit: number },
): Promise<RoomMessageRow[]> {
  return readableMessages(db, readable).where('seq', '>', after).orderBy('seq').limit(limit).execute()
}

/** Sequence number of the first message at a time or later. Undefined if there is none. */
export async function findSeqSince(
  db: Db,
  readable: ReadableRange,
  sinceMs: number,
): Promise<number | undefined> {
  const [oldest] = await listMessagesAfter(db, readable, { after: readable.afterSeq, limit: 1 })
  if (!oldest || oldest.created_at >= sinceMs) return oldest?.seq
  const first = await readableMessages(db, readable)
    .select('seq')
    .where('created_at', '>=', sinceMs)
    .orderBy('created_at')
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return first?.seq
}

/** Part of a room's log, inclusive at both ends. */
interface SeqRange {
  roomId: string
  first: number
  last: number
}

/** Ids of the authors, except those of deleted accounts. */
export function authorIdsOf(rows: readonly RoomMessageRow[]): string[] {
  return rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]))
}

export async function findMessage(db: Db, roomId: string, id: string): Promise<RoomMessageRow | undefined> {
  return messages(db, roomId).where('id', '=', id).executeTakeFirst()
}

/** Messages of the room with these ids, in any order. Other ids are ignored. */
export async function findMessagesById(
  db: Db,
  roomId: string,
  ids: readonly string[],
): Promise<RoomMessageRow[]> {
  if (ids.length === 0) return []
  return messages(db, roomId).where('id', 'in', ids).execute()
}

/** Author of a message and the id that the client chose for it. */
interface ClientMessageKey {
  roomId: string
  userId: string
  clientId: string
}

const selectByClientId = prepareQuery<ClientMessageKey, RoomMessageRow>((db, { roomId, userId, clientId }) =>
  messages(db, roomId).where('user_id', '=', userId).where('client_id', '=', clientId),
)

/** Message of this user in the room with this `clientId`. */
export async function findByClientId(db: Db, sent: ClientMessageKey): Promise<RoomMessageRow | undefined> {
  const [message] = await selectByClientId(db, sent)
  return message
}

/** Message with a text. */
export type LiveMessage = RoomMessageRow & { content: string }

/** Message as it is stored at first. */
export type NewMessageRow = Omit<
  LiveMessage,
  'edited_at' | 'reactions' | 'pinned_seq' | 'deleted_at' | 'deleted_by'
>

const insert = prepareQuery<NewMessageRow, LiveMessage>((db, message) =>
  db
    .insertInto('room_messages')
    .values({
      id: message.id,
      room_id: message.room_id,
      seq: message.seq,
      user_id: message.user_id,
      author_name: message.author_name,
      author_guest: message.author_guest,
      content: message.content,
      client_id: message.client_id,
      created_at: message.created_at,
      reply_to: message.reply_to,
      group_mention: message.group_mention,
      file_count: message.file_count,
    })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id', 'client_id']).doNothing())
    .returningAll()
    .$castTo<LiveMessage>(),
)

/**
 * Undefined if the author has already sent a message with this `clientId`. That message stays
 * unchanged.
 */
export async function insertMessage(tx: Tx, message: NewMessageRow): Promise<LiveMessage | undefined> {
  const [inserted] = await insert(tx, message)
  return inserted
}

/** Messages of a room that were pinned before this number, last pinned first. */
export async function findPinned(
  db: Db,
  roomId: string,
  beforeSeq: number,
  limit: number,
): Promise<PinnedMessageRow[]> {
  const rows = await db
    .selectFrom('room_messages')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('pinned_seq', '<', beforeSeq)
    .orderBy('pinned_seq', 'desc')
    .limit(limit)
    .execute()
  return rows as PinnedMessageRow[]
}

type PinnedMessageRow = RoomMessageRow & { pinned_seq: number }

export async function countPinned(db: Db, roomId: string): Promise<number> {
  const { count } = await db
    .selectFrom('room_messages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('room_id', '=', roomId)
    .where('pinned_seq', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Pins a message with the number of the event, or takes the pin away. */
export async function setPinnedSeq(tx: Tx, messageId: string, seq: number | null): Promise<void> {
  await tx.updateTable('room_messages').set({ pinned_seq: seq }).where('id', '=', messageId).execute()
}

/** Deletes the text, with everything that belongs to it, and leaves a placeholder. */
export async function markMessageDeleted(
  tx: Tx,
  { id, deletedBy, nowMs }: { id: string; deletedBy: string; nowMs: number },
): Promise<void> {
  const placeholder = {
    content: null,
    edited_at: null,
    reply_to: null,
    reactions: null,
    pinned_seq: null,
    group_mention: null,
    file_count: null,
  }
  await tx
    .updateTable('room_messages')
    .set({ ...placeholder, deleted_at: nowMs, deleted_by: deletedBy })
    .where('id', '=', id)
    .execute()
  for (const table of ['room_message_versions', 'room_mentions', 'room_reactions', 'files'] as const)
    await tx.deleteFrom(table).where('message_id', '=', id).execute()
}

const selectFirstRetained = prepareQuery<ReadableRange, { seq: number }>(
  (db, { roomId, afterSeq, retainedAfterMs }) =>
    db
      .selectFrom('room_events')
      .select('seq')
      .where('room_id', '=', roomId)
      .where('seq', '>', afterSeq)
      // The expression keeps the planner from sorting all retained rows by age. Nearly always, the
      // first row matches.
      .where(sql<number>`created_at + 0`, '>', retainedAfterMs)
      .orderBy('seq')
      .limit(1),
)

/** Sequence number of the oldest retained event after `afterSeq`; undefined if there is none. */
export async function findFirstRetained(db: Db, readable: ReadableRange): Promise<number | undefined> {
  const [first] = await selectFirstRetained(db, readable)
  return first?.seq
}

/** Events in order, after `afterSeq` up to and including `lastSeq`. */
export const listEvents = prepareQuery<
  { roomId: string; afterSeq: number; lastSeq: number; limit: number },
  RoomEventRow
>((db, { roomId, afterSeq, lastSeq, limit }) =>
  db
    .selectFrom('room_events')
    .selectAll()
    .where('room_id', '=', roomId)
    .where(roomExists(roomId))
    .where('seq', '>', afterSeq)
    .where('seq', '<=', lastSeq)
    .orderBy('seq')
    .limit(limit),
)

/** Newest events of a stretch of the log that are not about messages, in order. */
export async function listOtherEvents(
  db: Db,
  { roomId, first, last }: SeqRange,
  { retainedAfterMs, limit }: { retainedAfterMs: number; limit: number },
): Promise<RoomEventRow[]> {
  const newest = await db
    .selectFrom('room_events')
    .selectAll()
    .where('room_id', '=', roomId)
    // Written as in the index that has only these events.
    .where(sql<SqlBool>`substr(type, 1, 8) <> 'message.'`)
    .where('seq', '>=', first)
    .where('seq', '<=', last)
    .where(sql<number>`created_at + 0`, '>', retainedAfterMs)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return newest.toReversed()
}

const selectBetween = prepareQuery<SeqRange, RoomMessageRow>((db, { roomId, first, last }) =>
  messages(db, roomId).where('seq', '>=', first).where('seq', '<=', last),
)

/** Messages of the events with these sequence numbers, by number. */
export async function findMessagesBetween(db: Db, range: SeqRange): Promise<Map<number, RoomMessageRow>> {
  const rows = await selectBetween(db, range)
  return new Map(rows.map((message) => [message.seq, message]))
}

const selectUserDisplay = prepareQuery<{ roomId: string; userId: string }, UserDisplay>(
  (db, { roomId, userId }) =>
    db
      .selectFrom('users')
      .select([
        nicknameIn(roomId).as('nickname'),
        'users.avatar_color',
        'users.picture_id',
        'users.is_guest',
        roleIn(roomId).as('role'),
      ])
      .where('id', '=', userId)
      .where(isAccount()),
)

/** Current display of a user in this room; undefined if the account is deleted. */
export async function findUserDisplay(
  db: Db,
  roomId: string,
  userId: string,
): Promise<UserDisplay | undefined> {
  const [display] = await selectUserDisplay(db, { roomId, userId })
  return display
}

/** Current displays of users in this room. Ids may be repeated; deleted accounts are missing. */
export async function findUserDisplaysOf(
  db: Db,
  roomId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, UserDisplay>> {
  const [userId, ...others] = new Set(userIds)
  if (userId === undefined) return new Map()
  if (others.length > 0) return findUserDisplays(db, roomId, [userId, ...others])
  const display = await findUserDisplay(db, roomId, userId)
  return new Map(display ? [[userId, display]] : [])
}
