import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Db, RevokeReason, SessionRow } from '../db/tables.ts'
import { findBan } from '../members/moderation/store.ts'
import { findRoom } from '../rooms/store.ts'
import type { Removal } from './local-rooms.ts'

type SessionEnd = Pick<SessionRow, 'id' | 'revoked_at' | 'revoke_reason' | 'idle_expires_at'>

/** Ends of these sessions. Sessions of erased accounts have no row. */
export async function findSessionEnds(
  db: Db,
  dialect: DialectName,
  sessionIds: readonly string[],
): Promise<Map<string, SessionEnd>> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'revoked_at', 'revoke_reason', 'idle_expires_at'])
    .where(inList(dialect, 'id', sessionIds))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Why a session has ended; undefined while it is valid. */
export function endReasonOf(row: SessionEnd | undefined, nowMs: number): RevokeReason | undefined {
  if (!row) return 'revoked'
  if (row.revoked_at !== null) return row.revoke_reason ?? 'revoked'
  return row.idle_expires_at <= nowMs ? 'expired' : undefined
}

/** Ids of the sessions that were revoked since this moment. */
export async function findRevokedSince(db: Db, sinceMs: number): Promise<string[]> {
  const rows = await db.selectFrom('sessions').select('id').where('revoked_at', '>=', sinceMs).execute()
  return rows.map(({ id }) => id)
}

/** Last sequence numbers of these rooms. Deleted rooms are missing. */
export async function findLastSeqs(
  db: Db,
  dialect: DialectName,
  roomIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('rooms')
    .select(['id', 'last_seq'])
    .where(inList(dialect, 'id', roomIds))
    .execute()
  return new Map(rows.map((row) => [row.id, row.last_seq]))
}

/** Participants of these rooms. */
export async function findParticipantIds(
  db: Db,
  dialect: DialectName,
  { roomIds, nowMs }: { roomIds: readonly string[]; nowMs: number },
): Promise<Map<string, Set<string>>> {
  const rows = await db
    .selectFrom('presence_leases')
    .select(['room_id', 'user_id'])
    .distinct()
    .where(inList(dialect, 'room_id', roomIds))
    .where('expires_at', '>', nowMs)
    .execute()
  const participants = new Map<string, Set<string>>(roomIds.map((roomId) => [roomId, new Set()]))
  for (const { room_id, user_id } of rows) participants.get(room_id)?.add(user_id)
  return participants
}

/** Rooms that these users or sessions are in, or left a moment ago. */
export async function findRoomsOf(
  db: Db,
  dialect: DialectName,
  column: 'user_id' | 'session_id',
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('presence_leases')
    .select('room_id')
    .distinct()
    .where(inList(dialect, column, ids))
    .execute()
  return rows.map(({ room_id }) => room_id)
}

/** Live leases of one node, by connection and then by room. */
export type LiveLeases = ReadonlyMap<string, ReadonlySet<string>>

/** Live leases in these rooms, or in all. */
export async function findLeases(
  db: Db,
  dialect: DialectName,
  { nodeId, roomIds, nowMs }: { nodeId: string; roomIds: readonly string[] | undefined; nowMs: number },
): Promise<LiveLeases> {
  const rows = await db
    .selectFrom('presence_leases')
    .select(['connection_id', 'room_id'])
    .where('node_id', '=', nodeId)
    .where('expires_at', '>', nowMs)
    .$if(roomIds !== undefined, (query) => query.where(inList(dialect, 'room_id', roomIds ?? [])))
    .execute()
  const leases = new Map<string, Set<string>>()
  for (const { connection_id, room_id } of rows) {
    const rooms = leases.get(connection_id)
    if (rooms) rooms.add(room_id)
    else leases.set(connection_id, new Set([room_id]))
  }
  return leases
}

/** Why a user without a lease lost the room, if no event said so. */
export async function findRemoval(
  db: Db,
  { roomId, userId, nowMs }: { roomId: string; userId: string; nowMs: number },
): Promise<Removal> {
  if (!(await findRoom(db, roomId))) return { reason: 'deleted', untilMs: null }
  const ban = await findBan(db, { roomId, userId, nowMs })
  if (ban) return { reason: ban.kind === 'ban' ? 'banned' : 'kicked', untilMs: ban.expires_at }
  // Removal deletes the visit; leaving keeps it.
  const visit = await db
    .selectFrom('room_visits')
    .select('ended_at')
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where('ended_at', 'is not', null)
    .executeTakeFirst()
  return { reason: visit ? 'left' : 'access_lost', untilMs: null }
}
