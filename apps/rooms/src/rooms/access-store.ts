import { DAY_MS } from '@latchkey/http/duration'
import { inList } from '@latchkey/database/database'
import { type SqlBool, sql } from 'kysely'
import { prepareQuery } from '../db/prepared-query.ts'
import type { Db, ReadDatabase, RoomRow, RoomVisitRow } from '../db/tables.ts'
import { DEFAULT_LEVEL, type NotificationLevel } from './notification-levels.ts'
import type { MemberRole, RoomRole } from '../api/roles.ts'
import type { RoomAccess } from './permissions.ts'

/** Time for which a ban keeps new guests from the same client prefix out (R17.5). */
export const ADDRESS_BAN_MS = DAY_MS

/**
 * Condition that a row of `room_bans` is in force now. A ban without an end is in force until it is
 * lifted.
 */
export function isLiveBan(nowMs: number) {
  return sql<SqlBool>`(room_bans.expires_at is null or room_bans.expires_at > ${nowMs})`
}

/** Access with further facts about the user and the room, from the same statement. */
export interface UserRoomAccess extends RoomAccess {
  readonly userId: string
  readonly room: RoomRow
  /** Last sequence number of the room when the member joined; null for owner and visitors. */
  readonly joinedSeq: number | null
  /** The last visit, even if it has ended. */
  readonly visit: {
    readonly startedAtMs: number
    readonly startedSeq: number
    readonly endedAtMs: number | null
  } | null
  /** Sequence number up to which the user has read; null if they never said so. */
  readonly lastReadSeq: number | null
  readonly isStarred: boolean
  /** The user left the room by choice, and has not become a member since. */
  readonly hasLeft: boolean
  readonly notificationLevel: NotificationLevel
  /** The user has hidden the direct conversation until its next message. */
  readonly isHidden: boolean
}

/** User and moment for which access is determined. */
export interface AccessQuery {
  userId: string
  /** Null if no address is known. Then only a ban of the user counts. */
  clientPrefix: string | null
  nowMs: number
  /**
   * End of the time in which the session may use the right of an administrator; unlimited without a
   * session.
   */
  adminUntilMs?: number
}

const selectAccess = prepareQuery<AccessContext & { roomId: string; userId: string }, AccessRow>(
  (db, query) =>
    queryAccess(db, query).where('rooms.id', '=', query.roomId).where('users.id', '=', query.userId),
)

/**
 * Undefined without such a room or such an enabled account. Rights come from the database, not from
 * a session.
 */
export async function findRoomAccess(
  db: Db,
  roomId: string,
  { userId, clientPrefix, nowMs, adminUntilMs = Infinity }: AccessQuery,
): Promise<UserRoomAccess | undefined> {
  const [row] = await selectAccess(db, { roomId, userId, ...toAccessContext(clientPrefix, nowMs) })
  return row && toRoomAccess(row, nowMs <= adminUntilMs)
}

/** Client prefix and time at which access is determined. */
interface AccessContext {
  clientPrefix: string | null
  nowMs: number
  bannedAfterMs: number
}

function toAccessContext(clientPrefix: string | null, nowMs: number): AccessContext {
  return { clientPrefix, nowMs, bannedAfterMs: nowMs - ADDRESS_BAN_MS }
}

const selectMembersAndBanned = prepareQuery<AccessContext & { roomId: string }, AccessRow>((db, query) =>
  queryAccess(db, query)
    .where('rooms.id', '=', query.roomId)
    .where(
      'users.id',
      'in',
      db
        .selectFrom('rooms as own')
        .select('own.owner_id as user_id')
        .where('own.id', '=', query.roomId)
        .unionAll(db.selectFrom('room_members').select('user_id').where('room_id', '=', query.roomId))
        .unionAll(db.selectFrom('room_bans').select('user_id').where('room_id', '=', query.roomId)),
    ),
)

/**
 * Access of all users for whom the room differs from that of any visitor: owner, members and banned
 * users, without disabled accounts.
 */
