import type { DialectName } from '@latchkey/database/url'
import {
  type ExpressionBuilder,
  type Kysely,
  type SqlBool,
  type Transaction,
  type Updateable,
  sql,
} from 'kysely'
import type { RoomMemberRow, RoomRow, Tables } from '../db/tables.ts'
import type { Position } from '../paging.ts'
import { folded } from '../text.ts'
import { nicknameIn } from './nickname.ts'
import type { RoomRole } from './room-access.ts'
import type { PersonRow } from './schema.ts'

export async function insertRoom(
  tx: Transaction<Tables>,
  room: Omit<RoomRow, 'search_name'>,
): Promise<RoomRow> {
  return tx
    .insertInto('rooms')
    .values({ ...room, search_name: folded(room.name) })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateRoom(
  tx: Transaction<Tables>,
  id: string,
  changes: Updateable<RoomRow>,
): Promise<RoomRow> {
  return tx
    .updateTable('rooms')
    .set({ ...changes, ...(changes.name !== undefined && { search_name: folded(changes.name) }) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** With everything that is in it. */
export async function deleteRoom(tx: Transaction<Tables>, id: string): Promise<void> {
  await tx.deleteFrom('rooms').where('id', '=', id).execute()
}

/** Of rooms that this person owns; others that would add to them wait until the transaction ends. */
export async function countOwned(tx: Transaction<Tables>, userId: string): Promise<number> {
  await tx
    .updateTable('users')
    .set((eb) => ({ last_seen_at: eb.ref('last_seen_at') }))
    .where('id', '=', userId)
    .execute()
  const { count } = await tx
    .selectFrom('rooms')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** How many people hold a live lease in the room of the row. */
function presentCount(eb: ExpressionBuilder<Tables, 'rooms'>, nowMs: number) {
  return eb
    .selectFrom('presence_leases')
    .select((lease) => lease.fn.count<number>('user_id').distinct().as('count'))
    .whereRef('presence_leases.room_id', '=', 'rooms.id')
    .where('expires_at', '>', nowMs)
}

/** How many different people are in the room. */
export async function countPresent(db: Kysely<Tables>, roomId: string, nowMs: number): Promise<number> {
  const row = await db
    .selectFrom('rooms')
    .select((eb) => presentCount(eb, nowMs).as('present'))
    .where('id', '=', roomId)
    .executeTakeFirst()
  return row?.present ?? 0
}

export interface ListedRoom extends RoomRow {
  member_role: RoomMemberRow['role'] | null
  present: number | null
}

/** What `listRooms` is asked for. */
export interface RoomFilter {
  userId: string
  isGuest: boolean
  isAdmin: boolean
  /** Part of the name; empty for all. */
  part: string
  nowMs: number
  limit: number
}

/** Public rooms and the person's own, without those that they may not enter (R17.2), newest first. */
export async function listRooms(
  { read: db, dialect }: { read: Kysely<Tables>; dialect: DialectName },
  filter: RoomFilter,
  after: Position | undefined,
): Promise<ListedRoom[]> {
  const { userId, isGuest, isAdmin, nowMs } = filter
  const needle = folded(filter.part)
  const position = dialect === 'sqlite' ? 'instr' : 'strpos'
  return db
    .selectFrom('rooms')
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').on('room_members.user_id', '=', userId),
    )
    .selectAll('rooms')
    .select('room_members.role as member_role')
    .select((eb) => presentCount(eb, nowMs).as('present'))
    .where((eb) =>
      eb.or([
        eb('rooms.visibility', '=', 'public'),
        eb('rooms.owner_id', '=', userId),
        eb('room_members.role', 'is not', null),
      ]),
    )
    .$if(isGuest, (query) =>
      query.where('rooms.visibility', '<>', 'private').where('rooms.allow_guests', '=', 1),
    )
    .$if(!isAdmin, (query) =>
      query.where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('room_bans')
              .select('room_bans.kind')
              .whereRef('room_bans.room_id', '=', 'rooms.id')
              .where('room_bans.user_id', '=', userId)
              .where((ban) => ban.or([ban('expires_at', 'is', null), ban('expires_at', '>', nowMs)])),
          ),
        ),
      ),
    )
    .$if(needle !== '', (query) =>
      query.where(sql<SqlBool>`${sql.raw(position)}(rooms.search_name, ${needle}) > 0`),
    )
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('rooms.created_at', 'rooms.id'),
          '<',
          eb.tuple(after?.created_at ?? 0, after?.id ?? ''),
        ),
      ),
    )
    .orderBy('rooms.created_at', 'desc')
    .orderBy('rooms.id', 'desc')
    .limit(filter.limit)
    .execute()
}

export interface PresentPerson extends PersonRow {
  started_at: number
}

/** People who are in the room now, in the order in which they came. */
export async function listPresent(
  db: Kysely<Tables>,
  roomId: string,
  nowMs: number,
  limit: number,
): Promise<PresentPerson[]> {
  const rows = await db
    .selectFrom('room_visits')
    .innerJoin('users', 'users.id', 'room_visits.user_id')
    .innerJoin('rooms', 'rooms.id', 'room_visits.room_id')
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').onRef('room_members.user_id', '=', 'users.id'),
    )
    .select([
      'users.id as user_id',
      nicknameIn(roomId).as('nickname'),
      'users.avatar_color',
      'users.is_guest',
      'rooms.owner_id',
      'room_members.role as member_role',
      'room_visits.started_at',
    ])
    .where('room_visits.room_id', '=', roomId)
    .where('room_visits.user_id', 'in', (eb) =>
      eb
        .selectFrom('presence_leases')
        .select('presence_leases.user_id')
        .where('presence_leases.room_id', '=', roomId)
        .where('presence_leases.expires_at', '>', nowMs),
    )
    .orderBy('room_visits.started_at')
    .orderBy('users.id')
    .limit(limit)
    .execute()
  return rows.map(({ owner_id, member_role, ...person }) => {
    const role: RoomRole | null = owner_id === person.user_id ? 'owner' : member_role
    return { ...person, role }
  })
}

/** Whether this administrator's entry was audited after this moment. */
export async function hasEnteredAsAdminSince(
  db: Kysely<Tables>,
  { roomId, userId, sinceMs }: { roomId: string; userId: string; sinceMs: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('audit_events')
    .select('id')
    .where('target_type', '=', 'room')
    .where('target_id', '=', roomId)
    .where('action', '=', 'room.admin_entry')
    .where('actor_user_id', '=', userId)
    .where('created_at', '>', sinceMs)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
