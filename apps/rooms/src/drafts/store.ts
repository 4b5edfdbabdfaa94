import { type Position, pageOf } from '../api/paging.ts'
import type { Db, RoomDraftRow, Tx } from '../db/tables.ts'
import { lockAccount } from '../users/store.ts'

interface DraftKey {
  roomId: string
  userId: string
}

/** The drafts of a user, newest first. */
export async function selectDrafts(
  db: Db,
  userId: string,
  after: Position | undefined,
  limit: number,
): Promise<(RoomDraftRow & Position)[]> {
  const rows = await db
    .selectFrom('room_drafts')
    .selectAll()
    .where('user_id', '=', userId)
    .$call((query) => pageOf(query, ['updated_at', 'room_id', 'desc'], after, limit))
    .execute()
  return rows.map((row) => ({ ...row, id: row.room_id, created_at: row.updated_at }))
}

/** The text of a draft; null without one. */
export async function findDraft(db: Db, { roomId, userId }: DraftKey): Promise<string | null> {
  const draft = await db
    .selectFrom('room_drafts')
    .select('content')
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return draft?.content ?? null
}

/** Stores a draft. Returns false if the user would have more than `maxDrafts`. */
export async function putDraft(tx: Tx, draft: RoomDraftRow, maxDrafts: number): Promise<boolean> {
  const { room_id, user_id, ...changes } = draft
  const replaced = await tx
    .updateTable('room_drafts')
    .set(changes)
    .where('room_id', '=', room_id)
    .where('user_id', '=', user_id)
    .returning('room_id')
    .executeTakeFirst()
  if (replaced) return true
  // New drafts are counted one after the other.
  await lockAccount(tx, user_id)
  const { count } = await tx
    .selectFrom('room_drafts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .where('room_id', '<>', room_id)
    .executeTakeFirstOrThrow()
  if (count >= maxDrafts) return false
  await tx
    .insertInto('room_drafts')
    .values(draft)
    .onConflict((conflict) => conflict.columns(['user_id', 'room_id']).doUpdateSet(changes))
    .execute()
  return true
}

/** Returns false if there was no draft. */
export async function deleteDraft(tx: Tx, { roomId, userId }: DraftKey): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('room_drafts')
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .returning('room_id')
    .executeTakeFirst()
  return deleted !== undefined
}
