import type { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import type { Db, RoomMessageRow } from '../db/tables.ts'
import type { RoomEvent } from '../api/cluster-events.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { ENTRY_REFUSALS, admitReader } from '../rooms/admission.ts'
import { RoomParams } from '../rooms/schema.ts'
import { findReadable } from './change.ts'
import { viewEvents } from './events.ts'
import { MessagePage, MessageQuery } from './schema.ts'
import { findSeqSince, listMessagesAfter, listMessagesBefore, listOtherEvents } from './store.ts'
import { type Reader, readerOf, viewMessages } from './view.ts'

/** The newest events of a page that are not about messages. */
const MAX_OTHER_EVENTS = 200

export const listMessages = operation({
  id: 'listMessages',
  methods: ['GET'],
  path: '/rooms/{id}/messages',
  scope: 'session',
  tag: 'Messages',
  summary: 'Read messages: the newest page, older and newer ones, or those around a message or time',
  params: RoomParams,
  query: MessageQuery,
  result: MessagePage,
  failures: ENTRY_REFUSALS,
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    const { read } = context.database
    const reader = readerOf(access, context.now)
    const page = await selectPage(context, access, query)
    const [oldest, newest] = [page.rows[0], page.rows.at(-1)]
    return {
      messages: await viewMessages(read, reader, page.rows),
      nextCursor: page.hasOlder && oldest ? String(oldest.seq) : null,
      newerCursor: page.hasNewer && newest ? String(newest.seq) : null,
      events: await eventsBetween(context, access, page),
    }
  },
})

interface Page {
  /** Oldest to newest. */
  rows: readonly RoomMessageRow[]
  hasOlder: boolean
  hasNewer: boolean
  /** The stretch of the log that it covers, inclusive. Stretches of adjacent pages touch. */
  first: number
  last: number
}

type Query = z.output<typeof MessageQuery>

async function selectPage(context: Context, access: UserRoomAccess, query: Query): Promise<Page> {
  const { read } = context.database
  const reader = readerOf(access, context.now)
  const end = { reader, lastSeq: access.room.last_seq }
  if (query.around !== undefined) {
    const { seq } = await findReadable(read, access, query.around, context.now)
    return pageAround(read, end, { seq, limit: query.limit })
  }
  const { after, at } = query
  const seq = at === undefined ? undefined : await findSeqSince(read, reader, at)
  if (seq !== undefined) return pageAround(read, end, { seq, limit: query.limit })
  return after === undefined ? pageBefore(read, end, query) : pageAfter(read, end, { ...query, after })
}

/** What a reader may read of a room: up to the last sequence number of the log. */
interface Readable {
  reader: Reader
  lastSeq: number
}

async function pageBefore(
  db: Db,
  { reader, lastSeq }: Readable,
  { cursor, limit }: Pick<Query, 'cursor' | 'limit'>,
): Promise<Page> {
  const older = await listMessagesBefore(db, reader, { before: cursor, limit: limit + 1 })
  const rows = older.slice(0, limit).toReversed()
  const hasOlder = older.length > limit
  const last = cursor === undefined ? lastSeq : cursor - 1
  return { rows, hasOlder, hasNewer: cursor !== undefined, first: firstOf(reader, rows, hasOlder), last }
}

async function pageAfter(
  db: Db,
  { reader, lastSeq }: Readable,
  { after, limit }: { after: number; limit: number },
): Promise<Page> {
  const newer = await listMessagesAfter(db, reader, { after, limit: limit + 1 })
  const rows = newer.slice(0, limit)
  const hasNewer = newer.length > limit
  return { rows, hasOlder: true, hasNewer, first: after + 1, last: lastOf(lastSeq, rows, hasNewer) }
}

/** Half of the page is older than the message with this sequence number. */
async function pageAround(
  db: Db,
  { reader, lastSeq }: Readable,
  { seq, limit }: { seq: number; limit: number },
): Promise<Page> {
  const olderLimit = Math.floor(limit / 2)
  const newerLimit = limit - olderLimit
  const older = await listMessagesBefore(db, reader, { before: seq, limit: olderLimit + 1 })
  const newer = await listMessagesAfter(db, reader, { after: seq - 1, limit: newerLimit + 1 })
  const rows = [...older.slice(0, olderLimit).toReversed(), ...newer.slice(0, newerLimit)]
  const [hasOlder, hasNewer] = [older.length > olderLimit, newer.length > newerLimit]
  const [first, last] = [firstOf(reader, rows, hasOlder), lastOf(lastSeq, rows, hasNewer)]
  return { rows, hasOlder, hasNewer, first, last }
}

function firstOf({ afterSeq }: Reader, rows: readonly RoomMessageRow[], hasOlder: boolean): number {
  return (hasOlder ? rows[0]?.seq : undefined) ?? afterSeq + 1
}

function lastOf(lastSeq: number, rows: readonly RoomMessageRow[], hasNewer: boolean): number {
  return (hasNewer ? rows.at(-1)?.seq : undefined) ?? lastSeq
}

async function eventsBetween(
  context: Context,
  access: UserRoomAccess,
  { first, last }: Page,
): Promise<RoomEvent[]> {
  const { roomId, afterSeq, retainedAfterMs } = readerOf(access, context.now)
  const stretch = { roomId, first: Math.max(first, afterSeq + 1), last }
  const limits = { retainedAfterMs, limit: MAX_OTHER_EVENTS }
  return viewEvents(context, access, await listOtherEvents(context.database.read, stretch, limits))
}
