import type { Transaction } from 'kysely'
import { z } from 'zod'
import { codePoints } from '@latchkey/http/text'
import { type Context, actorOf, operation } from '../context.ts'
import type { RoomMessageRow, Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import type { RoomEvent } from '../cluster-events.ts'
import { auditRoom } from '../rooms/audit.ts'
import {
  CHANGE_REFUSALS,
  ENTRY_REFUSALS,
  VISIT_REFUSALS,
  admit,
  admitReader,
  entrantOf,
  refusalOf,
  requirePermission,
} from '../rooms/admission.ts'
import { retainedAfterMs, readableAfterSeq } from '../rooms/history.ts'
import { appendEvent, lockRoom, nextSeq, putEvent } from '../rooms/log.ts'
import { deletedUserName } from '../rooms/nickname.ts'
import { RoomParams } from '../rooms/schema.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { SUCCESS, Success } from '../wire.ts'
import { listRoomEvents } from './events.ts'
import {
  type MessageWithAuthor,
  Message,
  MessagePage,
  MessageParams,
  MessageQuery,
  NewMessage,
  toMessage,
} from './schema.ts'
import {
  markMessageDeleted,
  findUserDisplay,
  findMessage,
  findByClientId,
  insertMessage,
  withAuthor,
  listMessages,
} from './store.ts'

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
    const { database, now } = context
    const readable = {
      roomId: access.roomId,
      afterSeq: readableAfterSeq(access),
      retainedAfterMs: retainedAfterMs(access.room, now),
    }
    const page = { before: query.cursor, limit: query.limit + 1 }
    const rows = await listMessages(database.read, readable, page)
    const messages = rows.slice(0, query.limit).toReversed().map(toMessage)
    const oldest = messages[0]
    return { messages, nextCursor: rows.length > query.limit && oldest ? String(oldest.seq) : null }
  },
})

/**
 * Result of a post. A message with a `clientId` is stored once, however often it is sent (R28.27).
 */
interface PostResult {
  message: Message
  /** Undefined if the message was already stored. */
  event?: RoomEvent
}

const post = operation({
  id: 'postMessage',
  methods: ['POST'],
  path: '/rooms/{id}/messages',
  scope: 'session',
  tag,
  summary: 'Create a message',
  params: RoomParams,
  body: NewMessage,
  result: z.object({ message: Message }),
  status: 201,
  otherStatus: {
    status: 200,
    description: 'The message that is already stored for this `clientId`',
  },
  failures: VISIT_REFUSALS,
  async handler(context, { params, body }): Promise<PostResult> {
    const { user } = actorOf(context)
    const { limits } = context.policy
    const [maxLength, rate] =
      user.is_guest === 1
        ? ([limits.guest_message_length, 'guest_messages_per_10s'] as const)
        : ([limits.message_length, 'messages_per_10s'] as const)
    if (codePoints(body.content) > maxLength)
      throw failure('invalid_request', {
        text: `content: must have at most ${maxLength} characters`,
        fields: [{ path: 'content', code: 'too_big' }],
      })
    const duplicate = await findDuplicate(context, params.id, body.clientId)
    if (duplicate) return { message: toMessage(duplicate) }
    context.rates.take(rate, user.id)
    return createMessage(context, params.id, body)
  },
  answer: ({ message, event }) => ({ status: event ? 201 : 200, body: { message } }),
})

/** Precedes the rate limit: a repeated request does not count as a new message. */
async function findDuplicate(
  context: Context,
  roomId: string,
  clientId: string | undefined,
): Promise<MessageWithAuthor | undefined> {
  if (clientId === undefined) return undefined
  const userId = actorOf(context).user.id
  const sent = await findByClientId(context.database.read, { roomId, userId, clientId })
  if (sent) await admitReader(context, roomId)
  return sent
}

/** Rolls back a transaction whose message another request has stored meanwhile. */
class DuplicateMessage extends Error {}

async function createMessage(
  context: Context,
  roomId: string,
  { content, clientId }: z.output<typeof NewMessage>,
): Promise<PostResult> {
  const { user } = actorOf(context)
  const { database } = context
  const row = {
    id: crypto.randomUUID(),
    room_id: roomId,
    user_id: user.id,
    // Shown after the account is deleted. Until then, the name is read from the account.
    author_name: deletedUserName(user.id),
    author_guest: user.is_guest,
    content,
    client_id: clientId ?? null,
    created_at: context.now,
    deleted_at: null,
    deleted_by: null,
  }
  try {
    // Outside the transaction, for which all other authors in this room wait.
    const display = findUserDisplay(database.read, roomId, user.id)
    // A rejection is handled after the message is stored.
    display.catch(() => {})
    const stored = await database.write((tx) => appendMessage(tx, context, row))
    // A lost connection must suppress neither the event nor the response of a stored message.
    const author = await display
      .catch(() => findUserDisplay(database.read, roomId, user.id))
      .catch(() => ({ nickname: user.nickname, avatar_color: user.avatar_color, role: null }))
    if (!author) throw failure('not_found')
    const message = toMessage(withAuthor({ ...row, seq: stored.seq }, author))
    const event = { ...stored, data: { message } }
    context.publish({ kind: 'event', roomId, event })
    return { message, event }
  } catch (error) {
    const sent = error instanceof DuplicateMessage && (await findDuplicate(context, roomId, clientId))
    if (!sent) throw error
    return { message: toMessage(sent) }
  }
}

/**
 * Messages of a room are stored one after the other. This transaction therefore runs as few
 * statements as possible.
 */
async function appendMessage(
  tx: Transaction<Tables>,
  context: Context,
  row: Omit<RoomMessageRow, 'seq'>,
): Promise<RoomEvent> {
  const { id: messageId, room_id: roomId } = row
  const seq = await nextSeq(tx, roomId)
  if (seq === undefined) throw failure('not_found')
  await admit(tx, roomId, entrantOf(context))
  if (!(await insertMessage(tx, { ...row, seq }))) throw new DuplicateMessage()
  // The log holds only the id: a message can be deleted, a sequence number cannot.
  return putEvent(tx, seq, { roomId, event: 'message.created', data: { messageId }, nowMs: context.now })
}

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
      if (!isReadable(message, access, context.now)) throw refusalOf(access, 'not_found')
      return deleteMessage(tx, context, message, access)
    })
    if (event) context.publish({ kind: 'event', roomId, event })
    return SUCCESS
  },
})

/** Authors may delete their own messages, whatever they may read of the room. */
function isReadable(
  { user_id, seq, created_at }: MessageWithAuthor,
  access: UserRoomAccess,
  nowMs: number,
): boolean {
  if (user_id === access.userId) return true
  return seq > readableAfterSeq(access) && created_at > retainedAfterMs(access.room, nowMs)
}

async function deleteMessage(
  tx: Transaction<Tables>,
  context: Context,
  message: MessageWithAuthor,
  access: UserRoomAccess,
): Promise<RoomEvent | undefined> {
  const { userId, roomId } = access
  if (message.user_id !== userId) requirePermission('delete_any_message', access)
  const { now: nowMs } = context
  if (!(await markMessageDeleted(tx, { id: message.id, deletedBy: userId, nowMs }))) return undefined
  const metadata = { messageId: message.id, authorUserId: message.user_id }
  await auditRoom(tx, context, { action: 'room.message.delete', roomId, metadata })
  const data = { messageId: message.id, deletedBy: userId }
  return appendEvent(tx, { roomId, event: 'message.deleted', data, nowMs })
}

export const messageOperations = [list, post, remove, listRoomEvents]
