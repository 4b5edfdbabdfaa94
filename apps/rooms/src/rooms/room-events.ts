import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { SqliteAdapter, sql } from 'kysely'
import { rowsFrom } from '../db/json-rows.ts'
import { prepareQuery } from '../db/prepared-query.ts'
import type { RoomEventRow, RoomEventType, RoomRow, Tx } from '../db/tables.ts'
import type { ClusterEvent, RoomEvent } from '../api/cluster-events.ts'
import { toMoment } from '../api/wire.ts'
import type { Person } from './schema.ts'

const selectLocked = prepareQuery<{ roomId: string }, RoomRow>((db, { roomId }) => {
  // A transaction of SQLite has no other writers beside it, and need not write to lock.
  if (db.getExecutor().adapter instanceof SqliteAdapter)
    return db.selectFrom('rooms').selectAll().where('id', '=', roomId)
  return db
    .updateTable('rooms')
    .set((eb) => ({ last_seq: eb.ref('last_seq') }))
    .where('id', '=', roomId)
    .returningAll()
})

/**
 * Locks the row of a room against all other writers until the transaction ends. Decisions that
 * depend on the participants or their number come after it. Undefined without such a room, which
 * callers leave to the check of access: it refuses a hidden room after the same statements (R37.3).
 */
export async function lockRoom(tx: Tx, roomId: string): Promise<RoomRow | undefined> {
  const [room] = await selectLocked(tx, { roomId })
  return room
}

const incrementSeq = prepareQuery<{ roomId: string }, { last_seq: number }>((db, { roomId }) =>
  db
    .updateTable('rooms')
    .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
    .where('id', '=', roomId)
    .returning('last_seq'),
)

const incrementSeqOfMessage = prepareQuery<{ roomId: string; nowMs: number }, { last_seq: number }>(
  (db, { roomId, nowMs }) =>
    db
      .updateTable('rooms')
      .set((eb) => ({ last_seq: eb('last_seq', '+', 1), active_at: nowMs }))
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

/**
 * Names belong to accounts and are deleted with them. The log stores only the user id; readers see
 * the current name.
 */
function withoutNames({ person, ...data }: NewEvent['data']): Readonly<Record<string, unknown>> {
  if (!person) return data
  const { userId, guest, role } = person
  return { ...data, person: { userId, guest, role } }
}

/**
 * Takes the next sequence number of the room for `putEvent` and locks the room like `lockRoom`, in
 * one statement: for callers with nothing to check under the lock. A caller that refuses afterwards
 * must roll back. Undefined without such a room.
 */
export async function nextSeq(tx: Tx, roomId: string): Promise<number | undefined> {
  const [room] = await incrementSeq(tx, { roomId })
  return room?.last_seq
}

/** Takes the next sequence number for a message, which makes the room the last active one. */
export async function nextSeqOfMessage(tx: Tx, roomId: string, nowMs: number): Promise<number | undefined> {
  const [room] = await incrementSeqOfMessage(tx, { roomId, nowMs })
  return room?.last_seq
}

/** Stores an event under a number that was taken in this transaction. */
export async function putEvent(
  tx: Tx,
  seq: number,
  { roomId, event, data, nowMs }: NewEvent,
): Promise<RoomEvent> {
  const stored = JSON.stringify(withoutNames(data))
  await insertEvent(tx, { room_id: roomId, seq, type: event, data: stored, created_at: nowMs })
  return { seq, at: toMoment(nowMs), event, data }
}

/**
 * Stores an event under the next sequence number of the room (R18.4). The row stays locked until
 * the commit: numbers have no gaps and are committed in order. Publish the event only after the
 * commit.
 */
export async function appendEvent(tx: Tx, event: NewEvent): Promise<RoomEvent> {
  const seq = await nextSeq(tx, event.roomId)
  if (seq === undefined) throw new Error('An event needs an existing room')
  return putEvent(tx, seq, event)
}

/**
 * Stores one event in each of these rooms, which are locked, like `appendEvent` and in two statements.
 */
export async function appendEvents(
  dialect: DialectName,
  tx: Tx,
  events: readonly NewEvent[],
): Promise<ClusterEvent[]> {
  if (events.length === 0) return []
  const roomIds = events.map(({ roomId }) => roomId)
  const numbered = await tx
    .updateTable('rooms')
    .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
    .where(inList(dialect, 'id', roomIds))
    .returning(['id', 'last_seq'])
    .execute()
  const seqs = new Map(numbered.map(({ id, last_seq }) => [id, last_seq]))
  const rows = events.map(({ roomId, event, data, nowMs }) => [
    roomId,
    seqs.get(roomId),
    event,
    JSON.stringify(withoutNames(data)),
    nowMs,
  ])
  await sql`
    insert into room_events (room_id, seq, type, data, created_at)
    select value ->> 0, cast(value ->> 1 as bigint), value ->> 2, value ->> 3, cast(value ->> 4 as bigint)
    from ${rowsFrom(dialect, rows)}`.execute(tx)
  return events.map(({ roomId, event, data, nowMs }) => ({
    kind: 'event',
    roomId,
    event: { seq: seqs.get(roomId) ?? 0, at: toMoment(nowMs), event, data },
  }))
}
