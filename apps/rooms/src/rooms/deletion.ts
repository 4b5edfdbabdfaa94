import type { Transaction } from 'kysely'
import type { RoomRow, Tables } from '../db/tables.ts'
import { invitationRevoked, listAwaited } from '../invitations/store.ts'
import type { News } from '../news.ts'
import { findTransfer, transferEnded } from '../ownership/transfers.ts'
import { endAccess } from './eviction.ts'
import { deleteRoom, listMemberIds } from './store.ts'

/**
 * The one way in which a room goes. The room must be locked. Returns what to tell: those who
 * were there, those who could see it, and those who were invited or offered it, who would otherwise wait for what is gone.
 */
export async function takeDown(tx: Transaction<Tables>, room: RoomRow, nowMs: number): Promise<News[]> {
  const { id: roomId } = room
  const formerly = room.visibility === 'public' ? ('everyone' as const) : await listMemberIds(tx, room)
  const invitations = await listAwaited(tx, roomId, nowMs)
  const transfer = await findTransfer(tx, roomId, nowMs)
  const removed = await endAccess(tx, { roomId, userIds: null, reason: 'deleted' })
  await deleteRoom(tx, roomId, nowMs)
  return [
    ...removed,
    { kind: 'lobby', roomId, formerly },
    ...invitations.flatMap(invitationRevoked),
    ...(transfer ? transferEnded(transfer) : []),
  ]
}
