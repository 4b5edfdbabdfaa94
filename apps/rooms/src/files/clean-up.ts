import { HOUR_MS } from '@latchkey/http/duration'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Tables, Tx } from '../db/tables.ts'
import { UPLOAD_LIFETIME_MS } from './attach.ts'
import { thumbnailKey } from './storage/storage.ts'

/** Rows of one transaction. Deleting from remote storage takes a request for each of them. */
const BATCH_ROWS = 100

/** Longer than any upload takes, from its claim to its row. */
const CLAIM_MS = 2 * HOUR_MS

/**
 * Time in which only the node that began to delete a content may do so. Another node would otherwise
 * delete a content that was uploaded again meanwhile.
 */
const DELETION_LEASE_MS = 600_000

/** Deletes uploads that no message got in time. Returns `more` if some may be left. */
export async function deleteUnattached(tx: Tx, nowMs: number): Promise<'more' | void> {
  const old = tx
    .selectFrom('files')
    .select('id')
    .where('message_id', 'is', null)
    .where('created_at', '<=', nowMs - UPLOAD_LIFETIME_MS)
    .limit(BATCH_ROWS)
  const { numDeletedRows } = await tx
    .deleteFrom('files')
    .where('id', 'in', old)
    .where('message_id', 'is', null)
    .executeTakeFirst()
  if (numDeletedRows >= BATCH_ROWS) return 'more'
}

/** Contents without files, whose deletion from the storage begins with the commit. */
export async function beginDeletion(tx: Tx, nowMs: number): Promise<{ keys: string[]; isMore: boolean }> {
  const candidates = tx
    .selectFrom('file_contents')
    .select('sha256')
    .where(isDeletable(nowMs))
    .orderBy('claimed_at')
    .limit(BATCH_ROWS)
  // Locks the rows: whether they have files is asked by a later statement, which sees every commit.
  const locked = await tx
    .updateTable('file_contents')
    .set({ may_be_unused: 1 })
    .where('sha256', 'in', candidates)
    .where(isDeletable(nowMs))
    .returning('sha256')
    .execute()
  const keys = locked.map(({ sha256 }) => sha256)
  if (keys.length === 0) return { keys, isMore: false }
  const used = await tx
    .selectFrom('files')
    .select('sha256')
    .where('sha256', 'in', keys)
    .union(
      tx
        .selectFrom('users')
        .select(sql<string>`picture_sha256`.as('sha256'))
        .where('picture_sha256', 'in', keys),
    )
    .execute()
  const usedKeys = new Set(used.map(({ sha256 }) => sha256))
  const unused = keys.filter((key) => !usedKeys.has(key))
  await setAll(tx, [...usedKeys], { may_be_unused: 0 })
  await setAll(tx, unused, { deleting_at: nowMs })
  return { keys: unused, isMore: keys.length === BATCH_ROWS }
}

/** The storage has lost these contents, whose deletion began at that time. */
export async function endDeletion(tx: Tx, keys: readonly string[], beganMs: number): Promise<void> {
  if (keys.length === 0) return
  await tx
    .deleteFrom('file_contents')
    .where('sha256', 'in', keys)
    .where('deleting_at', '=', beganMs)
    .execute()
}

/** Deletes a content with its thumbnail. */
export async function deleteContent(
  storage: { delete(key: string): Promise<void> },
  sha256: string,
): Promise<void> {
  await storage.delete(sha256)
  await storage.delete(thumbnailKey(sha256))
}

async function setAll(
  tx: Tx,
  keys: readonly string[],
  values: { may_be_unused: 0 } | { deleting_at: number },
): Promise<void> {
  if (keys.length > 0) await tx.updateTable('file_contents').set(values).where('sha256', 'in', keys).execute()
}

function isDeletable(nowMs: number) {
  return (eb: ExpressionBuilder<Tables, 'file_contents'>) =>
    eb.and([
      eb('may_be_unused', '=', 1),
      eb.or([
        eb.and([eb('deleting_at', 'is', null), eb('claimed_at', '<=', nowMs - CLAIM_MS)]),
        eb('deleting_at', '<=', nowMs - DELETION_LEASE_MS),
      ]),
    ])
}
