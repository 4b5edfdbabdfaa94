import type { Transaction } from 'kysely'
import { prepareQuery } from '../db/prepared-query.ts'
import type { RoomEventRow, RoomEventType, RoomRow, Tables } from '../db/tables.ts'
import type { RoomEvent } from '../cluster-events.ts'
import { toMoment } from '../wire.ts'
import type { Person } from './schema.ts'

const touchRoom = prepareQuery<{ roomId: string }, RoomRow>((db, { roomId }) =>
  db
    .updateTable('rooms')
    .set((eb) => ({ last_seq: eb.ref('last_seq') }))
    .where('id', '=', roomId)
    .returningAll(),
)

/**
 * The room's row, kept from all other writers until the transaction ends: whatever depends on who is in the room, or how
 * many, is decided after this. Undefined when there is no such room.
 */
export async function lockRoom(tx: Transaction<Tables>, roomId: string): Promise<RoomRow | undefined> {
  const [room] = await touchRoom(tx, { roomId })
  return room
}

const incrementSeq = prepareQuery<{ roomId: string }, { last_seq: number }>((db, { roomId }) =>
  db
    .updateTable('rooms')
    .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
    .where('id', '=', roomId)
    .returning('last_seq'),
)

const insertEvent = prepareQuery<RoomEventRow, unknown>((db, { room_id, seq, type, data, created_at }) =>
  db.insertInto('room_events').values({ room_id, seq, type, data, created_at }),
)

export interface NewEvent {
  roomId: string
  event: RoomEventType
  data: Readonly<Record<string, unknown>> & { readonly person?: Person }
  nowMs: number
}

/** Names stay with the accounts, and go with them: the log says who it was, and is read with what they are called then. */
function withoutNames({ person, ...data }: NewEvent['data']): Readonly<Record<string, unknown>> {
  if (!person) return data
  const { userId, guest, role } = person
  return { ...data, person: { userId, guest, role } }
}

/**
 * The room's next number, for `putEvent`, with the room locked as by `lockRoom`: both in one statement where nobody needs to
 * be refused before. Whoever is refused after it must not commit. Undefined when there is no such room.
 */
export async function nextSeq(tx: Transaction<Tables>, roomId: string): Promise<number | undefined> {
  const [room] = await incrementSeq(tx, { roomId })
  return room?.last_seq
}

/** Stores a lasting event under a number that was taken for it in this transaction. */
export async function putEvent(
  tx: Transaction<Tables>,
  seq: number,
  { roomId, event, data, nowMs }: NewEvent,
): Promise<RoomEvent> {
  const stored = JSON.stringify(withoutNames(data))
  await insertEvent(tx, { room_id: roomId, seq, type: event, data: stored, created_at: nowMs })
  return { seq, at: toMoment(nowMs), event, data }
}

/**
 * Stores a lasting event under the room's next number (R18.4). The room's row stays locked until the commit, so numbers have
 * no holes and are committed in their order. Tell of it only after the commit.
 */
export async function appendEvent(tx: Transaction<Tables>, event: NewEvent): Promise<RoomEvent> {
  const seq = await nextSeq(tx, event.roomId)
  if (seq === undefined) throw new Error('An event needs a room that is there')
  return putEvent(tx, seq, event)
}
