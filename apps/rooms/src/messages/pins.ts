import { type Context, operation } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { RoomEvent } from '../api/cluster-events.ts'
import { CHANGE_REFUSALS, ENTRY_REFUSALS, admitReader, requirePermission } from '../rooms/admission.ts'
import { auditRoom } from '../rooms/audit.ts'
import { RoomParams } from '../rooms/schema.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { type MessageAccess, type MessageKey, appendMessageEvent, lockMessage } from './change.ts'
import { MessageParams, PinQuery, Pins } from './schema.ts'
import { countPinned, findPinned, setPinnedSeq } from './store.ts'
import { isReadable, readerOf, viewMessages } from './view.ts'

const tag = 'Messages'
const path = '/rooms/{id}/messages/{messageId}/pin'

const listPins = operation({
  id: 'listPins',
  methods: ['GET'],
  path: '/rooms/{id}/pins',
  scope: 'session',
  tag,
  summary: 'List the pinned messages of a room',
  params: RoomParams,
  query: PinQuery,
  result: Pins,
  failures: ENTRY_REFUSALS,
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    const reader = readerOf(access, context.now)
    const { read } = context.database
    const { limit, cursor } = query
    const pinned = await findPinned(read, params.id, cursor, limit + 1)
    const rows = pinned.slice(0, limit)
    const last = pinned.length > limit ? rows.at(-1) : undefined
    const messages = await viewMessages(
      read,
      reader,
      rows.filter((row) => isReadable(row, reader)),
    )
    return { messages, nextCursor: last ? String(last.pinned_seq) : null }
  },
})

const pinMessage = operation({
  id: 'pinMessage',
  methods: ['PUT'],
  path,
  scope: 'session',
  tag,
  summary: 'Pin a message, as a moderator',
  params: MessageParams,
  result: Success,
  failures: [...CHANGE_REFUSALS, 'archived', 'deleted', 'too_many_pins'],
  handler: (context, { params }) => setPin(context, params, true),
})

const unpinMessage = operation({
  id: 'unpinMessage',
  methods: ['DELETE'],
  path,
  scope: 'session',
  tag,
  summary: 'Unpin a message, as a moderator',
  params: MessageParams,
  result: Success,
  failures: [...CHANGE_REFUSALS, 'archived', 'deleted'],
  handler: (context, { params }) => setPin(context, params, false),
})

async function setPin(context: Context, params: MessageKey, isPinned: boolean): Promise<typeof SUCCESS> {
  const event = await context.database.write(async (tx) => {
    const target = await lockMessage(tx, context, params, ({ access }) =>
      requirePermission('pin_message', access),
    )
    if ((target.message.pinned_seq !== null) === isPinned) return undefined
    return storePin(tx, context, target, isPinned)
  })
  if (event) context.publish({ kind: 'event', roomId: params.id, event })
  return SUCCESS
}

async function storePin(
  tx: Tx,
  context: Context,
  target: MessageAccess,
  isPinned: boolean,
): Promise<RoomEvent> {
  const { roomId, userId } = target.access
  const { id: messageId } = target.message
  if (isPinned && (await countPinned(tx, roomId)) >= context.policy.limits.pins_room)
    throw failure('too_many_pins')
  const event = await appendMessageEvent(tx, target, {
    event: isPinned ? 'message.pinned' : 'message.unpinned',
    data: { by: userId },
    nowMs: context.now,
  })
  await setPinnedSeq(tx, messageId, isPinned ? event.seq : null)
  const action = isPinned ? 'room.message.pin' : 'room.message.unpin'
  if (target.access.kind === 'room') await auditRoom(tx, context, { action, roomId, metadata: { messageId } })
  return event
}

export const pinOperations = [listPins, pinMessage, unpinMessage]
