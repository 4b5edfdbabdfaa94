import type { Bulk } from '@latchkey/database/archive/bulk-types'
import { searchDocument } from '../messages/search/document.ts'

const BATCH_ROWS = 5_000

/** A message with a text, as `selectBatch` returns it in JSON. */
interface MessageJson {
  id: string
  room_id: string
  seq: number
  user_id: string | null
  created_at: number
  content: string
  file_count: number | null
}

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
      columns: ['room_id', 'seq', 'created_at', 'doc'],
      types: ['text', 'int', 'int', 'text'],
      rows: messages.map((message) => [
        message.room_id,
        message.seq,
        message.created_at,
        searchDocument(message),
      ]),
    })
    if (messages.length < BATCH_ROWS) break
    last = messages.at(-1)
  }
  await bulk.run('drop index room_messages_by_time')
  await restore()
}

function selectBatch({ dialect }: Bulk, last: MessageJson | undefined): string {
  const json = dialect === 'sqlite' ? 'json_object' : 'json_build_object'
  const columns = ['id', 'room_id', 'seq', 'user_id', 'created_at', 'content', 'file_count']
  const members = columns.map((column) => `'${column}', ${column}`).join(', ')
  const after = last ? `and (created_at, id) > (${last.created_at}, '${last.id.replaceAll("'", "''")}')` : ''
  return `select cast(${json}(${members}) as text) from room_messages
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
