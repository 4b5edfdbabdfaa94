import type { Transaction } from 'kysely'
import { type Context, operation } from '../context.ts'
import type { RoomMessageRow, Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import type { RoomEvent } from '../cluster-events.ts'
import { auditRoom } from '../rooms/audit.ts'
import {
  CHANGE_REFUSALS,
  ENTRY_REFUSALS,
  admit,
  admitReader,
  entrantOf,
  refusalOf,
  requirePermission,
} from '../rooms/admission.ts'
import { appendEvent, lockRoom } from '../rooms/log.ts'
import { RoomParams } from '../rooms/schema.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { SUCCESS, Success } from '../wire.ts'
import { editOperations } from './edit.ts'
import { listRoomEvents } from './events.ts'
import { pinOperations } from './pins.ts'
import { postMessage } from './post.ts'
import { reactionOperations } from './reactions.ts'
import { MessagePage, MessageParams, MessageQuery } from './schema.ts'
import { findMessage, listMessages, markMessageDeleted } from './store.ts'
import { isReadable, readerOf, viewMessages } from './view.ts'

const tag = 'Messages'

const list = operation({
  id: 'listMessages',
  methods: ['GET'],
  path: '/rooms/{id}/messages',
  scope: 'session',
  tag,
  summary: 'Read messages: the newest page, then older ones',
  params: RoomParams,
  query: MessageQuery,
  result: MessagePage,
  failures: ENTRY_REFUSALS,
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    const { read } = context.database
    const reader = readerOf(access, context.now)
    const rows = await listMessages(read, reader, { before: query.cursor, limit: query.limit + 1 })
    const messages = await viewMessages(read, reader, rows.slice(0, query.limit).toReversed())
    const oldest = messages[0]
    return { messages, nextCursor: rows.length > query.limit && oldest ? String(oldest.seq) : null }
  },
})

const remove = operation({
  id: 'deleteMessage',
  methods: ['DELETE'],
  path: '/rooms/{id}/messages/{messageId}',
  scope: 'session',
  tag,
  summary: 'Delete your own message, or any message as a moderator; a placeholder remains',
  params: MessageParams,
  result: Success,
  failures: CHANGE_REFUSALS,
  async handler(context, { params }) {
    const { id: roomId, messageId } = params
    const event = await context.database.write(async (tx) => {
      if (!(await lockRoom(tx, roomId))) throw failure('not_found')
      const access = await admit(tx, roomId, entrantOf(context))
      const message = await findMessage(tx, roomId, messageId)
      if (!message) throw failure('not_found')
      // Authors may delete their own messages, whatever they may read of the room.
      const isOwn = message.user_id === access.userId
      if (!isOwn && !isReadable(message, readerOf(access, context.now))) throw refusalOf(access, 'not_found')
      return deleteMessage(tx, context, message, access)
    })
    if (event) context.publish({ kind: 'event', roomId, event })
    return SUCCESS
  },
})

async function deleteMessage(
  tx: Transaction<Tables>,
  context: Context,
  message: RoomMessageRow,
  access: UserRoomAccess,
): Promise<RoomEvent | undefined> {
  const { userId, roomId } = access
  if (message.user_id !== userId) requirePermission('delete_any_message', access)
  const { now: nowMs } = context
  if (message.deleted_at !== null) return undefined
  await markMessageDeleted(tx, { id: message.id, deletedBy: userId, nowMs })
  const metadata = { messageId: message.id, authorUserId: message.user_id }
  await auditRoom(tx, context, { action: 'room.message.delete', roomId, metadata })
  const data = { messageId: message.id, deletedBy: userId }
  return appendEvent(tx, { roomId, event: 'message.deleted', data, nowMs })
}

export const messageOperations = [
  list,
  postMessage,
  ...editOperations,
  remove,
  ...reactionOperations,
  ...pinOperations,
  listRoomEvents,
]
