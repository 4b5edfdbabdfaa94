import type { ClusterEvent } from '../api/cluster-events.ts'
import type { Tx } from '../db/tables.ts'
import { endRoom } from '../lobby/deletion.ts'
import { lockRoom } from '../rooms/room-events.ts'

/** Rooms that one transaction deletes: few enough not to delay other writers. */
const BATCH_SIZE = 10

/** Deletes direct conversations that no one can read: the accounts of all their people were erased. */
export async function deleteAbandonedDirects(
  tx: Tx,
  nowMs: number,
): Promise<{ events: ClusterEvent[]; isMore: boolean }> {
  const abandoned = await tx
    .selectFrom('rooms')
    .select('id')
    .where('kind', '=', 'direct')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('room_members')
            .select('room_members.user_id')
            .whereRef('room_members.room_id', '=', 'rooms.id'),
        ),
      ),
    )
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute()
  const events: ClusterEvent[] = []
  for (const { id } of abandoned) {
    const room = await lockRoom(tx, id)
    if (room) events.push(...(await endRoom(tx, room, nowMs)))
  }
  return { events, isMore: abandoned.length === BATCH_SIZE }
}
