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

/** A part of the log; its last numbers may have no events any more. */
export interface EventBatch {
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
): Promise<EventBatch> {
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
  const parsed = rows.map((row) => ({ row, data: JSON.parse(row.data) as StoredData }))
  const persons = parsed.flatMap(({ data: { person } }) => (person ? [person.userId] : []))
  const displays = await findUserDisplaysOf(db, roomId, [...authorIdsOf([...messages.values()]), ...persons])
  const events: RoomEvent[] = []
  for (const { row, data } of parsed) {
    const message = messages.get(row.seq)
    const shown =
      row.type === 'message.created'
        ? message && { message: toMessage(withAuthor(message, displays)) }
        : dataOf(data, displays)
    // The message may have been deleted for its age since the events were read.
    if (shown) events.push({ seq: row.seq, at: toMoment(row.created_at), event: row.type, data: shown })
  }
  return events
}

type StoredPerson = Omit<Person, 'nickname' | 'avatarColor'>
type StoredData = Record<string, unknown> & { person?: StoredPerson }

/** With people as they are called now. */
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
