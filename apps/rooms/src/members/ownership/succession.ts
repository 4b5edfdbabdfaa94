import type { Transaction } from 'kysely'
import { recordAudit } from '../../audit/store.ts'
import type { RoomRow, Tables } from '../../db/tables.ts'
import type { ClusterEvent } from '../../cluster-events.ts'
import { deleteRoom } from '../../rooms/deletion.ts'
import { lockRoom } from '../../rooms/log.ts'
import { lockAccount } from '../../users/store.ts'
import { handOver } from './handover.ts'
import { findSuccessor } from './store.ts'

/** Before their owner's account goes: each room gets the oldest moderator as its owner, or goes as well (R17.10). */
export async function reassignRooms(
  tx: Transaction<Tables>,
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

async function reassignRoom(tx: Transaction<Tables>, room: RoomRow, nowMs: number): Promise<ClusterEvent[]> {
  const { id: roomId, owner_id: from, name } = room
  const toUserId = await lockSuccessor(tx, roomId)
  const target = { type: 'room', id: roomId }
  const origin = { clientIp: null, requestId: null, nowMs }
  if (toUserId === undefined) {
    const events = await deleteRoom(tx, room, nowMs)
    const metadata = { name, reason: 'owner_purged' }
    await recordAudit(tx, { action: 'room.delete', actorUserId: null, target, metadata }, origin)
    return events
  }
  // However many rooms the heir owns already: this one has nobody else.
  const events = await handOver(tx, { room, toUserId, nowMs })
  const metadata = { from, to: toUserId, reason: 'owner_purged' }
  await recordAudit(tx, { action: 'room.ownership.transfer', actorUserId: null, target, metadata }, origin)
  return events
}

/** With the account locked; whose account is being erased at this moment is no heir. */
async function lockSuccessor(tx: Transaction<Tables>, roomId: string): Promise<string | undefined> {
  const found = await findSuccessor(tx, roomId)
  if (found === undefined) return undefined
  await lockAccount(tx, found)
  return (await findSuccessor(tx, roomId)) === found ? found : lockSuccessor(tx, roomId)
}
