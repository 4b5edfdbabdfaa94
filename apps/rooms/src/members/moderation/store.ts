import type { Db, RoomBanRow, Tx } from '../../db/tables.ts'
import { type Position, pageOf } from '../../api/paging.ts'
import { nicknameIn } from '../../rooms/nickname.ts'
import { isLiveBan } from '../../rooms/access-store.ts'
import type { BanWithUser } from './schema.ts'

/** Bans and kicks in force, newest first. */
export async function selectBans(
  db: Db,
  { roomId, nowMs }: { roomId: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<(BanWithUser & Position)[]> {
  return db
    .selectFrom('room_bans')
    .innerJoin('users', 'users.id', 'room_bans.user_id')
    .select([
      'room_bans.user_id as id',
      'room_bans.room_id',
      'room_bans.user_id',
      'room_bans.kind',
      'room_bans.role_held',
      'room_bans.reason',
      'room_bans.banned_by',
      'room_bans.expires_at',
      'room_bans.created_at',
      nicknameIn(roomId).as('nickname'),
      'users.avatar_color',
      'users.picture_id',
    ])
    .where('room_bans.room_id', '=', roomId)
    .where(isLiveBan(nowMs))
    .$call((query) => pageOf(query, ['room_bans.created_at', 'room_bans.user_id', 'desc'], after, limit))
    .execute()
}

/** Ban or kick in force; undefined otherwise. */
export async function findBan(
  db: Db,
  { roomId, userId, nowMs }: { roomId: string; userId: string; nowMs: number },
): Promise<RoomBanRow | undefined> {
  return db
    .selectFrom('room_bans')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where(isLiveBan(nowMs))
    .executeTakeFirst()
}

/** Replaces any earlier ban or kick of the user. */
export async function putBan(tx: Tx, ban: RoomBanRow): Promise<void> {
  const { room_id: _room, user_id: _user, ...changes } = ban
  await tx
    .insertInto('room_bans')
    .values(ban)
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet(changes))
    .execute()
}

export async function deleteBan(tx: Tx, roomId: string, userId: string): Promise<void> {
  await tx.deleteFrom('room_bans').where('room_id', '=', roomId).where('user_id', '=', userId).execute()
}

/** Last address of a user, from the newest session; undefined without a session. */
export async function findLastAddress(db: Db, userId: string): Promise<string | undefined> {
  const session = await db
    .selectFrom('sessions')
    .select('client_ip')
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return session?.client_ip
}

/** Deletes expired bans and kicks. Bans without an end stay. */
export async function deleteEndedBans(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom('room_bans').where('expires_at', '<=', nowMs).execute()
}
