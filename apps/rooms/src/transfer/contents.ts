import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContentPiece, InvalidArchive } from '@latchkey/database/archive/reader'
import type { ArchivedContent } from '@latchkey/database/archive/writer'
import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { type FileStorage, isContentKey, thumbnailKey } from '../files/storage/storage.ts'

const ROWS_AT_ONCE = 500

/** Key and size of a content that files or profile pictures use. */
export interface UsedContent {
  readonly key: string
  readonly bytes: number
}

/** All contents that are in use, with their thumbnails, in the order of their keys, after a hash. */
export async function* listContents(read: Db, afterSha256 = ''): AsyncGenerator<UsedContent> {
  for (let after = afterSha256; ;) {
    const files = read.selectFrom('files').select(['sha256', 'bytes'])
    const pictures = read
      .selectFrom('users')
      .select([sql<string>`picture_sha256`.as('sha256'), sql<number>`picture_bytes`.as('bytes')])
      .where('picture_sha256', '>', after)
    const rows = await read
      .selectFrom(files.where('sha256', '>', after).union(pictures).as('used'))
      .innerJoin('file_contents', 'file_contents.sha256', 'used.sha256')
      .select(['used.sha256', 'used.bytes', 'file_contents.thumbnail_bytes'])
      .orderBy('used.sha256')
      .limit(ROWS_AT_ONCE)
      .execute()
    for (const { sha256, bytes, thumbnail_bytes } of rows) {
      yield { key: sha256, bytes }
      if (thumbnail_bytes !== null) yield { key: thumbnailKey(sha256), bytes: thumbnail_bytes }
    }
    const last = rows.at(-1)
    if (!last) return
    after = last.sha256
  }
}

/** The contents of `listContents`. Passes the keys of those that are lost to `onLost`. */
export async function* readContents(
  read: Db,
  storage: Pick<FileStorage, 'read'>,
  onLost: (key: string) => void,
): AsyncGenerator<ArchivedContent> {
  for await (const { key, bytes } of listContents(read)) {
    const stream = await storage.read(key, { start: 0, end: bytes - 1 })
    if (stream) yield { key, bytes, stream }
    else onLost(key)
  }
}

/** Stores contents piece by piece, as an archive has them. `folder` is one of the spool folder. */
export class ContentRestorer {
  readonly #storage: Pick<FileStorage, 'put'>
  readonly #folder: string
  #hash = new Bun.CryptoHasher('sha256')

  constructor(storage: Pick<FileStorage, 'put'>, folder: string) {
    this.#storage = storage
    this.#folder = folder
  }

  /** Throws `InvalidArchive` for bytes that do not belong to the key. */
  receive = async ({ key, piece, isLast }: ContentPiece): Promise<void> => {
    if (!isContentKey(key)) throw new InvalidArchive(`"${key}" is not the key of a content`)
    const path = join(this.#folder, key)
    this.#hash.update(piece)
    await appendFile(path, piece, { mode: 0o600 })
    if (!isLast) return
    const sha256 = this.#hash.digest('hex')
    this.#hash = new Bun.CryptoHasher('sha256')
    const isThumbnail = key.includes('-')
    if (!isThumbnail && sha256 !== key) throw new InvalidArchive(`The content ${key} is damaged`)
    await this.#storage.put(key, path)
  }
}
