import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import { rowsFrom } from '../db/json-rows.ts'
import type { Db, ReadDatabase } from '../db/tables.ts'
import { findFilesOf } from '../files/store.ts'
import { excerptOf } from '../messages/excerpt.ts'
import { mentionedIdsIn, withNames } from '../messages/mention-tokens.ts'
import { isAccount } from '../users/store.ts'
import { toMoment } from '../api/wire.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { readableAfterSeq, retainedAfterMs } from '../rooms/history.ts'
import { nicknameIn } from '../rooms/nickname.ts'
import { decideOrdinaryEntry } from '../rooms/permissions.ts'
import type { RoomPreview } from './schema.ts'
import { avatarUrlOf } from '../users/picture-url.ts'

const MAX_PEOPLE = 5
/** Among so many of the newest messages, one that is not deleted is looked for. */
const SCANNED = 20

/**
 * Who is in these rooms, and the last message that the user may read there now (R17.8). Rooms that
 * the user may not enter are missing; the right of an administrator, whose entries are audited, does
 * not count. Takes five statements for any number of rooms.
 */
export async function findPreviews(
  database: ReadDatabase,
  accesses: readonly UserRoomAccess[],
  nowMs: number,
): Promise<ReadonlyMap<string, RoomPreview>> {
  const open = accesses
    .map((access) => ({ ...access, isAdmin: false }))
    .filter((access) => decideOrdinaryEntry(access) === 'yes')
  const roomIds = open.map(({ roomId }) => roomId)
  const [people, messages] = await Promise.all([
    listPeople(database, roomIds, nowMs),
    findLastMessages(database, open, nowMs),
  ])
  return new Map(
    roomIds.map((roomId) => [
      roomId,
      { people: people.get(roomId) ?? [], lastMessage: messages.get(roomId) ?? null },
    ]),
  )
}

async function listPeople(
  { read, dialect }: ReadDatabase,
  roomIds: readonly string[],
  nowMs: number,
): Promise<Map<string, RoomPreview['people']>> {
  if (roomIds.length === 0) return new Map()
  const present = read
    .selectFrom('room_visits as visit')
    .innerJoin('users', 'users.id', 'visit.user_id')
    .select(['visit.room_id', 'users.id', 'users.avatar_color', 'users.picture_id'])
    .select([
      nicknameIn(sql.ref('visit.room_id')).as('nickname'),
      sql<number>`row_number() over (partition by visit.room_id
        order by visit.started_at, users.id)`.as('place'),
    ])
    .where(inList(dialect, 'visit.room_id', roomIds))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('presence_leases')
          .select('presence_leases.user_id')
          .whereRef('presence_leases.room_id', '=', 'visit.room_id')
          .whereRef('presence_leases.user_id', '=', 'visit.user_id')
          .where('presence_leases.expires_at', '>', nowMs),
      ),
    )
  const rows = await read
    .selectFrom(present.as('present'))
    .selectAll()
    .where('place', '<=', MAX_PEOPLE)
    .orderBy('place')
    .execute()
  const byRoom = Map.groupBy(rows, ({ room_id }) => room_id)
  return new Map(
    [...byRoom].map(([roomId, people]) => [
      roomId,
      people.map(({ id, nickname, avatar_color, picture_id }) => ({
        userId: id,
        nickname,
        avatarColor: avatar_color,
        avatarUrl: avatarUrlOf(picture_id),
      })),
    ]),
  )
}

async function findLastMessages(
  { read, dialect }: ReadDatabase,
  accesses: readonly UserRoomAccess[],
  nowMs: number,
): Promise<Map<string, RoomPreview['lastMessage']>> {
  const ranges = accesses.map((access) => [
    access.roomId,
    readableAfterSeq(access),
    retainedAfterMs(access.room, nowMs),
  ])
  const { rows: newest } = await sql<{ id: string | null }>`
    select (
      select id from (
        select id, seq, deleted_at from room_messages
        where room_id = value ->> 0 and seq > cast(value ->> 1 as bigint)
          and created_at > cast(value ->> 2 as bigint)
        order by seq desc limit ${SCANNED}
      ) as newest
      where deleted_at is null order by seq desc limit 1
    ) as id
    from ${rowsFrom(dialect, ranges)}`.execute(read)
  const ids = newest.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return new Map()
  const rows = await read
    .selectFrom('room_messages')
    .leftJoin('users', (join) => join.onRef('users.id', '=', 'room_messages.user_id').on(isAccount()))
    .select([
      'room_messages.id',
      'room_id',
      'content',
      'room_messages.created_at',
      'author_name',
      'file_count',
    ])
    .select(nicknameIn(sql.ref('room_messages.room_id')).as('nickname'))
    .where('room_messages.id', 'in', ids)
    .execute()
  const names = await findMentionedNames(read, rows)
  const files = await findFilesOf(
    read,
    rows.filter(({ file_count }) => file_count !== null).map(({ id }) => id),
  )
  return new Map(
    rows.map(({ id, room_id, content, created_at, author_name, nickname }) => {
      const text = excerptOf(withNames(content ?? '', (userId) => names.get(`${id} ${userId}`)))
      const excerpt = text || (files.get(id)?.[0]?.name ?? '')
      return [room_id, { nickname: nickname ?? author_name, excerpt, at: toMoment(created_at) }]
    }),
  )
}

/** Names of the people whom messages mention, by message and person. */
async function findMentionedNames(
  db: Db,
  rows: readonly { id: string; content: string | null }[],
): Promise<Map<string, string>> {
  const userIds = rows.flatMap(({ content }) => mentionedIdsIn(content ?? ''))
  if (userIds.length === 0) return new Map()
  const mentions = await db
    .selectFrom('room_mentions')
    .innerJoin('users', (join) => join.onRef('users.id', '=', 'room_mentions.user_id').on(isAccount()))
    .select(['message_id', 'room_mentions.user_id'])
    .select(nicknameIn(sql.ref('room_mentions.room_id')).as('nickname'))
    .where(
      'message_id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('room_mentions.user_id', 'in', userIds)
    .execute()
  return new Map(mentions.map(({ message_id, user_id, nickname }) => [`${message_id} ${user_id}`, nickname]))
}
