import { z } from 'zod'
import { auditAct } from '../audit/act.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import type { Tx } from '../db/tables.ts'
import { appendSettingsEvent } from '../lobby/settings-event.ts'
import { addEveryoneTo } from '../members/default-rooms.ts'
import { saveState } from '../platform/store.ts'
import { requireOpen } from '../rooms/admission.ts'
import { lockRoom } from '../rooms/room-events.ts'
import { RoomParams } from '../rooms/schema.ts'
import { countDefaultRooms, updateRoom } from '../rooms/store.ts'
import { requireAdmin } from './own-session.ts'

const tag = 'Administration'
const path = '/admin/rooms/{id}/default'

const DefaultRoom = z.object({
  everyone: z.boolean().default(false).meta({
    description:
      'Adds all existing member accounts too, in the background: not those who left the room, or are banned from it.',
  }),
})

const markDefaultRoom = operation({
  id: 'markDefaultRoom',
  methods: ['PUT'],
  path,
  scope: 'admin',
  tag,
  summary: 'Have new member accounts join a public room at their first sign-in',
  params: RoomParams,
  body: DefaultRoom,
  result: Success,
  failures: ['not_found', 'archived', 'room_not_public', 'limit_reached'],
  handler: (context, { params, body }) => setDefault(context, params.id, true, body.everyone),
})

const unmarkDefaultRoom = operation({
  id: 'unmarkDefaultRoom',
  methods: ['DELETE'],
  path,
  scope: 'admin',
  tag,
  summary: 'No longer have new member accounts join a room; its members stay',
  params: RoomParams,
  result: Success,
  failures: ['not_found'],
  handler: (context, { params }) => setDefault(context, params.id, false),
})

async function setDefault(
  context: Context,
  roomId: string,
  isDefault: boolean,
  hasEveryone = false,
): Promise<typeof SUCCESS> {
  const events = await context.database.write((tx) => mark(tx, context, { roomId, isDefault, hasEveryone }))
  for (const event of events) context.publish(event)
  return SUCCESS
}

async function mark(
  tx: Tx,
  context: Context,
  { roomId, isDefault, hasEveryone }: { roomId: string; isDefault: boolean; hasEveryone: boolean },
): Promise<ClusterEvent[]> {
  const room = await lockRoom(tx, roomId)
  await requireAdmin(tx, context)
  if (room?.kind !== 'room') throw failure('not_found')
  const hasChanged = (room.is_default === 1) !== isDefault
  if (isDefault) requireOpen(room)
  if (isDefault && room.visibility !== 'public') throw failure('room_not_public')
  if (isDefault && hasChanged) await requireDefaultCapacity(tx, context)
  if (hasEveryone) await addEveryoneTo(tx, roomId, context.now)
  if (hasChanged || hasEveryone)
    await auditAct(tx, context, {
      action: 'admin.room.default',
      target: { type: 'room', id: roomId },
      metadata: { default: isDefault, everyone: hasEveryone },
    })
  if (!hasChanged) return []
  const updated = await updateRoom(tx, room, { is_default: isDefault ? 1 : 0 })
  const { event } = await appendSettingsEvent(tx, context, updated, ['default'])
  return [event, { kind: 'lobby', roomId }]
}

async function requireDefaultCapacity(tx: Tx, { policy, now }: Context): Promise<void> {
  // The second of two at the same time counts the first.
  await saveState(tx, 'default-rooms', '', now)
  if ((await countDefaultRooms(tx)) >= policy.limits.default_rooms) throw failure('limit_reached')
}

export const defaultRoomOperations = [markDefaultRoom, unmarkDefaultRoom]
