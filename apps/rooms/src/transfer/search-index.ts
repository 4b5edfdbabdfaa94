import type { Bulk } from '@latchkey/database/archive/bulk'
import { searchDocument } from '../messages/search/document.ts'

const BATCH_ROWS = 5_000

/** A message with a text, as `selectBatch` returns it in JSON. */
type MessageJson = [id: string, roomId: string, userId: string | null, createdAt: number, content: string]

/**
 * Builds the index of all messages by their words. Their numbers are in the order of their times, of
 * which the archive knows nothing.
 */
export async function buildSearchIndex(bulk: Bulk): Promise<void> {
  const restore = await dropIndex(bulk)
  await bulk.run('create index room_messages_by_time on room_messages (created_at, id)')
  for (let last: MessageJson | undefined; ;) {
    const texts = await bulk.column(selectBatch(bulk, last))
    const messages = texts.map((text) => JSON.parse(String(text)) as MessageJson)
    await bulk.insert({
      table: 'message_search',
      columns: ['message_id', 'room_id', 'created_at', 'doc'],
      types: ['text', 'text', 'int', 'text'],
      rows: messages.map(([id, room_id, user_id, created_at, content]) => [
        id,
        room_id,
        created_at,
        searchDocument({ room_id, user_id, content }),
      ]),
    })
    if (messages.length < BATCH_ROWS) break
    last = messages.at(-1)
  }
  await bulk.run('drop index room_messages_by_time')
  await restore()
}

function selectBatch({ dialect }: Bulk, last: MessageJson | undefined): string {
  const json = dialect === 'sqlite' ? 'json_array' : 'json_build_array'
  const after = last ? `and (created_at, id) > (${last[3]}, '${last[0].replaceAll("'", "''")}')` : ''
  return `select cast(${json}(id, room_id, user_id, created_at, content) as text) from room_messages
    where content is not null ${after} order by created_at, id limit ${BATCH_ROWS}`
}

/** Drops what is cheaper to build at the end, and returns a function that does that. */
async function dropIndex(bulk: Bulk): Promise<() => Promise<void>> {
  const isSqlite = bulk.dialect === 'sqlite'
  const [definition] = await bulk.column(
    isSqlite
      ? `select sql from sqlite_master where name = 'message_words_insert'`
      : `select pg_get_indexdef('message_words'::regclass)`,
  )
  await bulk.run(isSqlite ? 'drop trigger message_words_insert' : 'drop index message_words')
  return async () => {
    await bulk.run(String(definition))
    if (isSqlite) await bulk.run(`insert into message_words (message_words) values ('rebuild')`)
  }
}
