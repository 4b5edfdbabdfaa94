import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import type { RoomMessageRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { attachFiles } from '../files/attach.ts'
import type { ClusterEvent, RoomEvent } from '../api/cluster-events.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { messageLimitOf } from '../api/rates.ts'
import { joinAsMember, mayJoin } from '../members/joining.ts'
import { VISIT_REFUSALS, admitReader } from '../rooms/admission.ts'
import { nextSeqOfMessage, putEvent } from '../rooms/room-events.ts'
import { type UserDisplay, deletedUserName } from '../rooms/nickname.ts'
import { RoomParams } from '../rooms/schema.ts'
import { admitAuthor } from '../rooms/visits.ts'
import { findReadable, requireNotDeleted } from './change.ts'
import { requireContent, requireFileCount } from './content.ts'
import { requireLength } from '../rooms/message-length.ts'
import { visibilityOf } from './load-events.ts'
import { permittedGroup, storeMentions } from './mentions.ts'
import { showToEveryone } from '../rooms/hidden.ts'
import { type Message, MessageAnswer, NewMessage } from './schema.ts'
import { insertDocument, searchDocument } from './search/document.ts'
import { type NewMessageRow, findByClientId, findUserDisplay, insertMessage } from './store.ts'
import { loadRelations, readerOf, toMessage, viewMessage } from './view.ts'

/**
 * Result of a post. A message with a `clientId` is stored once, however often it is sent (R28.27).
 */
interface PostResult {
  message: Message
  /** Undefined if the message was already stored. */
  event?: RoomEvent
}

export const postMessage = operation({
  id: 'postMessage',
  methods: ['POST'],
  path: '/rooms/{id}/messages',
  scope: 'session',
  tag: 'Messages',
  summary: 'Create a message',
  params: RoomParams,
  body: NewMessage,
  result: MessageAnswer,
  status: 201,
  otherStatus: {
    status: 200,
    description: 'The message that is already stored for this `clientId`',
  },
  failures: [...VISIT_REFUSALS, 'archived', 'room_full', 'deleted'],
  async handler(context, { params, body }): Promise<PostResult> {
    const { user } = context.actor
    requireLength(context, body.content)
    requireContent(body.content, body.files.length)
    requireFileCount(context, body.files.length)
    const duplicate = await findDuplicate(context, params.id, body.clientId)
    if (duplicate) return { message: duplicate }
    context.rates.take(messageLimitOf(user), user.id)
    return createMessage(context, params.id, body)
  },
  answer: ({ message, event }) => ({ status: event ? 201 : 200, body: { message } }),
})

/** Precedes the rate limit: a repeated request does not count as a new message. */
async function findDuplicate(
  context: Context,
  roomId: string,
  clientId: string | undefined,
): Promise<Message | undefined> {
  if (clientId === undefined) return undefined
  const userId = context.actor.user.id
  const { read } = context.database
  const sent = await findByClientId(read, { roomId, userId, clientId })
  return sent && viewMessage(read, readerOf(await admitReader(context, roomId), context.now), sent)
}

/** Rolls back a transaction whose message another request has stored meanwhile. */
class DuplicateMessage extends Error {}

async function createMessage(
  context: Context,
  roomId: string,
  body: z.output<typeof NewMessage>,
): Promise<PostResult> {
  const { user } = context.actor
  const { database } = context
  const row = {
    id: crypto.randomUUID(),
    room_id: roomId,
    user_id: user.id,
    // Shown after the account is deleted. Until then, the name is read from the account.
    author_name: deletedUserName(user.id),
    author_guest: user.is_guest,
    content: body.content,
    client_id: body.clientId ?? null,
    created_at: context.now,
    reply_to: body.replyTo ?? null,
    file_count: body.files.length || null,
  }
  try {
    // Outside the transaction, for which all other authors in this room wait.
    const doc = searchDocument(row)
    const display = findUserDisplay(database.read, roomId, user.id)
    // A rejection is handled after the message is stored.
    display.catch(() => {})
    const stored = await context.writeInRoom(roomId, (tx) =>
      appendMessage(tx, context, row, { doc, fileIds: body.files }),
    )
    for (const event of stored.joined) context.publish(event)
    // A lost connection must suppress neither the event nor the response of a stored message.
    const author = await display
      .catch(() => findUserDisplay(database.read, roomId, user.id))
      .catch(() => ({ ...user, role: null }))
    if (!author) throw failure('not_found')
    // The name may have been read before the author joined.
    return publishMessage(context, stored, { ...author, role: stored.access.role })
  } catch (error) {
    const sent = error instanceof DuplicateMessage && (await findDuplicate(context, roomId, body.clientId))
    if (!sent) throw error
    return { message: sent }
  }
}

interface StoredMessage {
  message: RoomMessageRow
  event: RoomEvent
  original: RoomMessageRow | undefined
  access: UserRoomAccess
  /** Events of the membership that began with the message. */
  joined: readonly ClusterEvent[]
  /** True if the message shows only its own row and its author. */
  isPlain: boolean
}

/**
 * Messages of a room are stored one after the other. This transaction therefore runs as few
 * statements as possible.
 */
async function appendMessage(
  tx: Tx,
  context: Context,
  row: Omit<NewMessageRow, 'seq' | 'group_mention'>,
  { doc, fileIds }: { doc: string; fileIds: readonly string[] },
): Promise<StoredMessage> {
  const { id: messageId, room_id: roomId, reply_to } = row
  const { seq, access, joined } = await admitMessage(tx, context, roomId)
  const original = reply_to === null ? undefined : await findReadable(tx, access, reply_to, context.now)
  if (original) requireNotDeleted(original)
  const group_mention = permittedGroup(row.content, access)
  const message = await insertMessage(tx, { ...row, seq, group_mention })
  if (!message) throw new DuplicateMessage()
  await attachFiles(tx, message, fileIds, context.now)
  const hasMentions = await storeMentions(tx, context, message)
  await insertDocument(tx, message, doc)
  if (access.kind === 'direct') await showToEveryone(tx, { roomId, authorId: access.userId })
  // The log holds only the id: a message can be deleted, a sequence number cannot.
  const data = { messageId }
  const event = await putEvent(tx, seq, { roomId, event: 'message.created', data, nowMs: context.now })
  const isPlain = !original && !hasMentions && fileIds.length === 0
  return { message, event, original, access, joined, isPlain }
}

/**
 * Sequence number for a message, and the access of its author, who becomes a member with the first
 * message unless they left the room by choice (R36.4).
 */
async function admitMessage(
  tx: Tx,
  context: Context,
  roomId: string,
): Promise<{ seq: number; access: UserRoomAccess; joined: readonly ClusterEvent[] }> {
  const { now: nowMs } = context
  const seq = await nextSeqOfMessage(tx, roomId, nowMs)
  const access = await admitAuthor(tx, context, roomId)
  if (seq === undefined) throw failure('not_found')
  if (access.hasLeft || !mayJoin(access)) return { seq, access, joined: [] }
  const { events, joinedSeq } = await joinAsMember(tx, access, { nowMs, seq })
  const next = await nextSeqOfMessage(tx, roomId, nowMs)
  if (next === undefined) throw failure('not_found')
  return { seq: next, access: { ...access, role: access.defaultRole, joinedSeq }, joined: events }
}

async function publishMessage(
  context: Context,
  { message: row, event: stored, original, access, isPlain }: StoredMessage,
  author: UserDisplay,
): Promise<PostResult> {
  const { user } = context.actor
  const { roomId } = access
  const plain = {
    displays: new Map([[user.id, author]]),
    originals: new Map(),
    mentions: new Map(),
    files: new Map(),
    ownReactions: new Map(),
  }
  const reader = readerOf(access, context.now)
  const relations = isPlain
    ? plain
    : await loadRelations(context.database.read, reader, [row]).catch(() => undefined)
  const message = toMessage(row, relations ?? plain)
  const event = { ...stored, data: { message }, ...visibilityOf(access.room, null, original?.seq ?? null) }
  // Without its parts, all nodes read the event from the log.
  if (relations) context.publish({ kind: 'event', roomId, event })
  else context.publish({ kind: 'last_seq', roomId, seq: row.seq })
  context.pusher.announce(roomId, row.seq)
  return { message, event }
}
