import { DAY_MS } from '@latchkey/http/duration'
import { type Context, operation } from '../../api/context.ts'
import type { RoomOwnershipTransferRow, Tx } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import type { ClusterEvent } from '../../api/cluster-events.ts'
import { PageQuery, findPage } from '../../api/paging.ts'
import { auditRoom } from '../../rooms/audit.ts'
import { CHANGE_REFUSALS, authorizeInRoom, requireOpen } from '../../rooms/admission.ts'
import { lockRoom } from '../../rooms/room-events.ts'
import { RoomParams } from '../../rooms/schema.ts'
import { findRoomAccess } from '../../rooms/access-store.ts'
import { countOwnedRooms } from '../../rooms/store.ts'
import { lockAccount } from '../../users/store.ts'
import { SUCCESS, Success } from '../../api/wire.ts'
import { handOver } from './handover.ts'
import { NewOwner, PendingTransfers, TransferAnswer, toPendingTransfer, toTransfer } from './schema.ts'
import { insertTransfer, listTransfers } from './store.ts'
import { takeoverOperations } from './takeover.ts'
import { deleteTransfer, findTransfer, transferEndedEvents } from './transfers.ts'
import { ownerOf } from './owner.ts'

const tag = 'Ownership'
const OFFER_LIFETIME_MS = DAY_MS

const requestTransfer = operation({
  id: 'requestTransfer',
  methods: ['POST'],
  path: '/rooms/{id}/ownership-transfer',
  scope: 'session',
  tag,
  summary: 'Offer a room to one of its members for 24 hours, replacing any earlier offer',
  params: RoomParams,
  body: NewOwner,
  result: TransferAnswer,
  status: 201,
  failures: [...CHANGE_REFUSALS, 'archived', 'target_is_owner'],
  async handler(context, { params, body }) {
    const { transfer, events } = await context.database.write((tx) =>
      offer(tx, context, params.id, body.userId),
    )
    for (const event of events) context.publish(event)
    return { transfer: toTransfer(transfer) }
  },
})

async function offer(
  tx: Tx,
  context: Context,
  roomId: string,
  toUserId: string,
): Promise<{ transfer: RoomOwnershipTransferRow; events: ClusterEvent[] }> {
  const { room } = await authorizeInRoom(tx, context, roomId, 'change_room')
  requireOpen(room)
  const { now: nowMs } = context
  await lockAccount(tx, toUserId)
  const recipient = await findRoomAccess(tx, roomId, { userId: toUserId, clientPrefix: null, nowMs })
  if (recipient?.role === 'owner') throw failure('target_is_owner')
  if (!recipient || recipient.isGuest || recipient.role === null) throw failure('not_found')
  const before = await deleteTransfer(tx, roomId)
  const transfer = await insertTransfer(tx, {
    room_id: roomId,
    from_user_id: ownerOf(room),
    to_user_id: toUserId,
    expires_at: nowMs + OFFER_LIFETIME_MS,
    created_at: nowMs,
  })
  await auditRoom(tx, context, { action: 'room.ownership.request', roomId, metadata: { to: toUserId } })
  const [named] = await listTransfers(tx, { userId: toUserId, roomId, nowMs }, undefined, 1)
  const data = { transfer: named ? toPendingTransfer(named) : toTransfer(transfer) }
  return {
    transfer,
    events: [
      ...(before && before.to_user_id !== toUserId ? transferEndedEvents(before) : []),
      { kind: 'notice', userId: toUserId, notice: 'transfer', data },
    ],
  }
}

const cancelTransfer = operation({
  id: 'cancelTransfer',
  methods: ['DELETE'],
  path: '/rooms/{id}/ownership-transfer',
  scope: 'session',
  tag,
  summary: 'Withdraw the offer of a room',
  params: RoomParams,
  result: Success,
  failures: CHANGE_REFUSALS,
  async handler(context, { params: { id: roomId } }) {
    const ended = await context.database.write(async (tx) => {
      await authorizeInRoom(tx, context, roomId, 'change_room')
      return end(tx, context, { roomId, action: 'cancel' })
    })
    for (const event of transferEndedEvents(ended)) context.publish(event)
    return SUCCESS
  },
})

