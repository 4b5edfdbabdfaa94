import { HOUR_MS } from '@latchkey/http/duration'
import { containsText, inList } from '@latchkey/database/database'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { BUCKET_BITS } from '../../db/migrations/0001-schema-search.ts'
import type { Db, ReadDatabase, RoomMessageRow } from '../../db/tables.ts'
import { type RoomViewer, isRoom, selectListedRooms } from '../../rooms/list-store.ts'
import type { Position } from '../../api/paging.ts'
import { isReadableRow } from '../../rooms/history.ts'
import type { ReadableRange } from '../store.ts'
import { type Tag, FILE_TAG, LINK_TAG, authorTag, roomTag } from './document.ts'

/** What a search looks for, besides where. */
export interface SearchFilter {
  /** Words from `searchedWords`. */
  words: readonly string[]
  fromUserId?: string | undefined
  beforeMs?: number | undefined
  afterMs?: number | undefined
  has?: 'file' | 'link' | undefined
}

/** One room, of which the caller may read this range, or all rooms that the lobby lists for a user. */
export type SearchScope = { range: ReadableRange } | { listed: RoomViewer }

/** Message found by a search. Later messages have higher numbers. */
export interface SearchHit extends RoomMessageRow {
  no: number
}

/** Messages that are compared with the words one by one, instead of being found through the index. */
const MAX_SCANNED = 20_000
/** Rooms whose numbers of messages are added up to decide that. */
const MAX_COUNTED_ROOMS = 1_000
/** Rooms that are searched through their tags instead of the words of all rooms. */
const MAX_TAGGED_ROOMS = 64

interface SearchPosition {
  /** Number of the last hit of the previous page. */
  cursor: number | undefined
  limit: number
  maxScanned?: number
}

/**
 * The number that the hit at the end of a page has, or would have, had it not been deleted since. No
 * number leaves the service: it counts the messages of all rooms, of direct conversations too.
 */
export async function findNumber({ read }: ReadDatabase, { created_at, id }: Position): Promise<number> {
  const { rows } = await sql<{ no: number }>`select coalesce(
    (select no from room_messages join message_search using (room_id, seq) where room_messages.id = ${id}),
    (select no + 1 from message_search where created_at <= ${created_at} order by created_at desc, no desc limit 1),
    0) as no`.execute(read)
  return rows[0]?.no ?? 0
}

/** Messages in which each word is the beginning of one, newest first. */
export async function findHits(...search: Parameters<typeof queryHits>): Promise<SearchHit[]> {
  const query = await queryHits(...search)
  return query ? (await query.execute(search[0].read)).rows : []
}

/**
 * The query of `findHits`; undefined if there is nothing to search. The condition of access is a part
 * of it. It reads no more rows than the page needs: common words are found in the newest messages,
 * and rare ones through the index.
 */
export async function queryHits(
  db: ReadDatabase,
  scope: SearchScope,
  filter: SearchFilter,
  { cursor, limit, maxScanned = MAX_SCANNED }: SearchPosition,
): Promise<RawBuilder<SearchHit> | undefined> {
  const rooms = await findSearchedRooms(db, scope)
  const span = await findSpan(db, filter, cursor)
  if (!span || rooms.length === 0) return undefined
  const isSmall = rooms.length <= MAX_COUNTED_ROOMS && sumOf(rooms) <= maxScanned
  const tags = isSmall || rooms.length > MAX_TAGGED_ROOMS ? [] : rooms.map(({ id }) => roomTag(id))
  const candidates = isSmall ? scanRooms(db, rooms, filter, span) : queryIndex(db, filter, tags, span)
  return selectInOrder(db, candidates, [isInScope(db, scope), ...conditionsOf(filter)], limit)
}

interface SearchedRoom {
  id: string
  last_seq: number
}

