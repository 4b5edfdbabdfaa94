import { join } from 'node:path'
import type { FormFile } from '@latchkey/http/form-file'
import type { Context } from '../api/context.ts'
import type { FileRow } from '../db/message-rows.ts'
import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { lockRoom } from '../rooms/room-events.ts'
import { admitAuthor } from '../rooms/visits.ts'
import { explainStorageError } from './explain-storage-error.ts'
import { cleanFileName } from './file-name.ts'
import { cleanImage, isImageType } from './clean-image.ts'
import { GUEST_TYPES, type MediaType, OTHER_TYPE, recognizeType } from './media-type.ts'
import type { NewContent } from './new-content.ts'
import { type SpooledFile, spool, withSpool } from './spool.ts'
import { turnOf } from './turn.ts'
import { requireSpace, reserveContent, storeContent } from './store-content.ts'
import { type ContentFacts, type FileWithContent, insertFile } from './store.ts'

export type OpenFile = (limits: {
  limitBytes: number
  tooLarge: ReturnType<typeof failure>
}) => Promise<FormFile>

export interface UploadOptions {
  /** An image is stored as it was sent, with its metadata, and served as an attachment. */
  asFile: boolean
}

/**
 * Receives a file for a room. Everything that can be refused without the file is refused before it
 * is read.
 */
export async function receiveFile(
  context: Context,
  roomId: string,
  openFile: OpenFile,
  options: UploadOptions,
): Promise<FileWithContent> {
  const { uploads, policy } = context
  return uploads.run(turnOf(context), policy.limits.uploads_person, async () => {
    await requireUpload(context, roomId)
    return spoolFile(context, roomId, openFile, options)
  })
}

async function spoolFile(
  context: Context,
  roomId: string,
  openFile: OpenFile,
  { asFile }: UploadOptions,
): Promise<FileWithContent> {
  const { storage } = context
  try {
    return await withSpool(storage.spoolFolder, async (folder) => {
      const { content, name } = await openFile({
        limitBytes: context.policy.limits.file_bytes,
        tooLarge: failure('file_too_large'),
      })
      const sent = await spool(content, join(folder, 'sent'))
      if (sent.bytes === 0) throw failure('invalid_request', { text: 'file: is empty' })
      const recognized = recognizeType(sent.head)
      // A content is stored once for everyone, so only its bytes decide on the type of all others.
      const type = asFile && recognized.startsWith('image/') ? OTHER_TYPE : recognized
      refuseTypeOfGuest(context, type)
      const stored = isImageType(type) ? await cleanImage(context, folder, type) : plainFile(sent, type)
      return storeFile(context, { roomId, name: cleanFileName(name) }, stored)
    })
  } catch (error) {
    throw explainStorageError(context, error)
  }
}

async function requireUpload(context: Context, roomId: string): Promise<void> {
  const { database, policy, rates } = context
  const { user } = context.actor
  await database.write((tx) => admitAuthor(tx, context, roomId))
  if (user.is_guest === 1 && policy.guestFiles === 'off') throw failure('guest_not_permitted')
  rates.take('files_per_hour', user.id)
  await requireSpace(database.read, policy.limits, { roomId, userId: user.id, bytes: 1 })
}

function refuseTypeOfGuest(context: Context, type: MediaType): void {
  if (context.actor.user.is_guest === 1 && !GUEST_TYPES.has(type))
    throw failure('file_type_refused', { text: 'Guests can send only PNG, JPEG, WebP and GIF images' })
}

function plainFile({ path, bytes, sha256 }: SpooledFile, type: MediaType): NewContent {
  if (type === 'image/heic')
    throw failure('file_type_refused', {
      text: 'HEIC images cannot be freed from their metadata: send JPEG, PNG or WebP instead',
    })
  return { path, bytes, facts: { sha256, type, width: null, height: null, thumbnail_bytes: null } }
}

/**
 * Stores the content first and then its row, by which it is served: a crash in between leaves a
 * content that the clean-up deletes.
 */
async function storeFile(
  context: Context,
  { roomId, name }: { roomId: string; name: string },
  content: NewContent,
): Promise<FileWithContent> {
  const { database, now } = context
  await storeContent(context, content)
  const { bytes, facts } = content
  const row: FileRow = {
    id: crypto.randomUUID(),
    room_id: roomId,
    user_id: context.actor.user.id,
    message_id: null,
    position: null,
    sha256: facts.sha256,
    name,
    bytes,
    created_at: now,
  }
  await database.write((tx) => insertFileOf(tx, context, row, facts))
  return { ...row, ...facts }
}

async function insertFileOf(tx: Tx, context: Context, row: FileRow, facts: ContentFacts): Promise<void> {
  const { room_id: roomId, user_id: userId, bytes } = row
  if (!(await lockRoom(tx, roomId))) throw failure('not_found')
  await admitAuthor(tx, context, roomId)
  await reserveContent(tx, context, { roomId, userId, bytes, facts })
  await insertFile(tx, row)
}
