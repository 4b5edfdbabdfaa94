import type { Transaction } from 'kysely'
import { recordAudit } from '../audit/store.ts'
import type { RoomRow, Tables } from '../db/tables.ts'
import type { News } from '../news.ts'
import { takeDown } from '../rooms/deletion.ts'
import { lockRoom } from '../rooms/log.ts'
import { lockAccount } from '../users/store.ts'
import { handOver } from './handover.ts'
import { findSuccessor } from './store.ts'

/** Before their owner's account goes: each room gets the oldest moderator as its owner, or goes as well (R17.10). */
export async function passOnRooms(
  tx: Transaction<Tables>,
  roomIds: readonly string[],
  nowMs: number,
): Promise<News[]> {
  const told: News[] = []
  for (const roomId of roomIds) {
    const room = await lockRoom(tx, roomId)
    if (room) told.push(...(await passOn(tx, room, nowMs)))
  }
  return told
}

async function passOn(tx: Transaction<Tables>, room: RoomRow, nowMs: number): Promise<News[]> {
  const { id: roomId, owner_id: from, name } = room
  const toUserId = await holdSuccessor(tx, roomId)
  const target = { type: 'room', id: roomId }
  const origin = { clientIp: null, requestId: null, nowMs }
  if (toUserId === undefined) {
    const told = await takeDown(tx, room, nowMs)
    const metadata = { name, reason: 'owner_purged' }
    await recordAudit(tx, { action: 'room.delete', actorUserId: null, target, metadata }, origin)
    return told
  }
  // However many rooms the heir owns already: this one has nobody else.
  const told = await handOver(tx, { room, toUserId, nowMs })
  const metadata = { from, to: toUserId, reason: 'owner_purged' }
  await recordAudit(tx, { action: 'room.ownership.transfer', actorUserId: null, target, metadata }, origin)
  return told
}

/** With the account locked; whose account is being erased at this moment is no heir. */
async function holdSuccessor(tx: Transaction<Tables>, roomId: string): Promise<string | undefined> {
  const found = await findSuccessor(tx, roomId)
  if (found === undefined) return undefined
  await lockAccount(tx, found)
  return (await findSuccessor(tx, roomId)) === found ? found : holdSuccessor(tx, roomId)
}
