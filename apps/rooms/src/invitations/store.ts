import { DAY_MS } from '@latchkey/http/duration'
import type { ExpressionBuilder } from 'kysely'
import type { Db, RoomInvitationRow, RoomRow, Tables, Tx } from '../db/tables.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { type Position, pageOf } from '../api/paging.ts'
import { nicknameIn } from '../rooms/nickname.ts'
import type { RoomRole } from '../api/roles.ts'
import type { ManualRole } from './permission.ts'
import { MAX_LIFETIME_MS } from './schema.ts'

/** More than any clock skew between nodes. */
const CLOCK_SKEW_MS = DAY_MS

function isLive(eb: ExpressionBuilder<Tables, 'room_invitations'>, nowMs: number) {
  return eb.and([
    eb('room_invitations.expires_at', '>', nowMs),
    eb('room_invitations.declined_at', 'is', null),
    eb('room_invitations.use_count', '<', eb.ref('room_invitations.max_uses')),
  ])
}

export interface ManagedInvitation extends RoomInvitationRow {
  invited_nickname: string | null
}

/** All live invitations to this room. */
export async function findLive(db: Db, roomId: string, nowMs: number): Promise<RoomInvitationRow[]> {
  return db
    .selectFrom('room_invitations')
    .selectAll()
    .where('room_id', '=', roomId)
    .where((eb) => isLive(eb, nowMs))
    .execute()
}

