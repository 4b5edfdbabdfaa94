import { type Context, operation } from '../api/context.ts'
import type { RoomMessageRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { RoomEvent } from '../api/cluster-events.ts'
import { auditRoom } from '../rooms/audit.ts'
import { CHANGE_REFUSALS, admit, refusalOf, requirePermission } from '../rooms/admission.ts'
import { appendEvent, lockRoom } from '../rooms/room-events.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { editOperations } from './edit.ts'
import { listRoomEvents } from './events.ts'
import { listMessages } from './list.ts'
import { pinOperations } from './pins.ts'
import { postMessage } from './post.ts'
import { reactionOperations } from './reactions.ts'
import { MessageParams } from './schema.ts'
import { findMessage, markMessageDeleted } from './store.ts'
import { isReadable, readerOf } from './view.ts'

const tag = 'Messages'

const deleteMessage = operation({
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
      await lockRoom(tx, roomId)
      const access = await admit(tx, roomId, context.entrant)
      const message = await findMessage(tx, roomId, messageId)
      if (!message) throw failure('not_found')
      // Authors may delete their own messages, whatever they may read of the room.
      const isOwn = message.user_id === access.userId
      if (!isOwn && !isReadable(message, readerOf(access, context.now))) throw refusalOf(access, 'not_found')
      return removeMessage(tx, context, message, access)
    })
    if (event) context.publish({ kind: 'event', roomId, event })
    return SUCCESS
  },
})

async function removeMessage(
  tx: Tx,
  context: Context,
  message: RoomMessageRow,
  access: UserRoomAccess,
): Promise<RoomEvent | undefined> {
  const { userId, roomId } = access
  if (message.user_id !== userId) requirePermission('delete_any_message', access)
  const { now: nowMs } = context
  if (message.deleted_at !== null) return undefined
  await markMessageDeleted(tx, { id: message.id, deletedBy: userId, nowMs })
  const metadata = {
    messageId: message.id,
    authorUserId: message.user_id,
    ...(message.file_count !== null && { files: message.file_count }),
  }
  if (access.kind === 'room')
    await auditRoom(tx, context, { action: 'room.message.delete', roomId, metadata })
  const data = { messageId: message.id, deletedBy: userId }
  return appendEvent(tx, { roomId, event: 'message.deleted', data, nowMs })
}

export const messageOperations = [
  listMessages,
  postMessage,
  ...editOperations,
  deleteMessage,
  ...reactionOperations,
  ...pinOperations,
  listRoomEvents,
]
