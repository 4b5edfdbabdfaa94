import type { Kysely } from 'kysely'
import type { RoomEventRow, Tables } from '../db/tables.ts'
import type { RoomEvent } from '../news.ts'
import { nameOfGone } from '../rooms/nickname.ts'
import type { Person } from '../rooms/schema.ts'
import { findLastSeq } from '../rooms/store.ts'
import { avatarColorOf } from '../users/avatar-color.ts'
import { toMoment } from '../wire.ts'
import { type FoundMessage, toMessage } from './schema.ts'
import { findCalled, findMessagesBetween, listEvents } from './store.ts'

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
  const events: RoomEvent[] = []
  for (const row of rows) {
    const data = await dataOf(db, row, messages.get(row.seq))
    if (data) events.push({ seq: row.seq, at: toMoment(row.created_at), event: row.type, data })
  }
  return events
}

/** Undefined when the message was deleted for its age since the events were read. */
async function dataOf(
  db: Kysely<Tables>,
  { room_id: roomId, type, data }: RoomEventRow,
  message: FoundMessage | undefined,
): Promise<RoomEvent['data'] | undefined> {
  if (type === 'message.created') return message && { message: toMessage(message) }
  const { person, ...stored } = JSON.parse(data) as Record<string, unknown> & { person?: StoredPerson }
  return person ? { ...stored, person: await named(db, roomId, person) } : stored
}

type StoredPerson = Omit<Person, 'nickname' | 'avatarColor'>

/** As they are called now. */
async function named(
  db: Kysely<Tables>,
  roomId: string,
  { userId, guest, role }: StoredPerson,
): Promise<Person> {
  const called = await findCalled(db, roomId, userId)
  const nickname = called?.nickname ?? nameOfGone(userId)
  return { userId, nickname, avatarColor: called?.avatar_color ?? avatarColorOf(nickname), guest, role }
}
