import type { Db, RoomMessageRow, RoomMessageVersionRow, Tx } from '../db/tables.ts'
import { searchDocument, updateDocument } from './search/document.ts'
import type { LiveMessage } from './store.ts'

/**
 * Replaces the text of a message and keeps the earlier one. `seq` is the sequence number of the
 * event. Returns the message with the new text.
 */
export async function replaceContent(
  tx: Tx,
  message: LiveMessage,
  {
    nowMs,
    seq,
    ...changes
  }: { content: string; group_mention: RoomMessageRow['group_mention']; seq: number; nowMs: number },
): Promise<LiveMessage> {
  const created_at = message.edited_at ?? message.created_at
  // Each edit has its own moment, by which clients recognise it.
  const edited_at = message.edited_at === null ? nowMs : Math.max(nowMs, message.edited_at + 1)
  await tx
    .insertInto('room_message_versions')
    .values({ message_id: message.id, seq, content: message.content, created_at })
    .execute()
  await tx
    .updateTable('room_messages')
    .set({ ...changes, edited_at })
    .where('id', '=', message.id)
    .execute()
  const edited = { ...message, ...changes, edited_at }
  await updateDocument(tx, edited, searchDocument(edited))
  return edited
}

/** Number of earlier texts of a message. */
export async function countVersions(db: Db, messageId: string): Promise<number> {
  const { count } = await db
    .selectFrom('room_message_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('message_id', '=', messageId)
    .executeTakeFirstOrThrow()
  return count
}

/** Earlier texts of a message after this number, oldest first. */
export async function listVersionsOf(
  db: Db,
  messageId: string,
  afterSeq: number,
  limit: number,
): Promise<RoomMessageVersionRow[]> {
  return db
    .selectFrom('room_message_versions')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** Earlier texts of these messages, oldest first. */
export async function listVersions(db: Db, messageIds: readonly string[]): Promise<RoomMessageVersionRow[]> {
  if (messageIds.length === 0) return []
  return db
    .selectFrom('room_message_versions')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .orderBy('message_id')
    .orderBy('seq')
    .execute()
}
