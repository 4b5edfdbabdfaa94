import type { ClusterEvent } from '../api/cluster-events.ts'
import type { JobResult } from '../jobs/job.ts'
import type { RoomRow, Tx } from '../db/tables.ts'
import { findFirstState, saveState } from '../platform/store.ts'
import { isLiveBan } from '../rooms/access-store.ts'
import { appendEvent, lockRoom } from '../rooms/room-events.ts'
import { isAccount, lockAccount } from '../users/store.ts'
import { assignRole, roleChangeEvents } from './membership.ts'
import { findKnownPerson } from './store.ts'

/** People of a batch: few enough that the other writers of the room are not delayed noticeably. */
const BATCH_SIZE = 50

/**
 * Prefix of the state key of a room to which all member accounts are added. Its value is the id of
 * the last one.
 */
const ADDING_PREFIX = 'adding-everyone.'

/** Has all member accounts added to a locked default room, from the first one on. */
export async function addEveryoneTo(tx: Tx, roomId: string, nowMs: number): Promise<void> {
  await saveState(tx, ADDING_PREFIX + roomId, '', nowMs)
}

/** The ids of the rooms that new member accounts join. */
export async function listDefaultRooms(tx: Tx): Promise<string[]> {
  const rooms = await tx
    .selectFrom('rooms')
    .select('id')
    .where('is_default', '=', 1)
    .where('archived_at', 'is', null)
    .orderBy('id')
    .execute()
  return rooms.map(({ id }) => id)
}

/** Makes a new member account a member of the default rooms (R36.3). Returns the events to publish. */
export async function joinDefaultRooms(tx: Tx, userId: string, nowMs: number): Promise<ClusterEvent[]> {
  const events: ClusterEvent[] = []
  for (const id of await listDefaultRooms(tx)) {
    const room = await lockRoom(tx, id)
    const person = room && (await findKnownPerson(tx, id, userId, nowMs))
    if (!person || !isJoined(room)) continue
    events.push(...(await assignRole(tx, { room, person, role: room.default_role, nowMs })).events)
  }
  return events
}

/** Whether accounts join the room by themselves. An archived default room waits. */
function isJoined({ is_default, archived_at }: RoomRow): boolean {
  return is_default === 1 && archived_at === null
}

/**
 * Adds the next accounts to a default room, as a job, except those who left it by choice or are
 * banned. What was added before the service was killed stays added.
 */
export async function addEveryone(tx: Tx, nowMs: number): Promise<JobResult> {
  const first = await findFirstState(tx, ADDING_PREFIX)
  if (!first) return undefined
  const roomId = first.key.slice(ADDING_PREFIX.length)
  const room = await lockRoom(tx, roomId)
  // Another node may have added them while this one waited for the room.
  const state = await findFirstState(tx, first.key)
  if (!state) return 'more'
  const candidates = room && isJoined(room) ? await listOutsiders(tx, room, state.value, nowMs) : []
  const last = candidates.at(-1)
  if (!room || last === undefined) {
    await tx.deleteFrom('platform_state').where('key', '=', first.key).execute()
    return 'more'
  }
  await saveState(tx, first.key, last, nowMs)
  return { events: await addMembers(tx, room, candidates, nowMs), isMore: true }
}

/** Member accounts after this id that are to be added. */
async function listOutsiders(tx: Tx, room: RoomRow, after: string, nowMs: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('users')
    .select('users.id')
    .where('users.id', '>', after)
    .where('users.id', 'is distinct from', room.owner_id)
    .where('users.is_guest', '=', 0)
    .where((eb) =>
      eb.not(
        eb.or([
          eb.exists(
            eb
              .selectFrom('room_members')
              .select('room_members.role')
              .where('room_members.room_id', '=', room.id)
              .whereRef('room_members.user_id', '=', 'users.id'),
          ),
          eb.exists(
            eb
              .selectFrom('room_user_states')
              .select('room_user_states.left_at')
              .where('room_user_states.room_id', '=', room.id)
              .whereRef('room_user_states.user_id', '=', 'users.id')
              .where('room_user_states.left_at', 'is not', null),
          ),
          eb.exists(
            eb
              .selectFrom('room_bans')
              .select('room_bans.kind')
              .where('room_bans.room_id', '=', room.id)
              .whereRef('room_bans.user_id', '=', 'users.id')
              .where(isLiveBan(nowMs)),
          ),
        ]),
      ),
    )
    .orderBy('users.id')
    .limit(BATCH_SIZE)
    .execute()
  return rows.map(({ id }) => id)
}

async function addMembers(
  tx: Tx,
  room: RoomRow,
  candidates: readonly string[],
  nowMs: number,
): Promise<ClusterEvent[]> {
  const { id: roomId, default_role: role, last_seq: joined_seq } = room
  // Against their erasure, in ascending order.
  for (const id of candidates) await lockAccount(tx, id)
  const accounts = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', candidates)
    .where(isAccount())
    .execute()
  if (accounts.length === 0) return []
  await tx
    .insertInto('room_members')
    .values(
      accounts.map(({ id: user_id }) => ({ room_id: roomId, user_id, role, joined_at: nowMs, joined_seq })),
    )
    .execute()
  const data = { count: accounts.length }
  const event = await appendEvent(tx, { roomId, event: 'members.added', data, nowMs })
  return [{ kind: 'event', roomId, event }, ...roleChangeEvents(roomId)]
}
