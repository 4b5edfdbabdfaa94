import { type Kysely, type SqlBool, type Transaction, sql } from 'kysely'
import { prepareQuery } from '../db/prepared-query.ts'
import type { RoomEventRow, RoomMessageRow, Tables } from '../db/tables.ts'
import { type UserDisplay, findUserDisplays, nicknameIn } from '../rooms/nickname.ts'
import { isAccount } from '../users/store.ts'
import type { MessageWithAuthor } from './schema.ts'

/** For single ones; what many authors are called is looked up for all of them at once. */
function messages(db: Kysely<Tables>, roomId: string) {
  return db
    .selectFrom('room_messages')
    .leftJoin('users', (join) => join.onRef('users.id', '=', 'room_messages.user_id').on(isAccount()))
    .selectAll('room_messages')
    .select(['users.avatar_color', nicknameIn(roomId).as('nickname')])
    .where('room_messages.room_id', '=', roomId)
    .where(roomExists(roomId))
}

/** What was said in a room that is gone stays for a while, and nobody reads it. */
function roomExists(roomId: string) {
  return sql<SqlBool>`exists (select 1 from rooms where id = ${roomId})`
}

/** What of a room's log may be read: only what came after both. */
export interface ReadableRange {
  roomId: string
  afterSeq: number
  retainedAfterMs: number
}

/** The newest first. */
export async function listMessages(
  db: Kysely<Tables>,
  { roomId, afterSeq, retainedAfterMs }: ReadableRange,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<MessageWithAuthor[]> {
  const rows = await db
    .selectFrom('room_messages')
    .selectAll()
    .where('room_id', '=', roomId)
    .where(roomExists(roomId))
    .where('seq', '>', afterSeq)
    .where('created_at', '>', retainedAfterMs)
    .$if(before !== undefined, (query) => query.where('seq', '<', before ?? 0))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  const authors = await findUserDisplaysOf(db, roomId, authorIdsOf(rows))
  return rows.map((row) => withAuthor(row, authors))
}

/** A part of a room's log. */
interface SeqRange {
  roomId: string
  first: number
  last: number
}

/** Ids of those who said this, as far as they have accounts. */
export function authorIdsOf(rows: readonly RoomMessageRow[]): string[] {
  return rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]))
}

export function withAuthor(
  row: RoomMessageRow,
  authors: ReadonlyMap<string, UserDisplay>,
): MessageWithAuthor {
  const { nickname, avatar_color } = authors.get(row.user_id ?? '') ?? { nickname: null, avatar_color: null }
  return { ...row, nickname, avatar_color }
}

export async function findMessage(
  db: Kysely<Tables>,
  roomId: string,
  id: string,
): Promise<MessageWithAuthor | undefined> {
  return messages(db, roomId).where('room_messages.id', '=', id).executeTakeFirst()
}

/** Whose message, and the id that the author gave it. */
interface ClientMessageKey {
  roomId: string
  userId: string
  clientId: string
}

const selectByClientId = prepareQuery<ClientMessageKey, MessageWithAuthor>(
  (db, { roomId, userId, clientId }) =>
    messages(db, roomId)
      .where('room_messages.user_id', '=', userId)
      .where('room_messages.client_id', '=', clientId),
)

/** What this person has sent to the room under this id of theirs. */
export async function findByClientId(
  db: Kysely<Tables>,
  sent: ClientMessageKey,
): Promise<MessageWithAuthor | undefined> {
  const [message] = await selectByClientId(db, sent)
  return message
}

const insert = prepareQuery<RoomMessageRow, { id: string }>((db, given) =>
  db
    .insertInto('room_messages')
    .values({
      id: given.id,
      room_id: given.room_id,
      seq: given.seq,
      user_id: given.user_id,
      author_name: given.author_name,
      author_guest: given.author_guest,
      content: given.content,
      client_id: given.client_id,
      created_at: given.created_at,
      deleted_at: given.deleted_at,
      deleted_by: given.deleted_by,
    })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id', 'client_id']).doNothing())
    .returning('id'),
)

/** False when the author has sent one under the same id of theirs before, which stays as it is. */
export async function insertMessage(tx: Transaction<Tables>, message: RoomMessageRow): Promise<boolean> {
  const [inserted] = await insert(tx, message)
  return inserted !== undefined
}

/** Leaves a tombstone. False when there was one already. */
export async function markMessageDeleted(
  tx: Transaction<Tables>,
  { id, deletedBy, nowMs }: { id: string; deletedBy: string; nowMs: number },
): Promise<boolean> {
  const deleted = await tx
    .updateTable('room_messages')
    .set({ content: null, deleted_at: nowMs, deleted_by: deletedBy })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

const selectFirstRetained = prepareQuery<ReadableRange, { seq: number }>(
  (db, { roomId, afterSeq, retainedAfterMs }) =>
    db
      .selectFrom('room_events')
      .select('seq')
      .where('room_id', '=', roomId)
      .where('seq', '>', afterSeq)
      // Reckoned with, so that it is no reason to sort all that is kept by its age: nearly always the first row will do.
      .where(sql<number>`created_at + 0`, '>', retainedAfterMs)
      .orderBy('seq')
      .limit(1),
)

/** The number of the oldest event after `afterSeq` that is kept; undefined when none is. */
export async function findFirstRetained(
  db: Kysely<Tables>,
  readable: ReadableRange,
): Promise<number | undefined> {
  const [first] = await selectFirstRetained(db, readable)
  return first?.seq
}

/** In their order, from after `afterSeq` up to `lastSeq`. */
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

const selectBetween = prepareQuery<SeqRange, RoomMessageRow>((db, { roomId, first, last }) =>
  db
    .selectFrom('room_messages')
    .selectAll()
    .where('room_id', '=', roomId)
    .where(roomExists(roomId))
    .where('seq', '>=', first)
    .where('seq', '<=', last),
)

/** The messages that came with events of these numbers, by number. */
export async function findMessagesBetween(
  db: Kysely<Tables>,
  range: SeqRange,
): Promise<Map<number, RoomMessageRow>> {
  const found = await selectBetween(db, range)
  return new Map(found.map((message) => [message.seq, message]))
}

const selectUserDisplay = prepareQuery<{ roomId: string; userId: string }, UserDisplay>(
  (db, { roomId, userId }) =>
    db
      .selectFrom('users')
      .select([nicknameIn(roomId).as('nickname'), 'users.avatar_color'])
      .where('id', '=', userId)
      .where(isAccount()),
)

/** What somebody is called in this room at this moment; undefined when the account is gone. */
export async function findUserDisplay(
  db: Kysely<Tables>,
  roomId: string,
  userId: string,
): Promise<UserDisplay | undefined> {
  const [display] = await selectUserDisplay(db, { roomId, userId })
  return display
}

/** The same of several, each of whom may be named more than once; those whose accounts are gone are missing. */
export async function findUserDisplaysOf(
  db: Kysely<Tables>,
  roomId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, UserDisplay>> {
  const [userId, ...others] = new Set(userIds)
  if (userId === undefined) return new Map()
  if (others.length > 0) return findUserDisplays(db, roomId, [userId, ...others])
  const display = await findUserDisplay(db, roomId, userId)
  return new Map(display ? [[userId, display]] : [])
}
