import { sql } from 'kysely'
import type { FileContentRow, FileRow } from '../db/message-rows.ts'
import type { Db, Tx } from '../db/tables.ts'
import { isAccount } from '../users/store.ts'

/** Facts about a content that follow from its bytes. */
export type ContentFacts = Pick<FileContentRow, 'sha256' | 'type' | 'width' | 'height' | 'thumbnail_bytes'>

/** A file with the facts about its content. */
export type FileWithContent = FileRow & Omit<ContentFacts, 'sha256'>

const CONTENT_COLUMNS = [
  'file_contents.type',
  'file_contents.width',
  'file_contents.height',
  'file_contents.thumbnail_bytes',
] as const

/**
 * Protects a content from deletion for an hour, so that it can be stored and referred to. False
 * while it is being deleted from the storage.
 */
export async function claimContent(tx: Tx, facts: ContentFacts, nowMs: number): Promise<boolean> {
  const claimed = await tx
    .insertInto('file_contents')
    .values({ ...facts, claimed_at: nowMs, may_be_unused: 1, deleting_at: null })
    .onConflict((conflict) =>
      conflict
        .column('sha256')
        // A plain file with these bytes may be stored already.
        .doUpdateSet({
          claimed_at: nowMs,
          may_be_unused: 1,
          ...(facts.thumbnail_bytes !== null && facts),
        })
        .where('file_contents.deleting_at', 'is', null),
    )
    .returning('sha256')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function insertFile(tx: Tx, file: FileRow): Promise<void> {
  await tx.insertInto('files').values(file).execute()
}

/** Bytes of all files of a room, of a person, or of the instance. A content counts once for each file. */
export async function sumFileBytes(
  db: Db,
  of: Partial<Pick<FileRow, 'room_id' | 'user_id'>>,
): Promise<number> {
  const { bytes } = await db
    .selectFrom('files')
    .select(sql<number | string>`coalesce(sum(bytes), 0)`.as('bytes'))
    .where((eb) => eb.and(of))
    .executeTakeFirstOrThrow()
  // PostgreSQL returns the sum of bigints as text.
  return Number(bytes)
}

/** Bytes of the profile picture of a person, or of all. */
export async function sumPictureBytes(db: Db, userId?: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('users')
    .select(sql<number | string>`coalesce(sum(picture_bytes), 0)`.as('bytes'))
    .where('picture_bytes', 'is not', null)
    .$if(userId !== undefined, (query) => query.where('id', '=', userId ?? ''))
    .executeTakeFirstOrThrow()
  return Number(bytes)
}

/** Files of messages by message, in their order, without those of erased accounts. */
export async function findFilesOf(
  db: Db,
  messageIds: readonly string[],
): Promise<Map<string, FileWithContent[]>> {
  if (messageIds.length === 0) return new Map()
  const files = await selectFiles(db)
    .where('files.message_id', 'in', messageIds)
    .orderBy('files.position')
    .execute()
  return Map.groupBy(files, ({ message_id }) => message_id ?? '')
}

function selectFiles(db: Db) {
  return db
    .selectFrom('files')
    .innerJoin('file_contents', 'file_contents.sha256', 'files.sha256')
    .innerJoin('users', (join) => join.onRef('users.id', '=', 'files.user_id').on(isAccount()))
    .selectAll('files')
    .select(CONTENT_COLUMNS)
}

/** A file with what decides who may read it. */
export interface LocatedFile extends FileWithContent {
  /** Null for a file that no message has yet. */
  message_seq: number | null
  message_created_at: number | null
}

/** Undefined as well for the files of an erased account. */
export async function findFile(db: Db, id: string): Promise<LocatedFile | undefined> {
  return selectFiles(db)
    .leftJoin('room_messages', 'room_messages.id', 'files.message_id')
    .select(['room_messages.seq as message_seq', 'room_messages.created_at as message_created_at'])
    .where('files.id', '=', id)
    .executeTakeFirst()
}
