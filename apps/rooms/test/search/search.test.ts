import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  createMessage,
  createRoom,
  deleteMessage,
  deleteRoom,
  editMessage,
  eraseAccount,
  guest,
  member,
  readMessages,
  refusal,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { searchTexts, search, sendSearch } from './actions.ts'

const MINUTE = 60_000

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 1000,
      messages_per_10s: 1000,
      message_searches_per_minute: 1000,
      message_length: 40_000,
    }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const indexed = () => rooms.rooms.database.read.selectFrom('message_search').selectAll().execute()

  test('R32.1: results are messages as they are listed, newest first, with room and marks', async () => {
    const { id } = await createRoom(owner, { name: 'Sales' })
    const first = await createMessage(owner, id, 'Black Friday')
    await createMessage(owner, id, 'Friday')
    rooms.clock.ms += 1000
    const second = await createMessage(owner, id, 'a 😀 friday, all black')
    expect(await search(owner, { q: 'fri BLA', room: id })).toEqual({
      results: [
        {
          message: second,
          room: { id, name: 'Sales' },
          marks: [
            [5, 6],
            [17, 5],
          ],
        },
        {
          message: first,
          room: { id, name: 'Sales' },
          marks: [
            [0, 5],
            [6, 6],
          ],
        },
      ],
      nextCursor: null,
    })
    expect((await search(owner, { q: 'friday' })).results[0]?.message).toEqual(
      (await readMessages(owner, id)).messages.at(-1),
    )
  })

  test('R32.1: pages go on to the oldest result, and a cursor is for its own search only', async () => {
    const { id } = await createRoom(owner)
    for (let n = 1; n <= 7; n++) await createMessage(owner, id, `page ${n}`)
    const texts: (string | null)[][] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await search(owner, { q: 'pag', room: id, limit: '3', ...(cursor && { cursor }) })
      texts.push(page.results.map(({ message }) => message.content))
      cursor = page.nextCursor
      // Messages that arrive later do not shift the pages.
      await createMessage(owner, id, 'page new')
    }
    expect(texts).toEqual([['page 7', 'page 6', 'page 5'], ['page 4', 'page 3', 'page 2'], ['page 1']])
    const { nextCursor } = await search(owner, { q: 'page', room: id, limit: '1' })
    for (const foreign of [nextCursor ?? '', 'x', 'AAAA', ''])
      expect(await refusal(await sendSearch(owner, { q: 'pages', room: id, cursor: foreign }))).toEqual([
        400,
        'invalid_request',
      ])
    expect(await refusal(await sendSearch(owner, { q: 'page', limit: '51' }))).toEqual([
      400,
      'invalid_request',
    ])
  })

  test('R32.1i: a cursor counts no messages of other rooms, and goes on when the last result is deleted', async () => {
    const { id } = await createRoom(owner)
    const messages = []
    for (let n = 1; n <= 4; n++) {
      rooms.clock.ms += 1_000
      messages.push(await createMessage(owner, id, `cursor ${n}`))
    }
    const page = await search(owner, { q: 'cursor', room: id, limit: '2' })
    const cursor = page.nextCursor ?? ''
    const last = messages[2]?.id ?? ''
    const [, ...position] = Buffer.from(cursor, 'base64url').toString().split('.')
    expect(position).toEqual([String(rooms.clock.ms - 1_000), last])
    await succeed(deleteMessage(owner, id, last))
    const next = await search(owner, { q: 'cursor', room: id, cursor })
    expect(next.results.map(({ message }) => message.content)).toEqual(['cursor 2', 'cursor 1'])
  })

  test('R32.1g: filters by author, time and link narrow a search, or stand alone', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const at = (ms: number) => new Date(ms).toISOString()
    const startMs = rooms.clock.ms
    await createMessage(owner, id, 'plan one')
    rooms.clock.ms += MINUTE
    await createMessage(bob, id, 'plan two https://example.com')
    rooms.clock.ms += MINUTE
    await createMessage(bob, id, 'plan three')
    const inRoom = (query: Record<string, string>) => searchTexts(owner, { room: id, ...query })
    expect(await inRoom({ q: 'plan', from: bob.user.id })).toEqual([
      'plan three',
      'plan two https://example.com',
    ])
    expect(await inRoom({ from: owner.user.id })).toEqual(['plan one'])
    expect(await inRoom({ from: crypto.randomUUID() })).toEqual([])
    expect(await inRoom({ has: 'link' })).toEqual(['plan two https://example.com'])
    expect(await inRoom({ q: 'plan', has: 'link', from: owner.user.id })).toEqual([])
    expect(await inRoom({ q: 'plan', before: at(startMs + MINUTE) })).toEqual(['plan one'])
    expect(await inRoom({ q: 'plan', after: at(startMs + MINUTE) })).toEqual([
      'plan three',
      'plan two https://example.com',
    ])
    expect(
      await inRoom({ q: 'plan', after: at(startMs + MINUTE), before: at(startMs + 2 * MINUTE) }),
    ).toEqual(['plan two https://example.com'])
    for (const wrong of [
      {},
      { q: ' ' },
      { q: 'a', from: 'bob' },
      { q: 'a', before: 'today' },
      { q: 'a', has: 'x' },
    ])
      expect(await refusal(await sendSearch(owner, wrong as Record<string, string>))).toEqual([
        400,
        'invalid_request',
      ])
  })

  test('R32.2a, R32.1: a deleted or edited text is not found any more, and the new text is', async () => {
    const { id } = await createRoom(owner)
    const edited = await createMessage(owner, id, 'first wording')
    const deleted = await createMessage(owner, id, 'second wording')
    await succeed(editMessage(owner, id, edited.id, 'other phrase'))
    expect(await searchTexts(owner, { q: 'first', room: id })).toEqual([])
    expect(await searchTexts(owner, { q: 'phrase', room: id })).toEqual(['other phrase'])
    await succeed(deleteMessage(owner, id, deleted.id))
    expect(await searchTexts(owner, { q: 'wording', room: id })).toEqual([])
    const documents = (await indexed()).filter(({ room_id }) => room_id === id)
    expect(documents.map(({ seq }) => seq)).toEqual([edited.seq])
    expect(documents[0]?.doc).not.toContain('wording')
  })

  test('R32.1: a text that changes in any other way is not found any more either', async () => {
    const { id } = await createRoom(owner)
    const message = await createMessage(owner, id, 'overwritten')
    await rooms.rooms.database.write((tx) =>
      tx.updateTable('room_messages').set({ content: 'by hand' }).where('id', '=', message.id).execute(),
    )
    expect(await searchTexts(owner, { q: 'overwritten', room: id })).toEqual([])
    expect((await indexed()).find(({ room_id }) => room_id === id)?.doc).toBe('')
  })

  test('R32.2a, R32.1: a search finds nothing of a deleted room, and the id of an erased author leaves the index', async () => {
    const { id } = await createRoom(owner)
    const gone = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await createMessage(bob, id, 'remains')
    await createMessage(bob, gone.id, 'remains not')
    await succeed(deleteRoom(owner, gone.id))
    expect(await searchTexts(owner, { q: 'remains' })).toEqual(['remains'])
    expect(await refusal(await sendSearch(owner, { q: 'remains', room: gone.id }))).toEqual([
      404,
      'not_found',
    ])
    expect((await indexed()).filter(({ room_id }) => room_id === gone.id)).toEqual([])
    await succeed(eraseAccount(bob))
    const [result] = (await search(owner, { q: 'remains', room: id })).results
    expect(result?.message).toMatchObject({ userId: null, content: 'remains' })
    expect(await searchTexts(owner, { from: bob.user.id, room: id })).toEqual([])
    expect((await indexed()).find(({ room_id }) => room_id === id)?.doc).not.toContain(
      bob.user.id.slice(0, 8),
    )
  })

  test('R32.1: hostile queries find what their words say, or nothing', async () => {
    const { id } = await createRoom(owner)
    const texts = ['alpha "beta"', 'gamma OR delta', 'مرحبا بالعالم', 'zero\u200bwidth', "it's 100% a:b"]
    for (const text of texts) await createMessage(owner, id, text)
    const cases: [string, string[]][] = [
      ['"alpha', ['alpha "beta"']],
      ['alpha OR gamma', []],
      ['gamma or', ['gamma OR delta']],
      ['alpha NOT beta', []],
      ['NEAR(alpha beta)', []],
      ['alpha*', ['alpha "beta"']],
      ['doc: alpha', []],
      ['^alpha', ['alpha "beta"']],
      ["alpha'); drop table users; --", []],
      ["' | 'gamma' & '", ['gamma OR delta']],
      ["gamma':*", ['gamma OR delta']],
      ['%', []],
      ['\\', []],
      ['بالعالم مرحبا', ['مرحبا بالعالم']],
      ['\u202eمرحبا\u202c', ['مرحبا بالعالم']],
      ['zerowidth', ['zero\u200bwidth']],
      ['zero\u200b\u200dwi', ['zero\u200bwidth']],
      ['@', []],
      ['!link', []],
      [`#${id.slice(0, 8)}`, []],
      ['alpha alpha ALPHA', ['alpha "beta"']],
    ]
    for (const [q, expected] of cases)
      expect([q, await searchTexts(owner, { q, room: id })]).toEqual([q, expected])
    for (const q of ['x'.repeat(10_000), 'a\0b'])
      expect(await refusal(await sendSearch(owner, { q }))).toEqual([400, 'invalid_request'])
    expect(await searchTexts(owner, { q: 'é'.repeat(900) })).toEqual([])
    expect((await owner.browser.send('/api/search?q=%ff%fe')).status).toBeLessThan(500)
    expect((await owner.browser.send('/api/search?q=%ed%a0%80')).status).toBeLessThan(500)
  })

  test('R32.1: a message of the greatest length is stored and found', async () => {
    const { id } = await createRoom(owner)
    const words = Array.from({ length: 4_000 }, (_, n) => `word${n}`).join(' ')
    await createMessage(owner, id, words)
    await createMessage(owner, id, '京都'.repeat(10_000))
    expect(await searchTexts(owner, { q: 'word1999', room: id })).toEqual([words])
    expect((await search(owner, { q: '都京', room: id })).results).toHaveLength(1)
  })

  test('R22: searches have a limit per person, and guests search too', async () => {
    const limited = await openRooms({ limits: { message_searches_per_minute: 2 } })
    const gustav = await guest(limited)
    const ada = await member(limited)
    for (const user of [gustav, ada]) {
      for (let n = 0; n < 2; n++) expect((await sendSearch(user, { q: 'a' })).status).toBe(200)
      const refused = await sendSearch(user, { q: 'a' })
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await refusal(refused)).toEqual([429, 'rate_limited'])
    }
    expect(await refusal(await limited.browser().send('/api/search?q=a'))).toEqual([401, 'unauthenticated'])
    await limited.close()
  })
})
