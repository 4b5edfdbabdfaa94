import type { Db, RoomEventRow, RoomMessageRow, RoomRow } from '../db/tables.ts'
import type { RoomEvent, ShownMessages } from '../api/cluster-events.ts'
import { retainedAfterMs } from '../rooms/history.ts'
import { type UserDisplay, deletedUserName } from '../rooms/nickname.ts'
import type { Person } from '../rooms/schema.ts'
import { findRoom } from '../rooms/store.ts'
import { avatarColorOf } from '../users/avatar-color.ts'
import { toMoment } from '../api/wire.ts'
import { parseReactions } from './reaction-store.ts'
import { findMessagesBetween, findMessagesById, listEvents } from './store.ts'
import { type MessageRelations, type Reader, isReadable, loadRelations, toEventMessage } from './view.ts'
import { avatarUrlOf } from '../users/picture-url.ts'

/** Batch of the event log. Its last sequence numbers may have no events any more. */
export interface EventBatch {
  events: RoomEvent[]
  /** A client with these events has everything up to this sequence number. */
  reachedSeq: number
  /** True for the last batch. */
  isAll: boolean
}

/** Event log after a sequence number, for a reader who may see all of it. */
export async function loadEvents(
  db: Db,
  { roomId, afterSeq, limit }: { roomId: string; afterSeq: number; limit: number },
  nowMs: number,
): Promise<EventBatch> {
  const room = await findRoom(db, roomId)
  const lastSeq = room?.last_seq ?? afterSeq
  const rows = room ? await listEvents(db, { roomId, afterSeq, lastSeq, limit }) : []
  const isAll = rows.length < limit
  const reachedSeq = isAll ? lastSeq : (rows.at(-1)?.seq ?? lastSeq)
  return { events: room ? await eventsOf(db, room, rows, nowMs) : [], reachedSeq, isAll }
}

/**
 * Events for rows of one room, in the same order, with the current texts of their messages. They
 * show all that any reader may read; `viewOf` hides the rest.
 */
export async function eventsOf(
  db: Db,
  room: RoomRow,
  rows: readonly RoomEventRow[],
  nowMs: number,
): Promise<RoomEvent[]> {
  if (rows.length === 0) return []
  const roomId = room.id
  const created = await findCreated(db, roomId, rows)
  const parsed = rows.map((row) => ({ row, data: JSON.parse(row.data) as StoredData }))
  const changedIds = parsed.flatMap(({ row, data }) => (CHANGES.has(row.type) ? (data.messageId ?? []) : []))
  const changed = await findMessagesById(db, roomId, [...new Set(changedIds)])
  const persons = parsed.flatMap(({ data: { person } }) => (person ? [person.userId] : []))
  const everyone = { roomId, userId: null, afterSeq: 0, retainedAfterMs: retainedAfterMs(room, nowMs) }
  const relations = await loadRelations(db, everyone, [...created.values(), ...changed], persons)
  const sources = { room, reader: everyone, created, changed: byId(changed), relations }
  const events: RoomEvent[] = []
  for (const { row, data } of parsed) {
    const rest = row.type.startsWith('message.')
      ? messageEventOf(row, data, sources)
      : { data: dataOf(data, relations.displays) }
    // The message may have been deleted since the events were read, because of its age.
    if (rest) events.push({ seq: row.seq, at: toMoment(row.created_at), event: row.type, ...rest })
  }
  return events
}

/** Messages that these events created, by sequence number. */
async function findCreated(
  db: Db,
  roomId: string,
  rows: readonly RoomEventRow[],
): Promise<Map<number, RoomMessageRow>> {
  const creations = rows.filter(({ type }) => type === 'message.created')
  const [first, last] = [creations[0], creations.at(-1)]
  return first && last ? findMessagesBetween(db, { roomId, first: first.seq, last: last.seq }) : new Map()
}

/** Events about a message that is older than they are. */
const CHANGES: ReadonlySet<string> = new Set([
  'message.edited',
  'message.reactions',
  'message.pinned',
  'message.unpinned',
])

type StoredPerson = Omit<Person, 'nickname' | 'avatarColor' | 'avatarUrl'>
type StoredData = Record<string, unknown> & { person?: StoredPerson; messageId?: string }

/** Everything that events of a batch are built from. */
interface Sources {
  room: RoomRow
  reader: Reader
  /** Messages by the sequence number of their creation. */
  created: ReadonlyMap<number, RoomMessageRow>
  /** Messages with later events, by id. */
  changed: ReadonlyMap<string, RoomMessageRow>
  relations: MessageRelations
}

type Body = Pick<RoomEvent, 'data' | 'shows'>

function messageEventOf(row: RoomEventRow, data: StoredData, sources: Sources): Body | undefined {
  const { created, changed, reader, room } = sources
  if (row.type === 'message.created') {
    const message = created.get(row.seq)
    return message && messageBody(message, null, sources)
  }
  if (!CHANGES.has(row.type)) return { data }
  const message = changed.get(data.messageId ?? '')
  // A message can exceed its retention before the events about it do.
  if (!message || !isReadable(message, reader)) return { data: {} }
  if (row.type === 'message.edited') return messageBody(message, message.seq, sources)
  const reactions = row.type === 'message.reactions' && { reactions: parseReactions(message.reactions) }
  return { data: { ...data, ...reactions }, ...visibilityOf(room, message.seq, null) }
}

function messageBody(message: RoomMessageRow, subject: number | null, { room, relations }: Sources): Body {
  const original = relations.originals.get(message.reply_to ?? '')?.seq ?? null
  return { data: { message: toEventMessage(message, relations) }, ...visibilityOf(room, subject, original) }
}

/** The `shows` of an event, in rooms in which some messages are hidden from some participants. */
export function visibilityOf(
  { history_visibility }: RoomRow,
  subject: number | null,
  original: number | null,
): { shows?: ShownMessages } {
  const isShared = history_visibility === 'all' || (subject === null && original === null)
  return isShared ? {} : { shows: { subject, original } }
}

function byId(rows: readonly RoomMessageRow[]): Map<string, RoomMessageRow> {
  return new Map(rows.map((row) => [row.id, row]))
}

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
  const avatarUrl = avatarUrlOf(now?.picture_id)
  return { ...stored, person: { userId, nickname, avatarColor, avatarUrl, guest, role } }
}
