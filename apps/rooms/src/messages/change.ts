import type { Context } from '../api/context.ts'
import type { Db, RoomMessageRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { RoomEvent } from '../api/cluster-events.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { admit, admitReader, refusalOf, requireOpen } from '../rooms/admission.ts'
import { type NewEvent, appendEvent, lockRoom } from '../rooms/room-events.ts'
import { visibilityOf } from './load-events.ts'
import { type LiveMessage, findMessage } from './store.ts'
import { isReadable, readerOf } from './view.ts'

/** Message that an operation is about, with the access of the caller. */
export interface MessageAccess {
  message: RoomMessageRow
  access: UserRoomAccess
}

export interface MessageKey {
  /** The room. */
  id: string
  messageId: string
}

/**
 * Message that the caller may read, for a change of it. Locks the room. Throws 404 for any other
 * message, what `authorize` throws, and then 409 in an archived room and
 * for a deleted message.
 */
export async function lockMessage(
  tx: Tx,
  context: Context,
  { id: roomId, messageId }: MessageKey,
  authorize: (target: MessageAccess) => void = () => {},
): Promise<MessageAccess & { message: LiveMessage }> {
  await lockRoom(tx, roomId)
  const access = await admit(tx, roomId, context.entrant)
  const message = await findReadable(tx, access, messageId, context.now)
  authorize({ access, message })
  requireOpen(access.room)
  requireNotDeleted(message)
  return { access, message }
}

/** Finds a message that the caller may read. */
export async function findReadableMessage(
  context: Context,
  { id: roomId, messageId }: MessageKey,
): Promise<MessageAccess> {
  const access = await admitReader(context, roomId)
  return { access, message: await findReadable(context.database.read, access, messageId, context.now) }
}

/** Message that the user with this access may read (R17.8). Throws 404 for any other. */
export async function findReadable(
  db: Db,
  access: UserRoomAccess,
  messageId: string,
  nowMs: number,
): Promise<RoomMessageRow> {
  const message = await findMessage(db, access.roomId, messageId)
  if (!message) throw failure('not_found')
  if (!isReadable(message, readerOf(access, nowMs))) throw refusalOf(access, 'not_found')
  return message
}

export function requireNotDeleted(message: RoomMessageRow): asserts message is LiveMessage {
  if (message.content === null) throw failure('deleted')
}

/** Stores an event about a message. `appendEvent` says when it may be published. */
export async function appendMessageEvent(
  tx: Tx,
  { message, access }: MessageAccess,
  event: Omit<NewEvent, 'roomId'>,
): Promise<RoomEvent> {
  const { id: messageId, seq } = message
  const data = { messageId, ...event.data }
  const stored = await appendEvent(tx, { ...event, data, roomId: access.roomId })
  return { ...stored, ...visibilityOf(access.room, seq, null) }
}
