import type { Transaction } from 'kysely'
import type { RoomEventType, RoomRow, Tables } from '../db/tables.ts'
import type { RoomEvent } from '../news.ts'

/**
 * The room's row, kept from all other writers until the transaction ends: whatever depends on who is in the room, or how
 * many, is decided after this. Undefined when there is no such room.
 */
export async function lockRoom(tx: Transaction<Tables>, roomId: string): Promise<RoomRow | undefined> {
  return tx
    .updateTable('rooms')
    .set((eb) => ({ last_seq: eb.ref('last_seq') }))
    .where('id', '=', roomId)
    .returningAll()
    .executeTakeFirst()
}

export interface NewEvent {
  roomId: string
  event: RoomEventType
  data: Readonly<Record<string, unknown>>
  nowMs: number
}

/**
 * Stores a lasting event under the room's next number (R18.4). The room's row stays locked until the commit, so numbers have
 * no holes and are committed in their order. Tell of it only after the commit.
 */
export async function appendEvent(
  tx: Transaction<Tables>,
  { roomId, event, data, nowMs }: NewEvent,
): Promise<RoomEvent> {
  const { last_seq: seq } = await tx
    .updateTable('rooms')
    .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
    .where('id', '=', roomId)
    .returning('last_seq')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('room_events')
    .values({ room_id: roomId, seq, type: event, data: JSON.stringify(data), created_at: nowMs })
    .execute()
  return { seq, at: new Date(nowMs).toISOString(), event, data }
}
