import { among } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Kysely } from 'kysely'
import type { RevokeReason, Tables } from '../db/tables.ts'
import type { RemovalReason } from '../news.ts'

/** The sessions that are over among these, with why; those of erased accounts have no row any more. */
export async function findEnded(
  db: Kysely<Tables>,
  dialect: DialectName,
  sessionIds: readonly string[],
  nowMs: number,
): Promise<Map<string, RevokeReason>> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'revoked_at', 'revoke_reason', 'idle_expires_at'])
    .where(among(dialect, 'id', sessionIds))
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  const ended = new Map<string, RevokeReason>()
  for (const id of sessionIds) {
    const row = found.get(id)
    if (!row) ended.set(id, 'revoked')
    else if (row.revoked_at !== null) ended.set(id, row.revoke_reason ?? 'revoked')
    else if (row.idle_expires_at <= nowMs) ended.set(id, 'expired')
  }
  return ended
}

/** Ids of the sessions that somebody ended after this moment. */
export async function findRevokedSince(db: Kysely<Tables>, sinceMs: number): Promise<string[]> {
  const rows = await db.selectFrom('sessions').select('id').where('revoked_at', '>=', sinceMs).execute()
  return rows.map(({ id }) => id)
}

/** When each of these sessions ends unless it is used. */
export async function findIdleEnds(
  db: Kysely<Tables>,
  dialect: DialectName,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'idle_expires_at'])
    .where(among(dialect, 'id', sessionIds))
    .execute()
  return new Map(rows.map((row) => [row.id, row.idle_expires_at]))
}

/** Where the logs of these rooms stand; rooms that are gone are missing. */
export async function findLastSeqs(
  db: Kysely<Tables>,
  dialect: DialectName,
  roomIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('rooms')
    .select(['id', 'last_seq'])
    .where(among(dialect, 'id', roomIds))
    .execute()
  return new Map(rows.map((row) => [row.id, row.last_seq]))
}

/** `connection room` of every live lease of this node. */
export async function findLeases(
  db: Kysely<Tables>,
  { nodeId, nowMs }: { nodeId: string; nowMs: number },
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('presence_leases')
    .select(['connection_id', 'room_id'])
    .where('node_id', '=', nodeId)
    .where('expires_at', '>', nowMs)
    .execute()
  return new Set(rows.map((row) => leaseKey(row.connection_id, row.room_id)))
}

export function leaseKey(connectionId: string, roomId: string): string {
  return `${connectionId} ${roomId}`
}

/** Why somebody who has no lease any more lost the room, where nobody told. */
export async function findRemoval(
  db: Kysely<Tables>,
  { roomId, userId, nowMs }: { roomId: string; userId: string; nowMs: number },
): Promise<{ reason: RemovalReason; untilMs: number | null }> {
  const room = await db.selectFrom('rooms').select('id').where('id', '=', roomId).executeTakeFirst()
  if (!room) return { reason: 'deleted', untilMs: null }
  const ban = await db
    .selectFrom('room_bans')
    .select(['kind', 'expires_at'])
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
    .executeTakeFirst()
  if (!ban) return { reason: 'access_lost', untilMs: null }
  return { reason: ban.kind === 'ban' ? 'banned' : 'kicked', untilMs: ban.expires_at }
}
