import type { DialectName } from '@latchkey/database/url'
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { foldText } from '@latchkey/http/fold'
import { containsText } from '@latchkey/database/database'
import { prepareQuery } from '../db/prepared-query.ts'
import type { Db, RoomRow, Tables } from '../db/tables.ts'
import { type Position, pageOf } from '../api/paging.ts'
import { ADDRESS_BAN_MS, isLiveBan } from './access-store.ts'
import { queryParticipantCount } from './store.ts'
import { isFollowing } from './user-state.ts'

export interface ListedRoom extends Position {
  present: number | null
}

/** Written out, which engines need for an index of rooms without direct conversations. */
export const isRoom = sql<SqlBool>`rooms.kind = 'room'`

/** User for whom rooms are listed. */
export interface RoomViewer {
  userId: string
  isGuest: boolean
  isAdmin: boolean
  clientPrefix: string
  nowMs: number
}

/** Filter of `listRooms`. */
export interface RoomFilter extends RoomViewer {
  /** Part of the name; empty for all rooms. */
  part: string
  /** Whether only rooms are listed of which the user is a member, or which they have marked as read. */
  isFollowed: boolean
  /** Whether only archived rooms are listed, or only others; both if undefined. */
  isArchived: boolean | undefined
}

/** By the times of their last messages, the newest first. They stand for the times of creation. */
export async function selectRooms(
  { read: db, dialect }: { read: Db; dialect: DialectName },
  filter: RoomFilter,
  after: Position | undefined,
  limit: number,
): Promise<ListedRoom[]> {
  const needle = foldText(filter.part)
  const rooms = filter.isFollowed ? selectFollowedRooms(db, filter) : selectListedRooms(db, filter)
  return rooms
    .where(isRoom)
    .select(['rooms.id', 'rooms.active_at as created_at'])
    .select((eb) => queryParticipantCount(eb, filter.nowMs).as('present'))
    .$if(filter.isArchived !== undefined, (query) =>
      query.where('rooms.archived_at', filter.isArchived ? 'is not' : 'is', null),
    )
    .$if(needle !== '', (query) => query.where(containsText(dialect, 'rooms.search_name', needle)))
    .$call((query) => pageOf(query, ['rooms.active_at', 'rooms.id', 'desc'], after, limit))
    .execute()
}

/** Public rooms and rooms of the user, without those that the user may not enter (R17.2). */
export function selectListedRooms(db: Db, viewer: RoomViewer) {
  return selectOpenRooms(db, viewer).where((eb) =>
    eb.or([eb('rooms.visibility', '=', 'public'), ...isMember(eb, viewer.userId)]),
  )
}

/**
 * Rooms of the user, and rooms that the user has marked as read, without those that the user may not
 * enter. A mark of a private room is that of a former visitor or of an administrator.
 */
function selectFollowedRooms(db: Db, viewer: RoomViewer) {
  const { userId } = viewer
  const marked = db
    .selectFrom('room_user_states')
    .select('room_id')
    .where('user_id', '=', userId)
    .where(isFollowing)
  return selectOpenRooms(db, viewer).where((eb) =>
    eb.or([
      ...isMember(eb, userId),
      eb.and([eb('rooms.visibility', '<>', 'private'), eb('rooms.id', 'in', marked)]),
    ]),
  )
}

type RoomsOfUser = Tables & { room_members: Tables['room_members'] | null }

function isMember(eb: ExpressionBuilder<RoomsOfUser, 'rooms' | 'room_members'>, userId: string) {
  return [eb('rooms.owner_id', '=', userId), eb('room_members.role', 'is not', null)]
}

/** Rooms with the membership of the user, without those that the user may not enter if they see them. */
function selectOpenRooms(db: Db, viewer: RoomViewer) {
  const { userId, isGuest, isAdmin } = viewer
  return db
    .selectFrom('rooms')
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').on('room_members.user_id', '=', userId),
    )
    .$if(isGuest, (query) =>
      query.where('rooms.visibility', '<>', 'private').where('rooms.allow_guests', '=', 1),
    )
    .$if(!isAdmin, (query) => query.where((eb) => eb.not(eb.exists(bansFor(eb, viewer)))))
}

/** Bans that keep the user out of the room of this row, by the rule of `findRoomAccess`. */
function bansFor(
  eb: ExpressionBuilder<RoomsOfUser, 'rooms' | 'room_members'>,
  { userId, isGuest, clientPrefix, nowMs }: RoomViewer,
) {
  return eb
    .selectFrom('room_bans')
    .select('room_bans.kind')
    .whereRef('room_bans.room_id', '=', 'rooms.id')
    .where((ban) => {
      const own = ban.and([ban('room_bans.user_id', '=', userId), isLiveBan(nowMs)])
      if (!isGuest) return own
      const wasPresent = ban
        .selectFrom('room_visits')
        .select('room_visits.user_id')
        .whereRef('room_visits.room_id', '=', 'rooms.id')
        .where('room_visits.user_id', '=', userId)
        .whereRef('room_visits.started_at', '<=', 'room_bans.created_at')
      const byAddress = ban.and([
        ban('room_bans.guest_prefix', '=', clientPrefix),
        ban('room_bans.created_at', '>', nowMs - ADDRESS_BAN_MS),
        ban('room_members.role', 'is', null),
        ban('rooms.owner_id', '<>', userId),
        ban.not(ban.exists(wasPresent)),
      ])
      return ban.or([own, byAddress])
    })
}

/** All rooms, and the direct conversations with a message since then, with their numbers of participants. */
export const listRoomsWithCounts = prepareQuery<
  { nowMs: number; activeAfterMs: number },
  RoomRow & { present: number | null }
>((db, { nowMs, activeAfterMs }) =>
  db
    .selectFrom('rooms')
    .selectAll('rooms')
    .select((eb) => queryParticipantCount(eb, nowMs).as('present'))
    .where((eb) =>
      eb.or([isRoom, eb.and([eb('kind', '=', sql.lit('direct')), eb('active_at', '>', activeAfterMs)])]),
    ),
)