const declineTransfer = operation({
  id: 'declineTransfer',
  methods: ['POST'],
  path: '/rooms/{id}/ownership-transfer/decline',
  scope: 'member',
  tag,
  summary: 'Decline the offer of a room',
  params: RoomParams,
  result: Success,
  failures: ['not_found'],
  async handler(context, { params: { id: roomId } }) {
    const userId = context.actor.user.id
    const ended = await context.database.write(async (tx) => {
      await lockRoom(tx, roomId)
      return end(tx, context, { roomId, action: 'decline', toUserId: userId })
    })
    for (const event of transferEndedEvents(ended)) context.publish(event)
    return SUCCESS
  },
})

async function end(
  tx: Tx,
  context: Context,
  { roomId, action, toUserId }: { roomId: string; action: 'cancel' | 'decline'; toUserId?: string },
): Promise<RoomOwnershipTransferRow> {
  const live = await findTransfer(tx, roomId, context.now)
  if (!live || (toUserId !== undefined && live.to_user_id !== toUserId)) throw failure('not_found')
  await deleteTransfer(tx, roomId)
  const metadata = { from: live.from_user_id, to: live.to_user_id }
  await auditRoom(tx, context, { action: `room.ownership.${action}`, roomId, metadata })
  return live
}

const confirmTransfer = operation({
  id: 'confirmTransfer',
  methods: ['POST'],
  path: '/rooms/{id}/ownership-transfer/confirm',
  scope: 'member',
  tag,
  summary: 'Accept the offer of a room; its owner becomes a moderator',
  params: RoomParams,
  result: Success,
  failures: ['not_found', 'archived', 'transfer_changed', 'limit_reached'],
  async handler(context, { params: { id: roomId } }) {
    const { database, now } = context
    const expected = await findTransfer(database.read, roomId, now)
    if (expected?.to_user_id !== context.actor.user.id) throw failure('not_found')
    const events = await database.write((tx) => confirmExpected(tx, context, expected))
    for (const event of events) context.publish(event)
    return SUCCESS
  },
})

/**
 * Repeats the checks with the room locked: of two concurrent decisions about a transfer, only one
 * succeeds (R27.3).
 */
async function confirmExpected(
  tx: Tx,
  context: Context,
  expected: RoomOwnershipTransferRow,
): Promise<ClusterEvent[]> {
  const { room_id: roomId, from_user_id: from, to_user_id: to } = expected
  const { now: nowMs, policy } = context
  const room = await lockRoom(tx, roomId)
  if (!room) throw failure('not_found')
  const live = await findTransfer(tx, roomId, nowMs)
  const isSame = live?.to_user_id === to && live.created_at === expected.created_at
  if (!isSame || live.from_user_id !== room.owner_id) throw failure('transfer_changed')
  requireOpen(room)
  const owned = await countOwnedRooms(tx, to)
  // Read after the account is locked: it may just have been erased.
  const access = await findRoomAccess(tx, roomId, context.entrant)
  if (!access || access.role === null) throw failure('not_found')
  if (owned >= policy.limits.rooms_owned) throw failure('limit_reached')
  const events = await handOver(tx, { room, toUserId: to, nowMs })
  await auditRoom(tx, context, { action: 'room.ownership.transfer', roomId, metadata: { from, to } })
  return events
}

const listPendingTransfers = operation({
  id: 'listPendingTransfers',
  methods: ['GET'],
  path: '/room-ownership-transfers/pending',
  scope: 'member',
  tag,
  summary: 'List the rooms offered to you or by you, newest first',
  query: PageQuery,
  result: PendingTransfers,
  async handler(context, { query }) {
    const filter = { userId: context.actor.user.id, nowMs: context.now }
    const { rows, nextCursor } = await findPage(['transfers', filter.userId], query, (after, limit) =>
      listTransfers(context.database.read, filter, after, limit),
    )
    return { transfers: rows.map(toPendingTransfer), nextCursor }
  },
})

export const ownershipOperations = [
  requestTransfer,
  cancelTransfer,
  declineTransfer,
  confirmTransfer,
  listPendingTransfers,
  ...takeoverOperations,
]
