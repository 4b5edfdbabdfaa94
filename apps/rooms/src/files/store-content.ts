import { lockKey } from '@latchkey/database/database'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import type { Db, Tx } from '../db/tables.ts'
import { unavailable } from './explain-storage-error.ts'
import type { NewContent } from './new-content.ts'
import { thumbnailKey } from './storage/storage.ts'
import { type ContentFacts, claimContent, sumFileBytes, sumPictureBytes } from './store.ts'

/** Arbitrary, but the same on every node. */
const STORAGE_LOCK_KEY = 4_170_631

/** Bytes to store for a person. A profile picture is in no room. */
interface Space {
  roomId?: string
  userId: string
  bytes: number
}

/** Throws unless the room, the person and the instance have space for a file of so many bytes. */
export async function requireSpace(db: Db, limits: Limits, { roomId, userId, bytes }: Space): Promise<void> {
  if (roomId !== undefined && (await sumFileBytes(db, { room_id: roomId })) + bytes > limits.room_bytes)
    throw failure('room_storage_full')
  const own = (await sumFileBytes(db, { user_id: userId })) + (await sumPictureBytes(db, userId))
  if (own + bytes > limits.user_bytes) throw failure('user_storage_full')
  const total = (await sumFileBytes(db, {})) + (await sumPictureBytes(db))
  if (total + bytes > limits.total_bytes) throw failure('total_storage_full')
}

/** Reserves the space of a stored content in the transaction that refers to it. */
export async function reserveContent(
  tx: Tx,
  { database, policy, now }: Context,
  { facts, ...space }: Space & { facts: ContentFacts },
): Promise<void> {
  // Files are added up one after the other.
  await lockKey(database.dialect, tx, STORAGE_LOCK_KEY)
  await requireSpace(tx, policy.limits, space)
  // A second claim: the upload may have taken longer than the first claim protects the content.
  if (!(await claimContent(tx, facts, now))) throw unavailable()
}

/** Stores a content, which is deleted again unless something refers to it soon. */
export async function storeContent(context: Context, { path, facts, thumbnail }: NewContent): Promise<void> {
  const { storage } = context
  await claim(context, facts)
  await storage.put(facts.sha256, path)
  if (thumbnail !== undefined) await storage.put(thumbnailKey(facts.sha256), thumbnail)
}

const CLAIM_TRIES = 20
const CLAIM_PAUSE_MS = 250

/** Waits while the clean-up is deleting the same content. */
async function claim({ database, now }: Context, facts: ContentFacts): Promise<void> {
  for (let tries = 1; !(await database.write((tx) => claimContent(tx, facts, now))); tries++) {
    if (tries === CLAIM_TRIES) throw unavailable()
    await Bun.sleep(CLAIM_PAUSE_MS)
  }
}
