import { auditAct } from '../../audit/act.ts'
import { type Context, operation } from '../../api/context.ts'
import type { Tx } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import { lockGrantsOf } from '../../grants/store.ts'
import type { ClusterEvent } from '../../api/cluster-events.ts'
import { findPage } from '../../api/paging.ts'
import { lockRoom } from '../../rooms/room-events.ts'
import { findRoomAccess } from '../../rooms/access-store.ts'
import { lockAccount } from '../../users/store.ts'
import { SUCCESS } from '../../api/wire.ts'
import { handOver } from './handover.ts'
import {
  ManagedRoomPage,
  ManagedRoomQuery,
  TakeoverAnswer,
  Takeover,
  TakeoverParams,
  toManagedRoom,
} from './schema.ts'
import { selectAllRooms } from './store.ts'
import { ownerOf } from './owner.ts'

const tag = 'Administration'

const listAllRooms = operation({
  id: 'listAllRooms',
  methods: ['GET'],
  path: '/admin/rooms',
  scope: 'admin',
  tag,
  summary: 'List or search all rooms, newest first',
  query: ManagedRoomQuery,
  result: ManagedRoomPage,
  async handler(context, { query: { q = '', ...page } }) {
    // Further pages do not count as a new search.
    if (q !== '' && page.cursor === undefined) context.rates.take('search_per_minute', context.actor.user.id)
    const { rows, nextCursor } = await findPage(['all rooms', q], page, (after, limit) =>
      selectAllRooms(context.database, { q, nowMs: context.now }, after, limit),
    )
    return { rooms: rows.map(toManagedRoom), nextCursor }
  },
})

const takeOverRoom = operation({
  id: 'takeOverRoom',
  methods: ['POST'],
  path: '/admin/rooms/{roomId}/takeover',
  scope: 'admin',
  tag,
  summary: 'Take over a room with a stated reason; its owner becomes a moderator',
  params: TakeoverParams,
  body: Takeover,
  result: TakeoverAnswer,
  failures: ['not_found'],
  async handler(context, { params: { roomId }, body: { reason } }) {
    const { events, previousOwnerId } = await context.database.write((tx) =>
      takeRoom(tx, context, roomId, reason),
    )
    for (const event of events) context.publish(event)
    return { ...SUCCESS, ownerId: context.actor.user.id, previousOwnerId }
  },
})

async function takeRoom(
  tx: Tx,
  context: Context,
  roomId: string,
  reason: string,
): Promise<{ events: ClusterEvent[]; previousOwnerId: string }> {
  const room = await lockRoom(tx, roomId)
  await lockAccount(tx, context.actor.user.id)
  const access = await findRoomAccess(tx, roomId, context.entrant)
  if (!room || !access || access.kind === 'direct') throw failure('not_found')
  // The right may have been revoked since the request began.
  if (!access.isAdmin || !(await lockGrantsOf(tx, access.userId, 'platform_admin')))
    throw failure('forbidden')
  const { userId } = access
  const previousOwnerId = ownerOf(room)
  if (previousOwnerId === userId) return { events: [], previousOwnerId }
  // The limit of owned rooms does not apply: a takeover helps rooms without a responsible owner.
  const events = await handOver(tx, { room, toUserId: userId, nowMs: context.now })
  const target = { type: 'room', id: roomId }
  const metadata = { reason, previousOwnerId }
  await auditAct(tx, context, { action: 'admin.room.takeover', target, metadata })
  return { events, previousOwnerId }
}

export const takeoverOperations = [listAllRooms, takeOverRoom]
