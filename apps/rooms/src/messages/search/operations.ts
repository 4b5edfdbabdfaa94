import { type Context, operation } from '../../api/context.ts'
import { findPage } from '../../api/paging.ts'
import { type UserRoomAccess, findAccessToRooms } from '../../rooms/access-store.ts'
import { ENTRY_REFUSALS, admitReader } from '../../rooms/admission.ts'
import { findDirectPeople, namedFor } from '../../rooms/direct-people.ts'
import { decideEntry } from '../../rooms/permissions.ts'
import { readerOf, viewMessages } from '../view.ts'
import { SearchPage, SearchQuery, type SearchResult } from './schema.ts'
import { type SearchHit, type SearchScope, findHits, findNumber } from './store.ts'
import { findMarks, searchedWords } from './words.ts'

const searchMessages = operation({
  id: 'searchMessages',
  methods: ['GET'],
  path: '/search',
  scope: 'session',
  tag: 'Messages',
  summary: 'Search the messages that you may read, newest first',
  query: SearchQuery,
  result: SearchPage,
  failures: ENTRY_REFUSALS,
  async handler(context, { query }) {
    context.rates.take('message_searches_per_minute', context.actor.user.id)
    const scope = await scopeOf(context, query.room)
    const words = searchedWords(query.q)
    // A search for nothing but punctuation. Without any words, all messages would match.
    if (words.length === 0 && query.q.trim() !== '') return { results: [], nextCursor: null }
    const { q, room, from, before, after: since, has, limit, cursor } = query
    const list = ['search', context.actor.user.id, q, room, from, before, since, has]
    const filter = { words, fromUserId: from, beforeMs: before, afterMs: since, has }
    const db = context.database.offThread
    const { rows, nextCursor } = await findPage(list, { cursor, limit }, async (after, count) =>
      findHits(db, scope, filter, { cursor: after && (await findNumber(db, after)), limit: count }),
    )
    return { results: await resultsOf(context, scope, rows, words), nextCursor }
  },
})

async function scopeOf(context: Context, roomId: string | undefined): Promise<SearchScope> {
  if (roomId !== undefined) return { range: readerOf(await admitReader(context, roomId), context.now) }
  const { user, platformAdmin } = context.actor
  const { clientPrefix, now: nowMs } = context
  const isGuest = user.is_guest === 1
  return { listed: { userId: user.id, isGuest, isAdmin: platformAdmin, clientPrefix, nowMs } }
}

/** Results for hits, in the same order. */
async function resultsOf(
  context: Context,
  scope: SearchScope,
  hits: readonly SearchHit[],
  words: readonly string[],
): Promise<SearchResult[]> {
  const { database, now: nowMs } = context
  const rowsIn = Map.groupBy(hits, ({ room_id }) => room_id)
  const userId = context.actor.user.id
  const accesses = await findAccessToRooms(database, { userId, roomIds: [...rowsIn.keys()], nowMs })
  const everyone = await findDirectPeople(
    database,
    accesses.map(({ room }) => room),
  )
  const results = new Map<string, SearchResult>()
  const add = async (access: UserRoomAccess) => {
    const { roomId, room } = access
    const rows = rowsIn.get(roomId) ?? []
    for (const message of await viewMessages(database.read, readerOf(access, nowMs), rows))
      results.set(message.id, {
        message,
        room: { id: roomId, name: namedFor(userId, room, everyone).name },
        marks: findMarks(message.content ?? '', words),
      })
  }
  await Promise.all(
    accesses
      .map((access) => ({ ...access, isAdmin: access.isAdmin && ('range' in scope || access.role !== null) }))
      // Others were lost since the search.
      .filter((access) => decideEntry(access) === 'yes')
      .map(add),
  )
  return hits.flatMap(({ id }) => results.get(id) ?? [])
}

export const searchOperations = [searchMessages] as const