/** Rooms of the search with messages: all of them, or one more than are counted. */
async function findSearchedRooms(db: ReadDatabase, scope: SearchScope): Promise<SearchedRoom[]> {
  const rooms =
    'range' in scope
      ? db.read.selectFrom('rooms').where('rooms.id', '=', scope.range.roomId)
      : selectListed(db.read, scope.listed).where('rooms.id', 'in', queryPossible(db.read, scope.listed))
  return rooms
    .select(['rooms.id', 'rooms.last_seq'])
    .where('rooms.last_seq', '>', 0)
    .limit(MAX_COUNTED_ROOMS + 1)
    .execute()
}

/** Without the direct conversations of others, of which there are many. */
function queryPossible(db: Db, { userId }: RoomViewer) {
  const own = db.selectFrom('room_members').select('room_id as id').where('user_id', '=', userId)
  return db.selectFrom('rooms').select('rooms.id').where(isRoom).unionAll(own)
}

/** A search in several rooms never uses the right of an administrator to enter them. */
function selectListed(db: Db, viewer: RoomViewer) {
  return selectListedRooms(db, { ...viewer, isAdmin: false })
}

function sumOf(rooms: readonly SearchedRoom[]): number {
  return rooms.reduce((sum, { last_seq }) => sum + last_seq, 0)
}

/** Numbers of documents, inclusive at both ends. */
interface Span {
  first: number
  last: number
}

/**
 * Clocks of nodes differ: a message with a lower number can have a slightly later time. Nodes whose
 * clocks differ by more are not supported.
 */
const CLOCK_TOLERANCE_MS = HOUR_MS

/** Numbers that all documents of these times are between. Undefined if there are none. */
async function findSpan(
  db: ReadDatabase,
  { beforeMs, afterMs }: SearchFilter,
  cursor: number | undefined,
): Promise<Span | undefined> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`select
    (select no from message_search ${afterMs === undefined ? sql`` : sql`where created_at >= ${afterMs - CLOCK_TOLERANCE_MS}`}
      order by ${sql.raw(afterMs === undefined ? 'no' : 'created_at, no')} limit 1) as first,
    (select no from message_search ${beforeMs === undefined ? sql`` : sql`where created_at < ${beforeMs + CLOCK_TOLERANCE_MS}`}
      order by ${sql.raw(beforeMs === undefined ? 'no desc' : 'created_at desc, no desc')} limit 1) as last`.execute(
    db.read,
  )
  const { first, last } = rows[0] ?? { first: null, last: null }
  if (first === null || last === null) return undefined
  return { first, last: Math.min(last, (cursor ?? Infinity) - 1) }
}

type Candidates = RawBuilder<{ no: number; room_id: string; seq: number }>

/** The matching documents of these rooms, newest first, by comparing each. */
function scanRooms(
  { dialect }: ReadDatabase,
  rooms: readonly SearchedRoom[],
  filter: SearchFilter,
  { first, last }: Span,
): Candidates {
  const roomIds = rooms.map(({ id }) => id)
  const parts = [...filter.words, ...tagsOf(filter)].map((part) => ` ${part}`)
  const matches = parts.map((part) => containsText(dialect, 'spaced', part))
  // The sums keep the planner from reading the documents of all rooms in their order.
  return sql`select no, room_id, seq from (
      select no, room_id, seq, ' ' || doc as spaced from message_search
      where ${inList(dialect, 'room_id', roomIds)} and no + 0 between ${first} and ${last}
    ) as document where ${sql.join(matches, sql` and `)} order by no + 0 desc limit ${MAX_SCANNED}`
}

const TAG_OF = { file: FILE_TAG, link: LINK_TAG } as const

function tagsOf({ fromUserId, has }: Pick<SearchFilter, 'fromUserId' | 'has'>): Tag[] {
  return [
    ...(fromUserId === undefined ? [] : [authorTag(fromUserId)]),
    ...(has === undefined ? [] : [TAG_OF[has]]),
  ]
}

