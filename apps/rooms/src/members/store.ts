import type { DialectName } from '@latchkey/database/url'
import { sql } from 'kysely'
import { containsText } from '@latchkey/database/database'
import type { Db, RoomMemberRow, Tx, UserRow } from '../db/tables.ts'
import { type Position, pageOf } from '../api/paging.ts'
import { nicknameIn } from '../rooms/nickname.ts'
import type { MemberRole, RoomRole } from '../api/roles.ts'
import type { PersonRow } from '../rooms/schema.ts'
import { isAccount, lockAccount } from '../users/store.ts'
import type { MemberRow } from './schema.ts'

export interface ListedMember extends MemberRow, Position {
  group_name: string | null
}

/** Owner and members, in order of joining. */
export async function selectMembers(
  db: Db,
  roomId: string,
  after: Position | undefined,
  limit: number,
): Promise<ListedMember[]> {
  const owner = db
    .selectFrom('rooms')
    .select([
      sql<string>`owner_id`.as('user_id'),
      'owner_since as joined_at',
      sql<RoomRole>`'owner'`.as('role'),
      sql<string | null>`null`.as('group_name'),
    ])
    .where('id', '=', roomId)
    .where('owner_id', 'is not', null)
  const members = db
    .selectFrom('room_members')
    .select(['user_id', 'joined_at', sql<RoomRole>`role`.as('role'), 'group_name'])
    .where('room_id', '=', roomId)
  const rows = await db
    .selectFrom(owner.unionAll(members).as('membership'))
    .innerJoin('users', 'users.id', 'membership.user_id')
    .select([
      'membership.user_id',
      'membership.joined_at',
      'membership.role',
      'membership.group_name',
      nicknameIn(roomId).as('nickname'),
      'users.avatar_color',
      'users.picture_id',
      'users.is_guest',
    ])
    .$call((query) => pageOf(query, ['membership.joined_at', 'membership.user_id', 'asc'], after, limit))
    .execute()
  return rows.map((row) => ({ ...row, id: row.user_id, created_at: row.joined_at }))
}

/** Account or guest in relation to a room, whether or not they ever entered it. */
export interface KnownPerson extends PersonRow {
  role: RoomRole | null
  is_guest: UserRow['is_guest']
  disabled: UserRow['disabled']
  /** Null for users without membership. */
  joined_at: number | null
  is_present: boolean
}

export async function findKnownPerson(
  db: Db,
  roomId: string,
  userId: string,
  nowMs: number,
): Promise<KnownPerson | undefined> {
  const row = await db
    .selectFrom('users')
    .innerJoin('rooms', (join) => join.on('rooms.id', '=', roomId))
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').onRef('room_members.user_id', '=', 'users.id'),
    )
    .select([
      'users.id as user_id',
      nicknameIn(roomId).as('nickname'),
      'users.avatar_color',
      'users.picture_id',
      'users.is_guest',
      'users.disabled',
      'rooms.owner_id',
      'rooms.owner_since',
      'room_members.role as member_role',
      'room_members.joined_at as member_since',
    ])
    .select((eb) =>
      eb
        .selectFrom('presence_leases')
        .select((lease) => lease.fn.countAll<number>().as('count'))
        .whereRef('presence_leases.room_id', '=', 'rooms.id')
        .whereRef('presence_leases.user_id', '=', 'users.id')
        .where('presence_leases.expires_at', '>', nowMs)
        .as('leases'),
    )
    .where('users.id', '=', userId)
    .where(isAccount())
    .executeTakeFirst()
  if (!row) return undefined
  const { owner_id, owner_since, member_role, member_since, leases, ...person } = row
  const isOwner = owner_id === userId
  return {
    ...person,
    role: isOwner ? 'owner' : member_role,
    joined_at: isOwner ? owner_since : member_since,
    is_present: (leases ?? 0) > 0,
  }
}

/** Finds a person like `findKnownPerson`, and keeps the account from erasure until the transaction ends. */
export async function lockKnownPerson(
  tx: Tx,
  roomId: string,
  userId: string,
  nowMs: number,
): Promise<KnownPerson | undefined> {
  await lockAccount(tx, userId)
  return findKnownPerson(tx, roomId, userId, nowMs)
}

const NO_GROUP = { group_name: null, own_role: null }

/**
 * Creates a membership or changes its role, which no group gives any more. Time and sequence number
 * of joining are kept.
 */
export async function putMember(
  tx: Tx,
  member: Omit<RoomMemberRow, 'group_name' | 'own_role'>,
): Promise<void> {
  await tx
    .insertInto('room_members')
    .values({ ...member, ...NO_GROUP })
    .onConflict((conflict) =>
      conflict.columns(['room_id', 'user_id']).doUpdateSet({ role: member.role, ...NO_GROUP }),
    )
    .execute()
}

/** Makes the role that a group gives one of its own. Returns false without such a role. */
export async function detachFromGroup(tx: Tx, roomId: string, userId: string): Promise<boolean> {
  const detached = await tx
    .updateTable('room_members')
    .set(NO_GROUP)
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where('group_name', 'is not', null)
    .returning('room_id')
    .executeTakeFirst()
  return detached !== undefined
}

/**
 * Stores an explicit decision about the role of a user, with its sequence number. Older invitations
 * cannot exceed it. The room must be locked.
 */
export async function putManualRole(
  tx: Tx,
  { nowMs, ...decision }: { room_id: string; user_id: string; role: MemberRole | null; nowMs: number },
): Promise<void> {
  const seq = sql<number>`(select last_seq from rooms where id = ${decision.room_id})`
  const changes = { role: decision.role, seq, set_at: nowMs }
  await tx
    .insertInto('room_manual_roles')
    .values({ ...decision, ...changes })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet(changes))
    .execute()
}

/** Sequence number of joining of the deleted membership; undefined if there was none. */
export async function deleteMember(tx: Tx, roomId: string, userId: string): Promise<number | undefined> {
  const gone = await tx
    .deleteFrom('room_members')
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .returning('joined_seq')
    .executeTakeFirst()
  return gone?.joined_seq
}

/** Enabled accounts with `part` in their names. `part` must be folded. */
export async function selectPeople(
  { read: db, dialect }: { read: Db; dialect: DialectName },
  part: string,
  limit: number,
): Promise<Pick<UserRow, 'id' | 'nickname' | 'avatar_color' | 'picture_id'>[]> {
  return db
    .selectFrom('users')
    .select(['id', 'nickname', 'avatar_color', 'picture_id'])
    .where('is_guest', '=', 0)
    .where('disabled', '=', 0)
    .where(containsText(dialect, 'search_name', part))
    .orderBy('nickname')
    .orderBy('id')
    .limit(limit)
    .execute()
}
