import type { ReadDatabase } from '../db/tables.ts'
import { type UserRoomAccess, findAccessToRooms } from '../rooms/access-store.ts'
import { findDirectPeople } from '../rooms/direct-people.ts'
import type { ListedRoom } from '../rooms/list-store.ts'
import { findUnread } from '../unread/unread.ts'
import { findCalls } from '../voice/store.ts'
import { type Room, toRoom } from './schema.ts'

/** Listed rooms as this user sees them, without those that were deleted meanwhile. */
export async function viewRooms(
  database: ReadDatabase,
  rows: readonly ListedRoom[],
  { userId, nowMs }: { userId: string; nowMs: number },
): Promise<{ access: UserRoomAccess; room: Room }[]> {
  const roomIds = rows.map(({ id }) => id)
  const accesses = await findAccessToRooms(database, { userId, roomIds, nowMs })
  const unread = await findUnread(database, accesses, nowMs)
  const calls = await findCalls(database, roomIds, nowMs)
  const people = await findDirectPeople(
    database,
    accesses.map(({ room }) => room),
  )
  const accessTo = new Map(accesses.map((access) => [access.roomId, access]))
  return rows.flatMap(({ id, present }) => {
    const access = accessTo.get(id)
    if (!access) return []
    const activity = { count: present ?? 0, call: calls.get(id) ?? null, people }
    return [{ access, room: toRoom(access.room, access, activity, unread.get(access)) }]
  })
}