export async function findAccessOfMembersAndBanned(
  db: Db,
  roomId: string,
  nowMs: number,
): Promise<UserRoomAccess[]> {
  const rows = await selectMembersAndBanned(db, { roomId, ...toAccessContext(null, nowMs) })
  return rows.map((row) => toRoomAccess(row, true))
}

/** Ids of the users of `findAccessOfMembersAndBanned`. */
export async function listMemberAndBannedIds(db: Db, roomId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('room_members')
    .select('user_id')
    .where('room_id', '=', roomId)
    .union(db.selectFrom('room_bans').select('user_id').where('room_id', '=', roomId))
    .union(
      db
        .selectFrom('rooms')
        .select(sql<string>`owner_id`.as('user_id'))
        .where('id', '=', roomId)
        .where('owner_id', 'is not', null),
    )
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Client prefixes from which no new guests may enter now. */
export async function findBannedPrefixes(
  db: Db,
  roomId: string,
  nowMs: number,
): Promise<ReadonlySet<string | null>> {
  const rows = await db
    .selectFrom('room_bans')
    .select('guest_prefix')
    .where('room_id', '=', roomId)
    .where('guest_prefix', 'is not', null)
    .where('created_at', '>', nowMs - ADDRESS_BAN_MS)
    .execute()
  return new Set(rows.map(({ guest_prefix }) => guest_prefix))
}

/** Access of all participants, except disabled accounts. */
export async function findAccessOfParticipants(
  db: Db,
  roomId: string,
  nowMs: number,
): Promise<UserRoomAccess[]> {
  // Participants arrived before any ban of their address, which applies only to new guests.
  const rows = await queryAccess(db, toAccessContext(null, nowMs))
    .where('rooms.id', '=', roomId)
    .where('users.id', 'in', (eb) =>
      eb
        .selectFrom('room_visits as open')
        .select('open.user_id')
        .where('open.room_id', '=', roomId)
        .where('open.ended_at', 'is', null),
    )
    .execute()
  return rows.map((row) => toRoomAccess(row, true))
}

/** Access of this user to all rooms that they are in. */
export async function findAccessOfParticipant(
  db: Db,
  userId: string,
  nowMs: number,
): Promise<UserRoomAccess[]> {
  const rows = await queryAccess(db, toAccessContext(null, nowMs))
    .where('users.id', '=', userId)
    .where('rooms.id', 'in', (eb) =>
      eb
        .selectFrom('room_visits as open')
        .select('open.room_id')
        .where('open.user_id', '=', userId)
        .where('open.ended_at', 'is', null),
    )
    .execute()
  return rows.map((row) => toRoomAccess(row, true))
}

/** Access of one user to these rooms. */
export async function findAccessToRooms(
  { read, dialect }: ReadDatabase,
  { userId, roomIds, nowMs }: { userId: string; roomIds: readonly string[]; nowMs: number },
): Promise<UserRoomAccess[]> {
  const rows = await queryAccess(read, toAccessContext(null, nowMs))
    .where('users.id', '=', userId)
    .where(inList(dialect, 'rooms.id', roomIds))
    .execute()
  return rows.map((row) => toRoomAccess(row, true))
}

/** Access of these users to one room. */
export async function findAccessOfUsers(
  { read, dialect }: ReadDatabase,
  { roomId, userIds, nowMs }: { roomId: string; userIds: readonly string[]; nowMs: number },
): Promise<UserRoomAccess[]> {
  const rows = await queryAccess(read, toAccessContext(null, nowMs))
    .where('rooms.id', '=', roomId)
    .where(inList(dialect, 'users.id', userIds))
    .execute()
  return rows.map((row) => toRoomAccess(row, true))
}

type AccessRow = RoomRow & {
  person_id: string
  is_guest: number
  is_admin: number | null
  member_role: MemberRole | null
  joined_seq: number | null
  ban_kind: 'kick' | 'ban' | null
  ban_until: number | null
  address_banned_at: number | null
  last_read_seq: number | null
  level: NotificationLevel | null
  hidden_seq: number | null
  starred: number | null
  left_at: number | null
} & { [column in keyof Pick<RoomVisitRow, 'started_at' | 'started_seq' | 'ended_at'>]: number | null }

/**
 * Rooms joined with users, and everything that decides what a user may do in a room. Disabled
 * accounts have no row.
 */
function queryAccess(db: Db, { clientPrefix, nowMs, bannedAfterMs }: AccessContext) {
  return db
    .selectFrom('rooms')
    .innerJoin('users', (join) => join.on('users.disabled', '=', 0))
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').onRef('room_members.user_id', '=', 'users.id'),
    )
    .leftJoin('room_visits', (join) =>
      join.onRef('room_visits.room_id', '=', 'rooms.id').onRef('room_visits.user_id', '=', 'users.id'),
    )
    .leftJoin('room_user_states', (join) =>
      join
        .onRef('room_user_states.room_id', '=', 'rooms.id')
        .onRef('room_user_states.user_id', '=', 'users.id'),
    )
    .leftJoin('room_bans', (join) =>
      join
        .onRef('room_bans.room_id', '=', 'rooms.id')
        .onRef('room_bans.user_id', '=', 'users.id')
        .on(isLiveBan(nowMs)),
    )
    .selectAll('rooms')
    .select([
      'users.id as person_id',
      'users.is_guest',
      'room_members.role as member_role',
      'room_members.joined_seq',
      'room_visits.started_at',
      'room_visits.started_seq',
      'room_visits.ended_at',
      'room_user_states.last_read_seq',
      'room_user_states.level',
      'room_user_states.hidden_seq',
      'room_user_states.starred',
      'room_user_states.left_at',
      'room_bans.kind as ban_kind',
      'room_bans.expires_at as ban_until',
    ])
    .select((eb) => [
      eb
        .selectFrom('role_grants')
        .select(sql<number>`1`.as('one'))
        .whereRef('role_grants.user_id', '=', 'users.id')
        .where('role_grants.role', '=', 'platform_admin')
        .limit(1)
        .as('is_admin'),
      eb
        .selectFrom('room_bans as near')
        .select((near) => near.fn.max('near.created_at').as('at'))
        .whereRef('near.room_id', '=', 'rooms.id')
        .where('near.guest_prefix', '=', clientPrefix)
        .where('near.created_at', '>', bannedAfterMs)
        .as('address_banned_at'),
    ])
}

