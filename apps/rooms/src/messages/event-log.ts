import type { Kysely } from 'kysely'
import type { RoomEventRow, Tables } from '../db/tables.ts'
import type { RoomEvent } from '../news.ts'
import { findLastSeq } from '../rooms/store.ts'
import { toMoment } from '../wire.ts'
import { type FoundMessage, toMessage } from './schema.ts'
import { findMessagesBetween, listEvents } from './store.ts'

/** A part of the log; its last numbers may have no events any more. */
export interface LoadedEvents {
  events: RoomEvent[]
  /** Whoever has these events has everything up to this one. */
  reachedSeq: number
  /** There was nothing after it. */
  isAll: boolean
}

/** The log after an event, as whoever may read all of it sees it. */
export async function loadEvents(
  db: Kysely<Tables>,
  roomId: string,
  afterSeq: number,
  limit: number,
): Promise<LoadedEvents> {
  const lastSeq = (await findLastSeq(db, roomId)) ?? afterSeq
  const rows = await listEvents(db, { roomId, afterSeq, lastSeq, limit })
  const isAll = rows.length < limit
  const reachedSeq = isAll ? lastSeq : (rows.at(-1)?.seq ?? lastSeq)
  return { events: await eventsOf(db, roomId, rows), reachedSeq, isAll }
}

/** Rows of one room's log with what was said, in their order. */
export async function eventsOf(
  db: Kysely<Tables>,
  roomId: string,
  rows: readonly RoomEventRow[],
): Promise<RoomEvent[]> {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return []
  const messages = await findMessagesBetween(db, { roomId, first: first.seq, last: last.seq })
  return rows.map((row) => loggedEvent(row, messages.get(row.seq))).filter((event) => event !== undefined)
}

/** Undefined when the message was deleted for its age since the events were read. */
function loggedEvent(row: RoomEventRow, message: FoundMessage | undefined): RoomEvent | undefined {
  const { seq, type: event, created_at } = row
  const at = toMoment(created_at)
  if (event !== 'message.created')
    return { seq, at, event, data: JSON.parse(row.data) as Record<string, unknown> }
  return message && { seq, at, event, data: { message: toMessage(message) } }
}
