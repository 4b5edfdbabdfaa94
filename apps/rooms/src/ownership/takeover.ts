import type { Transaction } from 'kysely'
import { auditAct } from '../audit/act.ts'
import { type Context, actorOf, operation } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import { holdGrants } from '../grants/store.ts'
import type { News } from '../news.ts'
import { findPage } from '../paging.ts'
import { entrantOf } from '../rooms/entry.ts'
import { lockRoom } from '../rooms/log.ts'
import { findStanding } from '../rooms/standing.ts'
import { lockAccount } from '../users/store.ts'
import { SUCCESS } from '../wire.ts'
import { handOver } from './handover.ts'
import {
  ManagedRoomPage,
  ManagedRoomQuery,
  TakenOver,
  Takeover,
  TakeoverParams,
  toManagedRoom,
} from './schema.ts'
import { listAllRooms } from './store.ts'

const tag = 'Administration'

const list = operation({
  id: 'listAllRooms',
  methods: ['GET'],
  path: '/admin/rooms',
  scope: 'admin',
  tag,
  summary: 'List or search all rooms, newest first',
  query: ManagedRoomQuery,
  result: ManagedRoomPage,
  async handler(context, { query: { q = '', ...page } }) {
    // Leafing through what was found is no new search.
    if (q !== '' && page.cursor === undefined)
      context.rates.take('search_per_minute', actorOf(context).user.id)
    const { rows, nextCursor } = await findPage(['all rooms', q], page, (after, limit) =>
      listAllRooms(context.database, { q, nowMs: context.now }, after, limit),
    )
    return { rooms: rows.map(toManagedRoom), nextCursor }
  },
})

const takeOver = operation({
  id: 'takeOverRoom',
  methods: ['POST'],
  path: '/admin/rooms/{roomId}/takeover',
  scope: 'admin',
  tag,
  summary: 'Take over a room with a stated reason; its owner becomes a moderator',
  params: TakeoverParams,
  body: Takeover,
  result: TakenOver,
  failures: ['not_found'],
  async handler(context, { params: { roomId }, body: { reason } }) {
    const { told, previousOwnerId } = await context.database.write((tx) =>
      takeRoom(tx, context, roomId, reason),
    )
    for (const news of told) context.tell(news)
    return { ...SUCCESS, ownerId: actorOf(context).user.id, previousOwnerId }
  },
})

async function takeRoom(
  tx: Transaction<Tables>,
  context: Context,
  roomId: string,
  reason: string,
): Promise<{ told: News[]; previousOwnerId: string }> {
  const room = await lockRoom(tx, roomId)
  await lockAccount(tx, actorOf(context).user.id)
  const standing = room && (await findStanding(tx, roomId, entrantOf(context)))
  if (!room || !standing) throw failure('not_found')
  // Whoever has lost the right since the request began takes nothing.
  if (!standing.isAdmin || !(await holdGrants(tx, standing.userId, 'platform_admin')))
    throw failure('forbidden')
  const { userId } = standing
  const previousOwnerId = room.owner_id
  if (previousOwnerId === userId) return { told: [], previousOwnerId }
  // However many rooms the administrator owns already: this is how rooms without a responsible owner are helped.
  const told = await handOver(tx, { room, toUserId: userId, nowMs: context.now })
  const target = { type: 'room', id: roomId }
  const metadata = { reason, previousOwnerId }
  await auditAct(tx, context, { action: 'admin.room.takeover', target, metadata })
  return { told, previousOwnerId }
}

export const takeoverOperations = [list, takeOver]