function toRoomAccess(row: AccessRow, hasFreshSignIn: boolean): UserRoomAccess {
  const { person_id, is_guest, is_admin, member_role, joined_seq, ban_kind, ban_until, ...more } = row
  const { address_banned_at, started_at, started_seq, ended_at, ...stated } = more
  const { last_read_seq, level, starred, left_at, hidden_seq, ...room } = stated
  const role: RoomRole | null = room.owner_id === person_id ? 'owner' : member_role
  const visit =
    started_at === null || started_seq === null
      ? null
      : { startedAtMs: started_at, startedSeq: started_seq, endedAtMs: ended_at }
  const own = ban_kind && { kind: ban_kind, untilMs: ban_until }
  const isNewGuest = is_guest === 1 && role === null
  const byAddress =
    isNewGuest && address_banned_at !== null && (visit === null || visit.startedAtMs > address_banned_at)
      ? { kind: 'ban' as const, untilMs: address_banned_at + ADDRESS_BAN_MS }
      : null
  const isAdmin = is_admin !== null && room.kind === 'room'
  return {
    roomId: room.id,
    kind: room.kind,
    userId: person_id,
    visibility: room.visibility,
    allowGuests: room.allow_guests === 1,
    defaultRole: room.default_role,
    role,
    isGuest: is_guest === 1,
    isAdmin: isAdmin && hasFreshSignIn,
    needsSignIn: isAdmin && !hasFreshSignIn,
    ban: own ?? byAddress,
    room,
    joinedSeq: joined_seq,
    visit,
    lastReadSeq: last_read_seq,
    isStarred: starred === 1,
    hasLeft: left_at !== null,
    notificationLevel: level ?? DEFAULT_LEVEL,
    isHidden: hidden_seq !== null,
  }
}
