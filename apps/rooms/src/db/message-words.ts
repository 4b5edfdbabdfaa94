import { SqliteAdapter, type Transaction, sql } from 'kysely'
import type { Db, Tx } from './tables.ts'

// The index of words of SQLite (docs/decisions/0026). Its segments hold words of deleted messages
// until they are merged, unless it removes them at once (`secure-delete`), which takes up to 10 ms for
// each message. Deletions of many messages leave that to a job (jobs/search-index.ts).

/** Key of the state: names and documents may be folded in an earlier way, from its value on. */
export const REFOLDING = 'search.refolding'
/** Key of the state: the index may hold words of messages that were deleted since the last merge. */
export const UNMERGED = 'search.unmerged'

/** Messages that are deleted from the index one by one. */
const MAX_SECURE = 20

export async function secureDelete(
  tx: Pick<Transaction<unknown>, 'getExecutor'>,
  isOn: boolean,
): Promise<void> {
  await sql`insert into message_words (message_words, rank) values ('secure-delete', ${isOn ? 1 : 0})`.execute(
    tx,
  )
}

/**
 * Runs `work`, which changes the documents of the selected messages. If they are many, their words
 * stay in the index of SQLite until the job merges it.
 */
export async function changeDocuments<Result>(
  tx: Tx,
  messages: { limit: (count: number) => { execute: () => Promise<unknown[]> } },
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isSqlite(tx)) return work()
  const first = await messages.limit(MAX_SECURE + 1).execute()
  if (first.length <= MAX_SECURE || (await isRefolding(tx))) return work()
  await secureDelete(tx, false)
  const result = await work()
  await secureDelete(tx, true)
  await tx
    .insertInto('platform_state')
    .values({ key: UNMERGED, value: '', updated_at: 0 })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  return result
}

export const isSqlite = (db: Db) => db.getExecutor().adapter instanceof SqliteAdapter

/** An index that is being folded removes no words at once, and is merged afterwards. */
async function isRefolding(tx: Tx): Promise<boolean> {
  const state = tx.selectFrom('platform_state').select('key').where('key', '=', REFOLDING)
  return (await state.executeTakeFirst()) !== undefined
}
