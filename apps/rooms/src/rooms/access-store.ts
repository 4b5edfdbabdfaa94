import { type Kysely, type SqlBool, sql } from 'kysely'
import { prepareQuery } from '../db/prepared-query.ts'
import type { RoomRow, RoomVisitRow, Tables } from '../db/tables.ts'
import type { MemberRole, RoomRole } from '../roles.ts'
import type { RoomAccess } from './permissions.ts'

/** How long a ban bars new guests from the same address (R17.5). */
export const ADDRESS_BAN_MS = 86_400_000

/** Whether a row of `room_bans` bars somebody at this moment; bans without an end always do. */
export function isLiveBan(nowMs: number) {
  return sql<SqlBool>`(room_bans.expires_at is null or room_bans.expires_at > ${nowMs})`
}

/** A standing with what else the room says of this person, from the same statement. */
export interface UserRoomAccess extends RoomAccess {
  readonly userId: string
  readonly room: RoomRow
  /** What was the room's last number when this member joined; null for owner and visitors. */
  readonly joinedSeq: number | null
  /** The last visit, also when it has ended. */
  readonly visit: {
    readonly startedAtMs: number
    readonly startedSeq: number
    readonly endedAtMs: number | null
  } | null
}

/** Whose standing is asked for, and when. */
export interface AccessQuery {
  userId: string
  /** Null where no address is known: then only the person's own ban counts. */
  clientPrefix: string | null
  nowMs: number
  /** Until when an administrator may use that right; for ever where it is not about a session. */
  adminUntilMs?: number
}

const selectAccess = prepareQuery<AccessContext & { roomId: string; userId: string }, AccessRow>(
  (db, given) =>
    queryAccess(db, given).where('rooms.id', '=', given.roomId).where('users.id', '=', given.userId),
)

/** Undefined when there is no such room, or no such enabled account. Rights come from the database, not from a session. */
export async function findRoomAccess(
  db: Kysely<Tables>,
  roomId: string,
  { userId, clientPrefix, nowMs, adminUntilMs = Infinity }: AccessQuery,
): Promise<UserRoomAccess | undefined> {
  const [row] = await selectAccess(db, { roomId, userId, ...toAccessContext(clientPrefix, nowMs) })
  return row && toRoomAccess(row, nowMs <= adminUntilMs)
}

/** From where and when people are looked at. */
interface AccessContext {
  clientPrefix: string | null
  nowMs: number
  bannedAfterMs: number
}

function toAccessContext(clientPrefix: string | null, nowMs: number): AccessContext {
  return { clientPrefix, nowMs, bannedAfterMs: nowMs - ADDRESS_BAN_MS }
}

const selectMembersAndBanned = prepareQuery<AccessContext & { roomId: string }, AccessRow>((db, given) =>
  queryAccess(db, given)
    .where('rooms.id', '=', given.roomId)
    .where(
      'users.id',
      'in',
      db
        .selectFrom('rooms as own')
        .select('own.owner_id as user_id')
        .where('own.id', '=', given.roomId)
        .unionAll(db.selectFrom('room_members').select('user_id').where('room_id', '=', given.roomId))
        .unionAll(db.selectFrom('room_bans').select('user_id').where('room_id', '=', given.roomId)),
    ),
)

/** Of everybody to whom the room is not as to any visitor: owner, members, and who is barred; without disabled accounts. */
export async function findAccessOfMembersAndBanned(
  db: Kysely<Tables>,
  roomId: string,
  nowMs: number,
): Promise<UserRoomAccess[]> {
  const rows = await selectMembersAndBanned(db, { roomId, ...toAccessContext(null, nowMs) })
  return rows.map((row) => toRoomAccess(row, true))
}

/** Addresses from which no new guests come in at this moment. */
export async function findBannedPrefixes(
  db: Kysely<Tables>,
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

/** Of everybody who is in the room, except those whose account is disabled. */
export async function findAccessOfParticipants(
  db: Kysely<Tables>,
  roomId: string,
  nowMs: number,
): Promise<UserRoomAccess[]> {
  // Who is present was there before any ban of an address, which bars only those who are new.
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

/** Of this person in all rooms where they are present. */
export async function findAccessOfParticipant(
  db: Kysely<Tables>,
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

type AccessRow = RoomRow & {
  person_id: string
  is_guest: number
  is_admin: number | null
  member_role: MemberRole | null
  joined_seq: number | null
  bar_kind: 'kick' | 'ban' | null
  bar_until: number | null
  address_barred_at: number | null
} & { [column in keyof Pick<RoomVisitRow, 'started_at' | 'started_seq' | 'ended_at'>]: number | null }

/** Rooms with people, and all that decides what the one may do in the other. Not a row for disabled accounts. */
function queryAccess(db: Kysely<Tables>, { clientPrefix, nowMs, bannedAfterMs }: AccessContext) {
  return db
    .selectFrom('rooms')
    .innerJoin('users', (join) => join.on('users.disabled', '=', 0))
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').onRef('room_members.user_id', '=', 'users.id'),
    )
    .leftJoin('room_visits', (join) =>
      join.onRef('room_visits.room_id', '=', 'rooms.id').onRef('room_visits.user_id', '=', 'users.id'),
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
      'room_bans.kind as bar_kind',
      'room_bans.expires_at as bar_until',
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
        .as('address_barred_at'),
    ])
}

function toRoomAccess(row: AccessRow, hasFreshSignIn: boolean): UserRoomAccess {
  const { person_id, is_guest, is_admin, member_role, joined_seq, bar_kind, bar_until, ...more } = row
  const { address_barred_at, started_at, started_seq, ended_at, ...room } = more
  const role: RoomRole | null = room.owner_id === person_id ? 'owner' : member_role
  const visit =
    started_at === null || started_seq === null
      ? null
      : { startedAtMs: started_at, startedSeq: started_seq, endedAtMs: ended_at }
  const own = bar_kind && { kind: bar_kind, untilMs: bar_until }
  const isNewGuest = is_guest === 1 && role === null
  const byAddress =
    isNewGuest && address_barred_at !== null && (visit === null || visit.startedAtMs > address_barred_at)
      ? { kind: 'ban' as const, untilMs: address_barred_at + ADDRESS_BAN_MS }
      : null
  return {
    roomId: room.id,
    userId: person_id,
    visibility: room.visibility,
    allowGuests: room.allow_guests === 1,
    defaultRole: room.default_role,
    role,
    isGuest: is_guest === 1,
    isAdmin: is_admin !== null && hasFreshSignIn,
    needsSignIn: is_admin !== null && !hasFreshSignIn,
    ban: own ?? byAddress,
    room,
    joinedSeq: joined_seq,
    visit,
  }
}
