import { recordAudit } from '../audit/store.ts'
import type { RoomRow, Tx } from '../db/tables.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { endRoom } from '../lobby/deletion.ts'
import { lockRoom } from '../rooms/room-events.ts'
import { lockAccount } from '../users/store.ts'
import { handOver } from '../members/ownership/handover.ts'
import { findSuccessor } from '../members/ownership/store.ts'

/**
 * Prepares the deletion of an owner's account: each room passes to the moderator with the longest
 * membership, or is deleted (R17.10).
 */
export async function reassignRooms(
  tx: Tx,
  roomIds: readonly string[],
  nowMs: number,
): Promise<ClusterEvent[]> {
  const events: ClusterEvent[] = []
  for (const roomId of roomIds) {
    const room = await lockRoom(tx, roomId)
    if (room) events.push(...(await reassignRoom(tx, room, nowMs)))
  }
  return events
}

async function reassignRoom(tx: Tx, room: RoomRow, nowMs: number): Promise<ClusterEvent[]> {
  const { id: roomId, owner_id: from, name } = room
  const toUserId = await lockSuccessor(tx, roomId)
  const target = { type: 'room', id: roomId }
  const origin = { clientIp: null, requestId: null, nowMs }
  if (toUserId === undefined) {
    const events = await endRoom(tx, room, nowMs)
    const metadata = { name, reason: 'owner_purged' }
    await recordAudit(tx, { action: 'room.delete', actorUserId: null, target, metadata }, origin)
    return events
  }
  // The limit of owned rooms does not apply: the room has no other successor.
  const events = await handOver(tx, { room, toUserId, nowMs })
  const metadata = { from, to: toUserId, reason: 'owner_purged' }
  await recordAudit(tx, { action: 'room.ownership.transfer', actorUserId: null, target, metadata }, origin)
  return events
}

/** Locks the account of the successor. Skips an account that is being erased. */
async function lockSuccessor(tx: Tx, roomId: string): Promise<string | undefined> {
  const successor = await findSuccessor(tx, roomId)
  if (successor === undefined) return undefined
  await lockAccount(tx, successor)
  return (await findSuccessor(tx, roomId)) === successor ? successor : lockSuccessor(tx, roomId)
}
