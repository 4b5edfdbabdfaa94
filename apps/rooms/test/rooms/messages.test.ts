import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type MessageJson,
  type MessagePage,
  type TestUser,
  admin,
  ban,
  createMessage,
  createRoom,
  deleteMessage,
  guest,
  join,
  keepVisitor,
  leave,
  makeMember,
  member,
  postMessage,
  readContents,
  readMessages,
  refusal,
} from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const NOWHERE = '11111111-2222-4333-8444-555555555555'

/** Makes a message this old, without ageing sessions and visits. */
async function age(rooms: TestRooms, id: string, ms: number): Promise<void> {
  await rooms.rooms.database.write((tx) =>
    tx
      .updateTable('room_messages')
      .set({ created_at: rooms.clock.ms - ms })
      .where('id', '=', id)
      .execute(),
  )
}

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, messages_per_10s: 1000, guest_messages_per_10s: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const db = () => rooms.rooms.database.read
  const readStored = (roomId: string) =>
    db().selectFrom('room_messages').selectAll().where('room_id', '=', roomId).orderBy('seq').execute()

  test('R16.3a: a message is returned, listed and published alike, trimmed, with its author', async () => {
    const { id } = await createRoom(owner)
    const gustav = await guest(rooms, 'Gustav')
    await keepVisitor(rooms, id, gustav)
    rooms.publishedEvents.length = 0
    const response = await postMessage(gustav, id, { content: '  <b>Hi</b> 😀\n', clientId: 'c-1' })
    expect(response.status).toBe(201)
    const { message } = (await response.json()) as { message: MessageJson }
    expect(message).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      roomId: id,
      seq: 1,
      userId: gustav.user.id,
      nickname: 'Gustav',
      avatarColor: gustav.user.avatar_color,
      avatarUrl: null,
      guest: true,
      authorRole: null,
      content: '<b>Hi</b> 😀',
      replyTo: null,
      mentions: [],
      groupMention: null,
      files: [],
      reactions: [],
      pinned: false,
      clientId: 'c-1',
      createdAt: new Date(rooms.clock.ms).toISOString(),
      editedAt: null,
      deletedAt: null,
    })
    expect(await readMessages(owner, id)).toEqual({
      messages: [message],
      nextCursor: null,
      newerCursor: null,
      events: [],
    })
    expect(rooms.publishedEvents).toEqual([
      {
        kind: 'event',
        roomId: id,
        event: { seq: 1, at: message['createdAt'] as string, event: 'message.created', data: { message } },
      },
    ])
  })

  test('R28.27: a repeated clientId returns the stored message with 200, whatever is sent with it', async () => {
    const { id } = await createRoom(owner)
    const { message } = (await (await postMessage(owner, id, { content: 'Once', clientId: 'a' })).json()) as {
      message: MessageJson
    }
    rooms.publishedEvents.length = 0
    for (const content of ['Once', 'Twice']) {
      const again = await postMessage(owner, id, { content, clientId: 'a' })
      expect(again.status).toBe(200)
      expect(await again.json()).toEqual({ message })
    }
    expect(rooms.publishedEvents).toEqual([])
    const bob = await member(rooms)
    expect((await postMessage(bob, id, { content: 'Mine', clientId: 'a' })).status).toBe(201)
    const elsewhere = await createRoom(owner)
    expect((await postMessage(owner, elsewhere.id, { content: 'There', clientId: 'a' })).status).toBe(201)
    expect(await readStored(id)).toHaveLength(2)
    await ban(rooms, id, bob)
    expect(await refusal(await postMessage(bob, id, { content: 'Mine', clientId: 'a' }))).toEqual([
      403,
      'banned',
    ])
  })

  test('R28.27: the same message sent twenty times at once, on two nodes, is stored once', async () => {
    const { id } = await createRoom(owner)
    const node = await rooms.node()
    const there = { user: owner.user, browser: node.browser() }
    there.browser.cookies.set('__Host-latchkey_session', owner.browser.token ?? '')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 2
          ? postMessage(owner, id, { content: 'Once', clientId: 'same' })
          : there.browser.send(`/api/rooms/${id}/messages`, { body: { content: 'Once', clientId: 'same' } }),
      ),
    )
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([...Array<number>(19).fill(200), 201])
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(bodies).size).toBe(1)
    expect(await readStored(id)).toHaveLength(1)
    await node.close()
  })

  test('R18.4a: messages posted at once on two nodes get consecutive numbers, in the log as in the list', async () => {
    const { id } = await createRoom(owner)
    const node = await rooms.node()
    const people = await Promise.all(Array.from({ length: 20 }, (_, at) => member(at % 2 ? rooms : node)))
    for (const who of people) await keepVisitor(rooms, id, who)
    const messages = await Promise.all(people.map((who, at) => createMessage(who, id, `Message ${at}`)))
    const numbers = Array.from({ length: 20 }, (_, at) => at + 1)
    expect(messages.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(numbers)
    expect((await readStored(id)).map(({ seq }) => seq)).toEqual(numbers)
    const events = await db()
      .selectFrom('room_events')
      .select('seq')
      .where('room_id', '=', id)
      .orderBy('seq')
      .execute()
    expect(events.map(({ seq }) => seq)).toEqual(numbers)
    const room = await db().selectFrom('rooms').select('last_seq').where('id', '=', id).executeTakeFirst()
    expect(room?.last_seq).toBe(20)
    await node.close()
  })

  test('R28.4: pages of any size, each from old to new, together contain every message once', async () => {
    const { id } = await createRoom(owner)
    for (let count = 0; count < 11; count++) {
      await createMessage(owner, id, `Message ${count}`)
      if (count % 3 === 0)
        await owner.browser.json(`/api/rooms/${id}/settings`, {
          method: 'PATCH',
          body: { maxParticipants: count + 2 },
        })
    }
    const all = Array.from({ length: 11 }, (_, count) => `Message ${count}`)
    for (const limit of [1, 2, 5, 10, 11, 100]) {
      const pages: (string | null)[][] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const next: MessagePage = await readMessages(
          owner,
          id,
          `?limit=${limit}${cursor && `&cursor=${cursor}`}`,
        )
        expect(next.messages.length).toBeLessThanOrEqual(limit)
        pages.unshift(next.messages.map(({ content }) => content))
        cursor = next.nextCursor
      }
      expect(pages.flat()).toEqual(all)
      expect(pages).toHaveLength(Math.ceil(11 / limit))
    }
    for (const query of ['?cursor=x', '?cursor=-1', '?limit=0', '?limit=101'])
      expect(await refusal(await owner.browser.send(`/api/rooms/${id}/messages${query}`))).toEqual([
        400,
        'invalid_request',
      ])
  })

  test('R17.8a: since_membership shows members the messages since they joined, visitors those of their visit, owner and administrators all', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const [early, late, visitor, outside] = [
      await member(rooms),
      await member(rooms),
      await member(rooms),
      await member(rooms),
    ]
    await makeMember(rooms, id, early)
    await createMessage(owner, id, 'one')
    await join(visitor, id)
    await createMessage(owner, id, 'two')
    await makeMember(rooms, id, late, 'moderator')
    await join(late, id)
    await createMessage(owner, id, 'three')
    expect(await readContents(early, id)).toEqual(['one', 'two', 'three'])
    expect(await readContents(visitor, id)).toEqual(['two', 'three'])
    expect(await readContents(late, id)).toEqual(['three'])
    expect(await readContents(outside, id)).toEqual([])
    expect(await readContents(owner, id)).toEqual(['one', 'two', 'three'])
    expect(await readContents(await admin(rooms), id)).toEqual(['one', 'two', 'three'])
    const [first] = (await readMessages(owner, id)).messages
    expect(await refusal(await deleteMessage(late, id, first?.id ?? ''))).toEqual([404, 'not_found'])
  })

  test('R17.8d: messages past their retention are hidden to the millisecond, before any job runs', async () => {
    for (const [settings, keptMs] of [
      [{ retention: 7 }, 7 * DAY],
      [{ retention: 30 }, 30 * DAY],
      [{ retention: 'forever', historyVisibility: 'none' }, HOUR],
    ] as const) {
      const { id } = await createRoom(owner, settings)
      await join(owner, id)
      const { id: messageId } = await createMessage(owner, id, 'Old')
      const grow = (ms: number) => age(rooms, messageId, ms)
      await grow(keptMs - 1)
      expect([keptMs, await readContents(owner, id)]).toEqual([keptMs, ['Old']])
      await grow(keptMs)
      expect([keptMs, await readContents(owner, id)]).toEqual([keptMs, []])
      const [row] = await readStored(id)
      expect(row?.content).toBe('Old')
    }
  })

  if (dialect === 'postgres') return

  test('R16.3b: a message has the current role of its author’s membership, whether they are present or not', async () => {
    const { id } = await createRoom(owner)
    const mona = await member(rooms, 'Mona')
    const visitor = await member(rooms, 'Viktor')
    for (const author of [owner, mona, visitor]) await join(author, id)
    for (const author of [mona, visitor]) await keepVisitor(rooms, id, author)
    for (const author of [owner, mona, visitor]) await createMessage(author, id, 'Hello')
    const roles = async () => (await readMessages(owner, id)).messages.map(({ authorRole }) => authorRole)
    expect(await roles()).toEqual(['owner', null, null])
    await makeMember(rooms, id, mona, 'moderator')
    await leave(mona, id)
    expect(await roles()).toEqual(['owner', 'moderator', null])
    expect(await createMessage(mona, id, 'Again')).toMatchObject({ authorRole: 'moderator' })
    const { events } = await owner.browser.json<{ events: { data: { message?: MessageJson } }[] }>(
      `/api/rooms/${id}/events?after=0`,
    )
    const logged = events.flatMap(({ data }) => data.message ?? [])
    expect(logged.map(({ authorRole }) => authorRole)).toEqual(await roles())
  })

  test('the event log of a room contains no message text', async () => {
    const { id } = await createRoom(owner)
    await createMessage(owner, id, 'Only once')
    const events = await db().selectFrom('room_events').selectAll().where('room_id', '=', id).execute()
    expect(events).toHaveLength(1)
    expect(JSON.stringify(events)).not.toContain('Only once')
  })

  test('R28.22: an invalid message is refused and not stored', async () => {
    const { id } = await createRoom(owner)
    const bad: unknown[] = [
      ...[1, null, [], {}, '', '   ', '\n\t', 'a\0b', '\ud800', true].map((content) => ({ content })),
      ...['\u200b\u200b', '\u3164', '\u2800 \u2800', '\u00ad', '\u2060\ufe0f'].map((content) => ({
        content,
      })),
      ...[1, null, '', 'x'.repeat(65), 'a\0b', {}].map((clientId) => ({ content: 'Hello', clientId })),
      {},
      { content: 'Hello', userId: NOWHERE },
      [],
      null,
    ]
    for (const body of bad)
      expect([body, await refusal(await postMessage(owner, id, body))]).toEqual([
        body,
        [400, 'invalid_request'],
      ])
    expect(await readStored(id)).toEqual([])
    for (const content of ['Hello', '.', '👩\u200d🚀'])
      expect((await postMessage(owner, id, { content })).status).toBe(201)
    expect((await readStored(id)).map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  test('R22: the length of a message is limited after trimming, counting an emoji once, and more strictly for guests', async () => {
    const { id } = await createRoom(owner)
    for (const [who, max] of [
      [owner, 2000],
      [await guest(rooms), 1000],
    ] as const) {
      expect((await postMessage(who, id, { content: ` ${'😀'.repeat(max)} ` })).status).toBe(201)
      const long = await postMessage(who, id, { content: 'x'.repeat(max + 1) })
      expect(long.status).toBe(400)
      expect(await long.json()).toEqual({
        error: `content: must have at most ${max} characters`,
        code: 'invalid_request',
        fields: [{ path: 'content', code: 'too_big' }],
      })
    }
    expect(await readStored(id)).toHaveLength(2)
  })

  test('R22: messages per user and ten seconds are limited, and repeating one is not counted', async () => {
    const node = await rooms.node({
      limits: { ...rooms.limits, messages_per_10s: 4, guest_messages_per_10s: 2 },
    })
    const { id } = await createRoom(owner)
    const other = await createRoom(owner)
    for (const [who, max] of [
      [await member(node), 4],
      [await guest(node), 2],
    ] as const) {
      for (let count = 0; count < max; count++)
        expect(
          (await postMessage(who, count % 2 ? id : other.id, { content: 'x', clientId: `c-${count}` }))
            .status,
        ).toBe(201)
      const refused = await postMessage(who, id, { content: 'x', clientId: 'late' })
      expect(refused.headers.get('retry-after')).toBe(String(Math.ceil(10 / max)))
      expect(await refusal(refused)).toEqual([429, 'rate_limited'])
      expect((await postMessage(who, other.id, { content: 'x', clientId: 'c-0' })).status).toBe(200)
    }
    expect((await postMessage(await guest(node), id, { content: 'x' })).status).toBe(201)
    await node.close()
  })

  test('R28.27: a deleted message leaves a tombstone without content, an event, and an audit row', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await keepVisitor(rooms, id, bob)
    const message = await createMessage(bob, id, 'Regretted')
    rooms.publishedEvents.length = 0
    rooms.clock.ms += SECOND
    expect(await (await deleteMessage(bob, id, message.id)).json()).toEqual({ success: true })
    const { messages } = await readMessages(owner, id)
    const deletedAt = new Date(rooms.clock.ms).toISOString()
    expect(messages).toEqual([{ ...message, content: null, deletedAt }])
    const data = { messageId: message.id, deletedBy: bob.user.id }
    expect(rooms.publishedEvents).toEqual([
      { kind: 'event', roomId: id, event: { seq: 2, at: deletedAt, event: 'message.deleted', data } },
    ])
    expect((await listAuditEvents(rooms)).at(-1)).toMatchObject({
      action: 'room.message.delete',
      actor: bob.user.id,
      target: ['room', id],
      metadata: { messageId: message.id, authorUserId: bob.user.id },
    })
    expect(JSON.stringify(await readStored(id))).not.toContain('Regretted')
    expect((await deleteMessage(bob, id, message.id)).status).toBe(200)
    expect(rooms.publishedEvents).toHaveLength(1)
  })

  test('R17.4: authors, moderators, the owner and administrators delete a message; others do not', async () => {
    const { id } = await createRoom(owner)
    const author = await guest(rooms)
    const people: [string, TestUser, boolean][] = [
      ['author', author, true],
      ['owner', owner, true],
      ['admin', await admin(rooms), true],
      ['visitor', await member(rooms), false],
      ['guest', await guest(rooms), false],
    ]
    for (const role of ['moderator', 'speaker', 'listener'] as const) {
      const insider = await member(rooms)
      await makeMember(rooms, id, insider, role)
      people.push([role, insider, role === 'moderator'])
    }
    for (const [name, who, may] of people) {
      const message = await createMessage(author, id)
      const response = await deleteMessage(who, id, message.id)
      expect([name, response.ok ? 200 : await refusal(response)]).toEqual([
        name,
        may ? 200 : [403, 'forbidden'],
      ])
      const row = (await readStored(id)).find((each) => each.id === message.id)
      expect([name, row?.content]).toEqual([name, may ? null : 'Hello'])
    }
  })

  test('a message is deleted only through its own room, and not by its author after a ban', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const mine = await createRoom(bob)
    const message = await createMessage(owner, id)
    expect(await refusal(await deleteMessage(bob, mine.id, message.id))).toEqual([404, 'not_found'])
    for (const wrong of [NOWHERE, 'x', message.id.toUpperCase()])
      expect(await refusal(await deleteMessage(owner, id, wrong))).toEqual([404, 'not_found'])
    const own = await createMessage(bob, id)
    await ban(rooms, id, bob)
    expect(await refusal(await deleteMessage(bob, id, own.id))).toEqual([403, 'banned'])
    expect((await readStored(id)).map(({ content }) => content)).toEqual(['Hello', 'Hello'])
  })

  test('R17.8b: none shows every user, the owner included, only the messages since the start of the current visit', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'none' })
    const bob = await member(rooms)
    const root = await admin(rooms)
    await makeMember(rooms, id, bob)
    const mine = await createMessage(owner, id, 'one')
    for (const who of [owner, bob, root]) {
      expect(await readContents(who, id)).toEqual([])
      await join(who, id)
      expect(await readContents(who, id)).toEqual([])
    }
    await createMessage(bob, id, 'two')
    for (const who of [owner, bob, root]) expect(await readContents(who, id)).toEqual(['two'])
    await leave(bob, id)
    expect(await readContents(bob, id)).toEqual([])
    expect((await deleteMessage(owner, id, mine.id)).status).toBe(200)
  })

  test('R17.8b: messages posted under none stay hidden after the room starts to keep its history', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'none' })
    await join(owner, id)
    await createMessage(owner, id, 'Between us')
    const settings = `/api/rooms/${id}/settings`
    await owner.browser.json(settings, { method: 'PATCH', body: { name: 'Still none' } })
    expect(await readContents(owner, id)).toEqual(['Between us'])
    await owner.browser.json(settings, { method: 'PATCH', body: { historyVisibility: 'all' } })
    await createMessage(owner, id, 'For all')
    expect(await readContents(await member(rooms), id)).toEqual(['For all'])
    expect(await readContents(owner, id)).toEqual(['For all'])
    const log = await owner.browser.json<{ events: { seq: number }[] }>(`/api/rooms/${id}/events?after=1`)
    expect(log).toMatchObject({ lastSeq: 4, reset: true })
    expect(log.events.map(({ seq }) => seq)).toEqual([3, 4])
    expect(JSON.stringify(await readStored(id))).not.toContain('Between us')
  })

  test('R28.25: reading a room, its messages and events changes no row', async () => {
    const { id } = await createRoom(owner)
    await createMessage(owner, id)
    const bob = await member(rooms)
    const databaseText = async () => {
      const tables = [
        'rooms',
        'room_members',
        'room_visits',
        'presence_leases',
        'room_messages',
        'room_events',
        'audit_events',
      ] as const
      return Promise.all(tables.map((table) => db().selectFrom(table).selectAll().execute()))
    }
    const before = await databaseText()
    for (const path of ['', '/messages', '/events'])
      for (const who of [owner, bob]) await who.browser.json(`/api/rooms/${id}${path}`)
    await bob.browser.json('/api/rooms')
    expect(await databaseText()).toEqual(before)
  })

  test('the author of a message has the current name while the account exists, and none after it was deleted', async () => {
    const { id } = await createRoom(owner)
    const gustav = await guest(rooms, 'Gustav')
    await createMessage(gustav, id)
    const author = async () => {
      const [message] = (await readMessages(owner, id)).messages
      return [message?.['userId'], message?.['nickname'], message?.['guest']]
    }
    await gustav.browser.json('/api/session', { method: 'PATCH', body: { nickname: 'Greta' } })
    expect(await author()).toEqual([gustav.user.id, 'Greta', true])
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('users').where('id', '=', gustav.user.id).execute(),
    )
    expect(await author()).toEqual([null, `#${gustav.user.id.slice(0, 4)}`, true])
  })
})