/** The documents with these words and tags, newest first, through the index. */
function queryIndex(
  { dialect }: ReadDatabase,
  filter: SearchFilter,
  roomTags: readonly Tag[],
  { first, last }: Span,
): Candidates {
  const { words } = filter
  const tags = tagsOf(filter)
  if (dialect === 'sqlite') {
    const all = [...words.map((word) => `"${word}" *`), ...tags.map((tag) => `"${tag}"`)]
    if (roomTags.length > 0) all.push(`(${roomTags.map((tag) => `"${tag}"`).join(' OR ')})`)
    return sql`select no, room_id, seq from message_words cross join message_search on no = message_words.rowid
      where message_words match ${all.join(' AND ')} and message_words.rowid between ${first} and ${last}
      order by message_words.rowid desc limit -1`
  }
  const all = [...words.map((word) => `'%.${word}':*`), ...tags.map((tag) => `'%.${tag}'`)]
  if (roomTags.length > 0) all.push(`(${roomTags.map((tag) => `'%.${tag}'`).join(' | ')})`)
  // The sum keeps the planner from reading the index of numbers as well.
  return sql`select no, room_id, seq
    from generate_series(${last}::bigint >> ${sql.lit(BUCKET_BITS)}, ${first}::bigint >> ${sql.lit(BUCKET_BITS)}, -1) as bucket
    cross join lateral (
      select no, room_id, seq from message_search
      where message_lexemes(no, doc) @@ replace(${all.join(' & ')}, '%', bucket::text)::tsquery
        and no + 0 between ${first} and ${last}
      order by no desc limit ${2 ** BUCKET_BITS}
    ) as in_bucket`
}

/**
 * The first messages of the candidates that meet the conditions. The loop over candidates is in
 * their order and ends with the last message of the page.
 */
function selectInOrder(
  { dialect }: ReadDatabase,
  candidates: Candidates,
  conditions: readonly RawBuilder<SqlBool>[],
  limit: number,
): RawBuilder<SearchHit> {
  const where = sql`room_messages.room_id = candidate.room_id and room_messages.seq = candidate.seq
    and ${sql.join(conditions, sql` and `)}`
  return dialect === 'sqlite'
    ? sql`select candidate.no, room_messages.* from (${candidates}) as candidate
        cross join room_messages where ${where} limit ${limit}`
    : sql`select candidate.no, message.* from (${candidates}) as candidate
        cross join lateral (select * from room_messages where ${where} offset 0) as message limit ${limit}`
}

function conditionsOf({ fromUserId, beforeMs, afterMs }: SearchFilter): RawBuilder<SqlBool>[] {
  const at = sql.ref('room_messages.created_at')
  return [
    ...(fromUserId === undefined ? [] : [sql<SqlBool>`room_messages.user_id = ${fromUserId}`]),
    ...(beforeMs === undefined ? [] : [sql<SqlBool>`${at} < ${beforeMs}`]),
    ...(afterMs === undefined ? [] : [sql<SqlBool>`${at} >= ${afterMs}`]),
  ]
}

function isInScope({ read }: ReadDatabase, scope: SearchScope): RawBuilder<SqlBool> {
  if ('listed' in scope) {
    const { userId, isAdmin, nowMs } = scope.listed
    const readable = selectListed(read, scope.listed)
      .leftJoin('room_visits', (join) =>
        join.onRef('room_visits.room_id', '=', 'rooms.id').on('room_visits.user_id', '=', userId),
      )
      .select(sql<number>`1`.as('one'))
      .whereRef('rooms.id', '=', sql.ref('room_messages.room_id'))
      .where(isReadableRow({ userId, isAdmin, nowMs }))
    return sql<SqlBool>`exists ${readable}`
  }
  const { roomId, afterSeq, retainedAfterMs } = scope.range
  return sql<SqlBool>`room_messages.room_id = ${roomId} and room_messages.seq > ${afterSeq}
    and room_messages.created_at > ${retainedAfterMs} and exists (select 1 from rooms where id = ${roomId})`
}
