import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { type CompiledQuery, sql } from 'kysely'
import { type SearchFilter, findHits, queryHits } from '../../src/messages/search/store.ts'
import { searchedWords } from '../../src/messages/search/words.ts'
import {
  type MessageJson,
  type TestUser,
  createMessage,
  createRoom,
  deleteMessage,
  editMessage,
  eraseAccount,
  member,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const WORDS = [
  'black',
  'Friday',
  'frigate',
  'Österlånggatan',
  'a',
  '北京大学',
  'ba-na',
  'https://a.example/b',
  '#tag',
  '@name',
]
const QUERIES = [
  'bl',
  'fri',
  'FRIDAY a',
  'öster bla',
  '京大',
  '北京 fri',
  'na ba',
  'example http',
  'tag',
  'zzz',
  'frigates',
]

/** The words of a text, found differently from the code under test. */
function split(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s:/.#@-]+/)
    .filter((word) => word !== '')
}

/** Whether the text matches: each word begins a word, or is a part of a text without spaces. */
function matches(search: string, text: string): boolean {
  return split(search).every((word) =>
    /^[a-zåäö]/.test(word) ? split(text).some((each) => each.startsWith(word)) : text.includes(word),
  )
}

interface State {
  owner: TestUser
  bob: TestUser
  roomId: string
  messages: { message: MessageJson; author: TestUser; text: string | null }[]
}

const texts = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '))
const indexes = fc.nat(9)
const writes = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('post' as const), text: texts, byBob: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), text: texts, at: indexes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: indexes }) },
)
type Write = typeof writes extends fc.Arbitrary<infer Value> ? Value : never

async function apply(state: State, write: Write): Promise<void> {
  const { owner, bob, roomId, messages } = state
  if (write.kind === 'post') {
    const author = write.byBob ? bob : owner
    messages.push({ author, text: write.text, message: await createMessage(author, roomId, write.text) })
    return
  }
  const target = messages[write.at]
  if (!target || target.text === null) return
  const response =
    write.kind === 'edit'
      ? editMessage(target.author, roomId, target.message.id, write.text)
      : deleteMessage(target.author, roomId, target.message.id)
  await succeed(response)
  target.text = write.kind === 'edit' ? write.text : null
}

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 10_000,
      rooms_owned: 10_000,
      messages_per_10s: 100_000,
      http_per_minute: 100_000,
      room_writes_per_minute: 100_000,
    }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const scopes = (roomId: string, userId: string) => ({
    room: { range: { roomId, afterSeq: 0, retainedAfterMs: 0 } },
    all: { listed: { userId, isGuest: false, isAdmin: false, clientPrefix: '', nowMs: rooms.clock.ms } },
  })

  test('R32.1: a search finds exactly what a scan finds, newest first, after any writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(writes, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (list, isErased) => {
          const { database } = rooms.rooms
          const [reader, bob] = [await member(rooms), await member(rooms)]
          const { id: roomId } = await createRoom(owner, { visibility: 'private' })
          for (const { user } of [reader, bob])
            await database.write((tx) =>
              tx
                .insertInto('room_members')
                .values({ room_id: roomId, user_id: user.id, role: 'speaker', joined_at: 0, joined_seq: 0 })
                .execute(),
            )
          const state: State = { owner, bob, roomId, messages: [] }
          for (const write of list) await apply(state, write)
          if (isErased) await succeed(eraseAccount(bob))
          const filters: [string, Partial<SearchFilter>, (at: State['messages'][number]) => boolean][] = [
            ...QUERIES.map((q): (typeof filters)[number] => [q, {}, () => true]),
            ['fri', { fromUserId: bob.user.id }, ({ author }) => author === bob && !isErased],
            ['', { fromUserId: owner.user.id }, ({ author }) => author === owner],
            ['', { has: 'link' }, ({ text }) => text?.includes('https') === true],
          ]
          for (const [q, filter, isFiltered] of filters) {
            const expected = state.messages
              .filter((each) => each.text !== null && isFiltered(each) && matches(q, each.text))
              .map(({ message }) => message.id)
              .toReversed()
            for (const [name, scope] of Object.entries(scopes(roomId, reader.user.id)))
              for (const maxScanned of [undefined, 0]) {
                const page = { cursor: undefined, limit: 20, ...(maxScanned === 0 && { maxScanned }) }
                const hits = await findHits(database, scope, { words: searchedWords(q), ...filter }, page)
                const ids = hits.filter(({ room_id }) => room_id === roomId).map(({ id }) => id)
                expect([q, filter, name, maxScanned, ids]).toEqual([q, filter, name, maxScanned, expected])
              }
          }
        },
      ),
      { numRuns: dialect === 'sqlite' ? 25 : 8 },
    )
    if (dialect === 'sqlite')
      await rooms.rooms.database.write((tx) =>
        sql`insert into message_words (message_words, rank) values ('integrity-check', 1)`.execute(tx),
      )
  }, 120_000)

  test('R32.2: pages of the index continue across its buckets, without gaps', async () => {
    const { id: roomId } = await createRoom(owner)
    const { database } = rooms.rooms
    const messages = []
    for (let n = 0; n < 12; n++) messages.push(await createMessage(owner, roomId, `bucket ${n}`))
    // As if many other messages were between them.
    for (const [n, { seq }] of messages.entries())
      await database.write(async (tx) => {
        const row = await tx
          .deleteFrom('message_search')
          .where('room_id', '=', roomId)
          .where('seq', '=', seq)
          .returningAll()
          .executeTakeFirstOrThrow()
        await tx
          .insertInto('message_search')
          .values({ ...row, no: 1_000_000 + n * 3_000 })
          .execute()
      })
    const ids: string[] = []
    for (let cursor: number | undefined, isMore = true; isMore;) {
      const { room } = scopes(roomId, owner.user.id)
      const hits = await findHits(database, room, { words: ['bucket'] }, { cursor, limit: 5, maxScanned: 0 })
      ids.push(...hits.map(({ id }) => id))
      cursor = hits.at(-1)?.no
      isMore = hits.length > 0
    }
    expect(ids).toEqual(messages.map(({ id }) => id).toReversed())
  })

  test('R32.2d: words are found through the index, in its order, without a sort of all hits', async () => {
    const { database } = rooms.rooms
    const { id: roomId } = await createRoom(owner)
    await createMessage(owner, roomId, 'Friday')
    for (const scope of Object.values(scopes(roomId, owner.user.id))) {
      const query = await queryHits(
        database,
        scope,
        { words: ['friday'] },
        { cursor: undefined, limit: 50, maxScanned: 0 },
      )
      const plan = await explain(query?.compile(database.read))
      expect(plan).toMatch(/SCAN message_words VIRTUAL TABLE INDEX|Bitmap Index Scan on message_words/)
      expect(plan).not.toMatch(/SCAN message_search|Seq Scan on message_search|USE TEMP B-TREE FOR ORDER BY/)
      // A sort inside a bucket only.
      if (dialect === 'postgres') expect(plan).toMatch(/^Limit[^\n]*\n *-> +Nested Loop/)
    }
  })

  async function explain(query: CompiledQuery | undefined): Promise<string> {
    if (!query) throw new Error('There is no query')
    const explained = { ...query, sql: `explain ${dialect === 'sqlite' ? 'query plan ' : ''}${query.sql}` }
    const { rows } = await rooms.rooms.database.read.executeQuery<Record<string, unknown>>(explained)
    return rows.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n')
  }
})
