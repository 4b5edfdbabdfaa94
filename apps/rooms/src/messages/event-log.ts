import type { Kysely } from 'kysely'
import type { RoomEventRow, Tables } from '../db/tables.ts'
import type { RoomEvent } from '../cluster-events.ts'
import { type UserDisplay, deletedUserName } from '../rooms/nickname.ts'
import type { Person } from '../rooms/schema.ts'
import { findLastSeq } from '../rooms/store.ts'
import { avatarColorOf } from '../users/avatar-color.ts'
import { toMoment } from '../wire.ts'
import { toMessage } from './schema.ts'
import { findUserDisplaysOf, findMessagesBetween, authorIdsOf, listEvents, withAuthor } from './store.ts'

/** Batch of the event log. Its last sequence numbers may have no events any more. */
export interface EventBatch {
  events: RoomEvent[]
  /** A client with these events has everything up to this sequence number. */
  reachedSeq: number
  /** Nothing follows this batch. */
  isAll: boolean
}

/** Event log after a sequence number, for a reader who may see all of it. */
export async function loadEvents(
  db: Kysely<Tables>,
  roomId: string,
  afterSeq: number,
  limit: number,
): Promise<EventBatch> {
  const lastSeq = (await findLastSeq(db, roomId)) ?? afterSeq
  const rows = await listEvents(db, { roomId, afterSeq, lastSeq, limit })
  const isAll = rows.length < limit
  const reachedSeq = isAll ? lastSeq : (rows.at(-1)?.seq ?? lastSeq)
  return { events: await eventsOf(db, roomId, rows), reachedSeq, isAll }
}

/** Events for rows of one room, in the same order, with the texts of their messages. */
export async function eventsOf(
  db: Kysely<Tables>,
  roomId: string,
  rows: readonly RoomEventRow[],
): Promise<RoomEvent[]> {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return []
  const messages = await findMessagesBetween(db, { roomId, first: first.seq, last: last.seq })
  const parsed = rows.map((row) => ({ row, data: JSON.parse(row.data) as StoredData }))
  const persons = parsed.flatMap(({ data: { person } }) => (person ? [person.userId] : []))
  const displays = await findUserDisplaysOf(db, roomId, [...authorIdsOf([...messages.values()]), ...persons])
  const events: RoomEvent[] = []
  for (const { row, data } of parsed) {
    const message = messages.get(row.seq)
    const eventData =
      row.type === 'message.created'
        ? message && { message: toMessage(withAuthor(message, displays.get(message.user_id ?? ''))) }
        : dataOf(data, displays)
    // The message may have been deleted since the events were read, because of its age.
    if (eventData)
      events.push({ seq: row.seq, at: toMoment(row.created_at), event: row.type, data: eventData })
  }
  return events
}

type StoredPerson = Omit<Person, 'nickname' | 'avatarColor'>
type StoredData = Record<string, unknown> & { person?: StoredPerson }

/** Adds current names and colours to stored data. */
function dataOf(
  { person, ...stored }: StoredData,
  displays: ReadonlyMap<string, UserDisplay>,
): RoomEvent['data'] {
  if (!person) return stored
  const { userId, guest, role } = person
  const now = displays.get(userId)
  const nickname = now?.nickname ?? deletedUserName(userId)
  const avatarColor = now?.avatar_color ?? avatarColorOf(nickname)
  return { ...stored, person: { userId, nickname, avatarColor, guest, role } }
}
