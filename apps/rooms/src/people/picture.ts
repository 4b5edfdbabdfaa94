import { join } from 'node:path'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import type { Tx } from '../db/tables.ts'
import { explainStorageError } from '../files/explain-storage-error.ts'
import { cleanSquare, isImageType } from '../files/clean-image.ts'
import { recognizeType } from '../files/media-type.ts'
import type { NewContent } from '../files/new-content.ts'
import { spool, withSpool } from '../files/spool.ts'
import { requireSpace, reserveContent, storeContent } from '../files/store-content.ts'
import { turnOf } from '../files/turn.ts'
import type { OpenFile } from '../files/upload.ts'
import { lockAccount } from '../users/store.ts'
import { updateProfileOf } from './store.ts'

/** Pixels of a side of a stored picture. */
const SIDE = 256

/** Receives a profile picture, and returns the id of the stored square. */
export async function receivePicture(context: Context, openFile: OpenFile): Promise<string> {
  const { uploads, policy, rates, database, actor, storage } = context
  const { id: userId } = actor.user
  return uploads.run(turnOf(context), policy.limits.uploads_person, async () => {
    rates.take('files_per_hour', userId)
    await requireSpace(database.read, policy.limits, { userId, bytes: 1 })
    try {
      return await withSpool(storage.spoolFolder, async (folder) => {
        const { content } = await openFile({
          limitBytes: policy.limits.picture_bytes,
          tooLarge: failure('file_too_large'),
        })
        const sent = await spool(content, join(folder, 'sent'))
        if (sent.bytes === 0) throw failure('invalid_request', { text: 'file: is empty' })
        const type = recognizeType(sent.head)
        if (!isImageType(type))
          throw failure('file_type_refused', { text: 'A picture is a PNG, JPEG, WebP, GIF or AVIF image' })
        const square = await cleanSquare(context, folder, { type, side: SIDE })
        await storeContent(context, square)
        return await database.write((tx) => replacePicture(tx, context, square))
      })
    } catch (error) {
      throw explainStorageError(context, error)
    }
  })
}

async function replacePicture(tx: Tx, context: Context, { bytes, facts }: NewContent): Promise<string> {
  const { id: userId } = context.actor.user
  await lockAccount(tx, userId)
  await reserveContent(tx, context, { userId, bytes, facts })
  const pictureId = crypto.randomUUID()
  const changes = { picture_id: pictureId, picture_sha256: facts.sha256, picture_bytes: bytes }
  if (!(await updateProfileOf(tx, userId, changes))) throw failure('unauthenticated')
  return pictureId
}
