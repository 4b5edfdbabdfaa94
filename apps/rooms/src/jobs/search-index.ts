import { DAY_MS, MINUTE_MS } from '@latchkey/http/duration'
import { sql } from 'kysely'
import { REFOLDING, UNMERGED, isSqlite, secureDelete } from '../db/message-words.ts'
import type { Tx } from '../db/tables.ts'
import { searchDocument } from '../messages/search/document.ts'
import { findState, saveState } from '../platform/store.ts'
import { searchNameOf } from '../rooms/store.ts'
import { namesOf } from '../users/names.ts'
import type { Job } from './job.ts'

/** Rows and pages of a slice, few enough that waiting requests are not delayed noticeably. */
const NAMES_PER_SLICE = 500
const DOCUMENTS_PER_SLICE = 200
const PAGES_PER_SLICE = 100

/** Key of the state: a merge has begun. */
const MERGING = 'search.merging'

/** Keep the index of messages current. They may take minutes, so they run beside all other jobs. */
export const searchJobs: readonly Job[] = [
  {
    name: 'search-index',
    everyMs: MINUTE_MS,
    async run(tx, nowMs) {
      const position = await findState(tx, REFOLDING)
      if (position !== undefined) return refold(tx, position, nowMs)
      return (await findState(tx, MERGING)) === undefined ? undefined : merge(tx)
    },
  },
  {
    name: 'search-merge',
    everyMs: DAY_MS,
    async run(tx, nowMs) {
      if (await deleteState(tx, UNMERGED)) await beginMerge(tx, nowMs)
    },
  },
]

/** Folds the next texts, as they are folded today: names of users, of rooms, then messages. */
async function refold(tx: Tx, position: string, nowMs: number): Promise<'more'> {
  const [table = '', after = ''] = position.split(' ')
  const next =
    table === 'users'
      ? ((await refoldUsers(tx, after)) ?? 'rooms ')
      : table === 'rooms'
        ? ((await refoldRooms(tx, after)) ?? `messages ${Number.MAX_SAFE_INTEGER}`)
        : await refoldDocuments(tx, Number(after))
  if (next !== undefined) await saveState(tx, REFOLDING, next, nowMs)
  else {
    await deleteState(tx, REFOLDING)
    if (isSqlite(tx)) {
      await secureDelete(tx, true)
      await beginMerge(tx, nowMs)
    }
  }
  return 'more'
}

async function refoldUsers(tx: Tx, after: string): Promise<string | undefined> {
  const rows = await tx
    .selectFrom('users')
    .select(['id', 'nickname', 'search_name', 'skeleton'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(NAMES_PER_SLICE)
    .execute()
  for (const { id, nickname, search_name, skeleton } of rows) {
    const names = namesOf(nickname)
    if (names.search_name === search_name && names.skeleton === skeleton) continue
    // A name that changes in between has been folded already.
    await tx.updateTable('users').set(names).where('id', '=', id).where('nickname', '=', nickname).execute()
  }
  const last = rows.at(-1)
  return last && `users ${last.id}`
}

async function refoldRooms(tx: Tx, after: string): Promise<string | undefined> {
  const rows = await tx
    .selectFrom('rooms')
    .select(['id', 'name', 'topic', 'search_name'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(NAMES_PER_SLICE)
    .execute()
  for (const { id, name, topic, search_name } of rows) {
    const folded = searchNameOf({ name, topic })
    if (folded === search_name) continue
    await tx
      .updateTable('rooms')
      .set({ search_name: folded })
      .where('id', '=', id)
      .where('name', '=', name)
      .where('topic', 'is not distinct from', topic)
      .execute()
  }
  const last = rows.at(-1)
  return last && `rooms ${last.id}`
}

/** Newest first. An edit that commits in between has changed the document, which is then left alone. */
async function refoldDocuments(tx: Tx, before: number): Promise<string | undefined> {
  const rows = await tx
    .selectFrom('message_search as document')
    .innerJoin('room_messages as message', (join) =>
      join.onRef('message.room_id', '=', 'document.room_id').onRef('message.seq', '=', 'document.seq'),
    )
    .select(['no', 'doc', 'message.room_id', 'message.user_id', 'message.content', 'message.file_count'])
    .where('no', '<', before)
    .orderBy('no', 'desc')
    .limit(DOCUMENTS_PER_SLICE)
    .execute()
  for (const { no, doc, content, ...message } of rows) {
    if (content === null) continue
    const folded = searchDocument({ ...message, content })
    if (folded === doc) continue
    await tx
      .updateTable('message_search')
      .set({ doc: folded })
      .where('no', '=', no)
      .where('doc', '=', doc)
      .execute()
  }
  const last = rows.at(-1)
  return last && `messages ${last.no}`
}

/** Begins to remove the words of deleted messages. */
async function beginMerge(tx: Tx, nowMs: number): Promise<void> {
  await saveState(tx, MERGING, '', nowMs)
  await mergePages(tx, -PAGES_PER_SLICE)
}

/** Merges the next pages. The index is merged when there is nothing to change. */
async function merge(tx: Tx): Promise<'more'> {
  const before = await countChanges(tx)
  await mergePages(tx, PAGES_PER_SLICE)
  if ((await countChanges(tx)) - before < 2) await deleteState(tx, MERGING)
  return 'more'
}

async function mergePages(tx: Tx, pages: number): Promise<void> {
  await sql`insert into message_words (message_words, rank) values ('merge', ${pages})`.execute(tx)
}

async function countChanges(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`select total_changes() as count`.execute(tx)
  return rows[0]?.count ?? 0
}

async function deleteState(tx: Tx, key: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('platform_state').where('key', '=', key).executeTakeFirst()
  return numDeletedRows > 0n
}
