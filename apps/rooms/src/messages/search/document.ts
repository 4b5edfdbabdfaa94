import { prepareQuery } from '../../db/prepared-query.ts'
import type { MessageSearchRow } from '../../db/message-rows.ts'
import type { RoomMessageRow, Tx } from '../../db/tables.ts'
import { indexedWords } from './words.ts'

/** A property of messages that is searched together with words. No word looks like a tag. */
export type Tag = string

/** Equal tags of two rooms or users are possible: a search also compares the whole id. */
export function roomTag(roomId: string): Tag {
  return `#${roomId.slice(0, 8)}`
}

export function authorTag(userId: string): Tag {
  return `@${userId.slice(0, 8)}`
}

export const LINK_TAG: Tag = '!link'
export const FILE_TAG: Tag = '!file'
/** The beginning of an address, as pages link it (web/markdown/addresses.ts). */
const LINK = /https?:\/\/[\p{L}\p{N}[]/iu

/** The document of a message: its tags, that of the room first, and its words. */
export function searchDocument({
  room_id,
  user_id,
  content,
  file_count,
}: Pick<RoomMessageRow, 'room_id' | 'user_id' | 'file_count'> & { content: string }): string {
  return [
    roomTag(room_id),
    ...(user_id === null ? [] : [authorTag(user_id)]),
    ...(LINK.test(content) ? [LINK_TAG] : []),
    ...(file_count === null ? [] : [FILE_TAG]),
    ...indexedWords(content),
  ].join(' ')
}

const insert = prepareQuery<Omit<MessageSearchRow, 'no'>, { no: number }>((db, row) =>
  db.insertInto('message_search').values({
    room_id: row.room_id,
    seq: row.seq,
    created_at: row.created_at,
    doc: row.doc,
  }),
)

/** Adds a message with a text to the index. `doc` is that of `searchDocument`. */
export async function insertDocument(
  tx: Tx,
  { room_id, seq, created_at }: Pick<RoomMessageRow, 'room_id' | 'seq' | 'created_at'>,
  doc: string,
): Promise<void> {
  await insert(tx, { room_id, seq, created_at, doc })
}

/**
 * Replaces the document of an edited message. The database has emptied it when the text changed.
 */
export async function updateDocument(
  tx: Tx,
  { room_id, seq }: Pick<RoomMessageRow, 'room_id' | 'seq'>,
  doc: string,
): Promise<void> {
  await tx
    .updateTable('message_search')
    .set({ doc })
    .where('room_id', '=', room_id)
    .where('seq', '=', seq)
    .execute()
}