/** Live invitations to a room, newest first. Their number is limited on creation. */
export async function listLive(
  db: Db,
  { roomId, nowMs }: { roomId: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<ManagedInvitation[]> {
  return db
    .selectFrom('room_invitations')
    .leftJoin('users', 'users.id', 'room_invitations.invited_user_id')
    .selectAll('room_invitations')
    .select((eb) =>
      eb
        .case()
        .when('users.id', 'is not', null)
        .then(nicknameIn(roomId))
        .else(null)
        .end()
        .as('invited_nickname'),
    )
    .where('room_invitations.room_id', '=', roomId)
    .where((eb) => isLive(eb, nowMs))
    .$call((query) =>
      pageOf(query, ['room_invitations.created_at', 'room_invitations.id', 'desc'], after, limit),
    )
    .execute()
}

export interface PendingInvitationRow extends RoomInvitationRow {
  room_name: string
  /** Current role of the recipient in the room. */
  own_role: RoomRole | null
  default_role: RoomRow['default_role']
  manual: ManualRole | undefined
}

/** Targeted invitations that this user can still answer, newest first. */
export async function listPending(
  db: Db,
  { userId, nowMs }: { userId: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<PendingInvitationRow[]> {
  const rows = await db
    .selectFrom('room_invitations')
    .innerJoin('rooms', 'rooms.id', 'room_invitations.room_id')
    .leftJoin('room_members', (join) =>
      join
        .onRef('room_members.room_id', '=', 'rooms.id')
        .onRef('room_members.user_id', '=', 'room_invitations.invited_user_id'),
    )
    .leftJoin('room_manual_roles', (join) =>
      join
        .onRef('room_manual_roles.room_id', '=', 'rooms.id')
        .onRef('room_manual_roles.user_id', '=', 'room_invitations.invited_user_id'),
    )
    .selectAll('room_invitations')
    .select([
      'rooms.name as room_name',
      'rooms.owner_id',
      'rooms.default_role',
      'room_members.role as member_role',
      'room_manual_roles.role as manual_role',
      'room_manual_roles.seq as manual_seq',
    ])
    .where('room_invitations.invited_user_id', '=', userId)
    .where((eb) => isLive(eb, nowMs))
    .$call((query) =>
      pageOf(query, ['room_invitations.created_at', 'room_invitations.id', 'desc'], after, limit),
    )
    .execute()
  return rows.map(({ owner_id, member_role, manual_role, manual_seq, ...row }) => ({
    ...row,
    own_role: owner_id === userId ? ('owner' as const) : member_role,
    manual: manual_seq === null ? undefined : { role: manual_role, seq: manual_seq },
  }))
}

/** Targeted invitations to this room that can still be answered. */
export async function listUnanswered(db: Db, roomId: string, nowMs: number): Promise<RoomInvitationRow[]> {
  return db
    .selectFrom('room_invitations')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('invited_user_id', 'is not', null)
    .where((eb) => isLive(eb, nowMs))
    .execute()
}

/** Notice to the recipient; none for a link. */
export function invitationRevokedEvents({
  id,
  room_id: roomId,
  invited_user_id: userId,
}: RoomInvitationRow): ClusterEvent[] {
  if (userId === null) return []
  return [{ kind: 'notice', userId, notice: 'invitation_revoked', data: { id, roomId } }]
}

export async function findInvitation(db: Db, id: string): Promise<RoomInvitationRow | undefined> {
  return db.selectFrom('room_invitations').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findByTokenHash(db: Db, tokenHash: string): Promise<RoomInvitationRow | undefined> {
  return db.selectFrom('room_invitations').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** Invitation that this user has neither used nor declined, even if it has expired. */
export async function findUnanswered(
  db: Db,
  roomId: string,
  userId: string,
): Promise<RoomInvitationRow | undefined> {
  return db
    .selectFrom('room_invitations')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('invited_user_id', '=', userId)
    .where('use_count', '=', 0)
    .where('declined_at', 'is', null)
    .executeTakeFirst()
}

export async function insertInvitation(tx: Tx, row: RoomInvitationRow): Promise<void> {
  await tx.insertInto('room_invitations').values(row).execute()
}

export async function renewInvitation(
  tx: Tx,
  id: string,
  changes: Pick<RoomInvitationRow, 'permission' | 'expires_at' | 'created_by' | 'offered_seq'>,
): Promise<RoomInvitationRow> {
  return tx
    .updateTable('room_invitations')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteInvitation(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('room_invitations').where('id', '=', id).execute()
}

/** False if this user has used the invitation before: each user can use it once. */
export async function insertUse(
  tx: Tx,
  { id, userId, nowMs }: { id: string; userId: string; nowMs: number },
): Promise<boolean> {
  const used = await tx
    .insertInto('room_invitation_uses')
    .values({ invitation_id: id, user_id: userId, used_at: nowMs })
    .onConflict((conflict) => conflict.columns(['invitation_id', 'user_id']).doNothing())
    .returning('used_at')
    .executeTakeFirst()
  return used !== undefined
}

/**
 * Counts one use if there is one left. Of concurrent attempts, exactly as many succeed as uses are
 * left.
 */
export async function consumeUse(tx: Tx, id: string): Promise<boolean> {
  const updated = await tx
    .updateTable('room_invitations')
    .set((eb) => ({ use_count: eb('use_count', '+', 1) }))
    .where('id', '=', id)
    .where('declined_at', 'is', null)
    .where((eb) => eb('use_count', '<', eb.ref('max_uses')))
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

/** Declines an invitation. Returns it if this user could still answer it. */
export async function markDeclined(
  tx: Tx,
  { id, userId, nowMs }: { id: string; userId: string; nowMs: number },
): Promise<RoomInvitationRow | undefined> {
  return tx
    .updateTable('room_invitations')
    .set({ declined_at: nowMs })
    .where('id', '=', id)
    .where('invited_user_id', '=', userId)
    .where((eb) => isLive(eb, nowMs))
    .returningAll()
    .executeTakeFirst()
}

export async function findRoomOf(db: Db, { room_id }: RoomInvitationRow): Promise<RoomRow | undefined> {
  return db.selectFrom('rooms').selectAll().where('id', '=', room_id).executeTakeFirst()
}

/** Number of the members of a room, with its owner. */
export async function countPeople(db: Db, roomId: string): Promise<number> {
  const { count, owners } = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('room_members')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('room_id', '=', roomId)
        .as('count'),
      eb
        .selectFrom('rooms')
        .select(({ fn }) => fn.count<number>('owner_id').as('count'))
        .where('id', '=', roomId)
        .as('owners'),
    ])
    .executeTakeFirstOrThrow()
  return Number(count) + Number(owners)
}

/**
 * Last explicit decision about this user in this room, while an invitation can be older than it.
 */
export async function findManualRole(
  db: Db,
  { roomId, userId }: { roomId: string; userId: string },
): Promise<ManualRole | undefined> {
  return db
    .selectFrom('room_manual_roles')
    .select(['role', 'seq'])
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/**
 * Deletes ended invitations (expired, used up or declined), and explicit decisions that are older
 * than every live invitation.
 */
export async function deleteEndedInvitations(tx: Tx, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('room_manual_roles')
    .where('set_at', '<', nowMs - MAX_LIFETIME_MS - CLOCK_SKEW_MS)
    .execute()
  await tx
    .deleteFrom('room_invitations')
    .where((eb) => eb.not(isLive(eb, nowMs)))
    .execute()
}
