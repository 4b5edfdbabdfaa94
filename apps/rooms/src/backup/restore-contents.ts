import { ContentRestorer } from '../transfer/contents.ts'
import { withSpool } from '../files/spool.ts'
import type { FileStorage } from '../files/storage/storage.ts'

export interface RestoredContent {
  readonly key: string
  readonly bytes: number
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Stores contents in their order. Those that an interrupted restore has stored, or that were never
 * lost, are only read. Throws `InvalidArchive` for bytes that do not belong to their key.
 */
export async function restoreContents(
  storage: FileStorage,
  contents: AsyncIterable<RestoredContent>,
): Promise<void> {
  await withSpool(storage.spoolFolder, async (folder) => {
    const restorer = new ContentRestorer(storage, folder)
    for await (const { key, bytes, content } of contents) {
      const isStored = await hasContent(storage, key, bytes)
      let left = bytes
      for await (const piece of content) {
        left -= piece.length
        if (!isStored) await restorer.receive({ key, piece, isLast: left === 0 })
      }
    }
  })
}

/** The hash of a thumbnail is unknown: it is stored again. */
async function hasContent(storage: FileStorage, key: string, bytes: number): Promise<boolean> {
  if (key.includes('-')) return false
  const stream = await storage.read(key, { start: 0, end: bytes - 1 }).catch(() => undefined)
  if (!stream) return false
  const hash = new Bun.CryptoHasher('sha256')
  for await (const piece of stream) hash.update(piece)
  return hash.digest('hex') === key
}
