import type { Kysely, Transaction } from 'kysely'
import type { RoomEventRow, RoomMessageRow, Tables } from '../db/tables.ts'
import { nicknameIn } from '../rooms/nickname.ts'
import type { FoundMessage } from './schema.ts'

function messages(db: Kysely<Tables>, roomId: string) {
  return db
    .selectFrom('room_messages')
    .leftJoin('users', 'users.id', 'room_messages.user_id')
    .selectAll('room_messages')
    .select(['users.avatar_color', nicknameIn(roomId).as('nickname')])
    .where('room_messages.room_id', '=', roomId)
}

/** What of a room's log may be read: only what came after both. */
export interface Readable {
  roomId: string
  afterSeq: number
  keptAfterMs: number
}

/** The newest first. */
export async function listMessages(
  db: Kysely<Tables>,
  { roomId, afterSeq, keptAfterMs }: Readable,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<FoundMessage[]> {
  return messages(db, roomId)
    .where('room_messages.seq', '>', afterSeq)
    .where('room_messages.created_at', '>', keptAfterMs)
    .$if(before !== undefined, (query) => query.where('room_messages.seq', '<', before ?? 0))
    .orderBy('room_messages.seq', 'desc')
    .limit(limit)
    .execute()
}

export async function findMessage(
  db: Kysely<Tables>,
  roomId: string,
  id: string,
): Promise<FoundMessage | undefined> {
  return messages(db, roomId).where('room_messages.id', '=', id).executeTakeFirst()
}

/** What this person has sent to the room under this id of theirs. */
export async function findSent(
  db: Kysely<Tables>,
  { roomId, userId, clientId }: { roomId: string; userId: string; clientId: string },
): Promise<FoundMessage | undefined> {
  return messages(db, roomId)
    .where('room_messages.user_id', '=', userId)
    .where('room_messages.client_id', '=', clientId)
    .executeTakeFirst()
}

export async function insertMessage(tx: Transaction<Tables>, message: RoomMessageRow): Promise<void> {
  await tx.insertInto('room_messages').values(message).execute()
}

/** Leaves a tombstone. False when there was one already. */
export async function deleteMessage(
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

/** The number of the oldest event that is kept; undefined when none is. */
export async function findFirstKept(
  db: Kysely<Tables>,
  { roomId, keptAfterMs }: Readable,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('room_events')
    .select('seq')
    .where('room_id', '=', roomId)
    .where('created_at', '>', keptAfterMs)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row?.seq
}

/** In their order, from after `afterSeq` up to `lastSeq`. */
export async function listEvents(
  db: Kysely<Tables>,
  { roomId, afterSeq, lastSeq }: { roomId: string; afterSeq: number; lastSeq: number },
  limit: number,
): Promise<RoomEventRow[]> {
  return db
    .selectFrom('room_events')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('seq', '>', afterSeq)
    .where('seq', '<=', lastSeq)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** The messages that came with events of these numbers. */
export async function findMessagesBetween(
  db: Kysely<Tables>,
  { roomId, first, last }: { roomId: string; first: number; last: number },
): Promise<Map<number, FoundMessage>> {
  const found = await messages(db, roomId)
    .where('room_messages.seq', '>=', first)
    .where('room_messages.seq', '<=', last)
    .execute()
  return new Map(found.map((message) => [message.seq, message]))
}

/** What the author is called in this room at this moment. */
export async function findNicknameIn(db: Kysely<Tables>, roomId: string, userId: string): Promise<string> {
  const { nickname } = await db
    .selectFrom('users')
    .select(nicknameIn(roomId).as('nickname'))
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return nickname
}
