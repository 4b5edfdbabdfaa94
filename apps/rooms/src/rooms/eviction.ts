import type { Tx } from '../db/tables.ts'
import type { ClusterEvent, RemovalReason } from '../api/cluster-events.ts'
import { decideEntry } from './permissions.ts'
import { type UserRoomAccess, findAccessOfParticipants, findAccessOfParticipant } from './access-store.ts'

export interface AccessRevocation {
  roomId: string
  /** Null: all users. */
  userIds: readonly string[] | null
  reason: RemovalReason
  /** End of a kick. */
  untilMs?: number | null
}

/**
 * Ends the visits and leases of users who lose a room, in the transaction of the change that causes
 * it; the only place that does (R17.7). Returns the events to publish after the commit. Nodes that
 * miss them find that the leases are deleted (R19.2).
 */
export async function revokeAccess(
  tx: Tx,
  { roomId, userIds, reason, untilMs = null }: AccessRevocation,
): Promise<ClusterEvent[]> {
  if (userIds?.length === 0) return []
  for (const table of ['presence_leases', 'room_visits'] as const)
    await tx
      .deleteFrom(table)
      .where('room_id', '=', roomId)
      .$if(userIds !== null, (query) => query.where('user_id', 'in', userIds ?? []))
      .execute()
  return [{ kind: 'removed', roomId, userIds, reason, untilMs }, ...presenceEvents(roomId)]
}

/** Events after a user entered or left. */
export function presenceEvents(roomId: string): ClusterEvent[] {
  return [
    { kind: 'presence', roomId },
    { kind: 'lobby', roomId },
  ]
}

/**
 * After a change of the room, with its row locked: removes participants who may not enter any more.
 */
export async function revokeLostAccess(tx: Tx, roomId: string, nowMs: number): Promise<ClusterEvent[]> {
  const present = await tx
    .selectFrom('room_visits')
    .select('user_id')
    .where('room_id', '=', roomId)
    .where('ended_at', 'is', null)
    .execute()
  const mayStay = idsWithAccess(await findAccessOfParticipants(tx, roomId, nowMs), 'userId')
  const userIds = present.map(({ user_id }) => user_id).filter((id) => !mayStay.has(id))
  return revokeAccess(tx, { roomId, userIds, reason: 'access_lost' })
}

/**
 * After a change of the user (disabled, no longer an administrator): the same for all rooms that
 * they are in.
 */
export async function revokeLostAccessOfUser(tx: Tx, userId: string, nowMs: number): Promise<ClusterEvent[]> {
  const present = await tx
    .selectFrom('room_visits')
    .select('room_id')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .orderBy('room_id')
    .execute()
  const mayStay = idsWithAccess(await findAccessOfParticipant(tx, userId, nowMs), 'roomId')
  const events: ClusterEvent[] = []
  for (const { room_id: roomId } of present)
    if (!mayStay.has(roomId))
      events.push(...(await revokeAccess(tx, { roomId, userIds: [userId], reason: 'access_lost' })))
  return events
}

function idsWithAccess(accesses: readonly UserRoomAccess[], key: 'userId' | 'roomId'): ReadonlySet<string> {
  return new Set(accesses.filter((access) => decideEntry(access) === 'yes').map((access) => access[key]))
}
