import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type MessageJson,
  type TestUser,
  createMessage,
  createRoom,
  deleteMessage,
  editMessage,
  guest,
  join,
  keepVisitor,
  makeMember,
  member,
  pin,
  postMessage,
  react,
  readEvents,
  readMessages,
  refusal,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const HOUR = 3_600_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, messages_per_10s: 1000, guest_messages_per_10s: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const edit = (who: TestUser, roomId: string, messageId: string, content: string) =>
    succeed<{ message: MessageJson }>(editMessage(who, roomId, messageId, content))
  const versionsPath = (roomId: string, messageId: string) =>
    `/api/rooms/${roomId}/messages/${messageId}/versions`
  const reply = async (who: TestUser, roomId: string, replyTo: string, content = 'Reply') =>
    (await succeed<{ message: MessageJson }>(postMessage(who, roomId, { content, replyTo }), 201)).message
  const newest = async (who: TestUser, roomId: string) => (await readMessages(who, roomId)).messages.at(-1)

  test('R29.1: an edit takes the next number, is listed with the new text, and comes again from the log', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await keepVisitor(rooms, id, bob)
    const message = await createMessage(bob, id, 'Helo')
    rooms.publishedEvents.length = 0
    rooms.clock.ms += 1000
    const editedAt = new Date(rooms.clock.ms).toISOString()
    const { message: edited } = await edit(bob, id, message.id, '  Hello ')
    expect(edited).toEqual({ ...message, content: 'Hello', editedAt })
    expect(rooms.publishedEvents).toEqual([{ kind: 'last_seq', roomId: id, seq: 2 }])
    expect((await readMessages(owner, id)).messages).toEqual([edited])
    expect(await readEvents(owner, id, 1)).toEqual([
      { seq: 2, at: editedAt, event: 'message.edited', data: { message: edited } },
    ])
    const log = await rooms.rooms.database.read
      .selectFrom('room_events')
      .select('data')
      .where('room_id', '=', id)
      .execute()
    expect(JSON.stringify(log)).not.toContain('Hel')
  })

  test('R29.2: moderators read the earlier texts, oldest first, and others do not', async () => {
    const { id } = await createRoom(owner)
    const [bob, mona] = [await member(rooms), await member(rooms)]
    await makeMember(rooms, id, mona, 'moderator')
    const message = await createMessage(bob, id, 'one')
    const times = [message['createdAt']]
    for (const text of ['two', 'three']) {
      rooms.clock.ms += 1000
      times.push((await edit(bob, id, message.id, text)).message['editedAt'])
    }
    const path = versionsPath(id, message.id)
    const versions = [
      { content: 'one', at: times[0] },
      { content: 'two', at: times[1] },
    ]
    for (const who of [owner, mona])
      expect(await who.browser.json<object>(path)).toEqual({ versions, nextCursor: null })
    for (const who of [bob, await member(rooms), await guest(rooms)])
      expect(await refusal(await who.browser.send(path))).toEqual([403, 'forbidden'])
    const plain = await createMessage(bob, id)
    expect(await owner.browser.json<object>(versionsPath(id, plain.id))).toEqual({
      versions: [],
      nextCursor: null,
    })
  })

  test('R29.2: deletion takes the earlier texts, reactions and the pin with it, and everything after is refused', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await keepVisitor(rooms, id, bob)
    const message = await createMessage(bob, id, 'Secret one')
    await edit(bob, id, message.id, 'Secret two')
    await succeed(react(owner, id, message.id, '👍'))
    await succeed(pin(owner, id, message.id))
    const answer = await reply(owner, id, message.id)
    expect(answer['replyTo']).toEqual({ id: message.id, nickname: 'Ada', excerpt: 'Secret two' })
    await succeed(deleteMessage(bob, id, message.id))
    const [tombstone, answered] = (await readMessages(owner, id)).messages
    expect(tombstone).toMatchObject({ content: null, editedAt: null, reactions: [], pinned: false })
    expect(answered?.['replyTo']).toEqual({ id: message.id, nickname: 'Ada', excerpt: null })
    const attempts: [string, Response][] = [
      ['edit', await editMessage(bob, id, message.id, 'Again')],
      ['versions', await owner.browser.send(versionsPath(id, message.id))],
      ['react', await react(owner, id, message.id, '👍')],
      ['take back', await react(owner, id, message.id, '👍', 'DELETE')],
      ['reactions', await owner.browser.send(`/api/rooms/${id}/messages/${message.id}/reactions`)],
      ['pin', await pin(owner, id, message.id)],
      ['unpin', await pin(owner, id, message.id, 'DELETE')],
      ['reply', await postMessage(owner, id, { content: 'Reply', replyTo: message.id })],
    ]
    for (const [name, response] of attempts)
      expect([name, await refusal(response)]).toEqual([name, [409, 'deleted']])
    const events = await readEvents(owner, id)
    expect(events.map(({ event }) => event)).toEqual([
      'message.created',
      'message.edited',
      'message.reactions',
      'message.pinned',
      'message.created',
      'message.deleted',
    ])
    expect(JSON.stringify(events)).not.toContain('Secret')
    for (const table of [
      'room_messages',
      'room_message_versions',
      'room_reactions',
      'room_events',
    ] as const) {
      const rows = await rooms.rooms.database.read.selectFrom(table).selectAll().execute()
      expect([table, JSON.stringify(rows).includes('Secret')]).toEqual([table, false])
    }
  })

  if (dialect === 'postgres') return

  test('R29.2a: the same text again is no edit', async () => {
    const { id } = await createRoom(owner)
    const message = await createMessage(owner, id, 'Hello')
    rooms.publishedEvents.length = 0
    expect((await edit(owner, id, message.id, ' Hello ')).message).toEqual(message)
    expect(rooms.publishedEvents).toEqual([])
    expect(await readEvents(owner, id)).toHaveLength(1)
  })

  test('R29.2: only the author edits, within the limit of hours, and 0 hours turn editing off', async () => {
    const { id } = await createRoom(owner)
    const [bob, mona, gustav] = [await member(rooms), await member(rooms), await guest(rooms)]
    await makeMember(rooms, id, mona, 'moderator')
    const message = await createMessage(bob, id, 'Mine')
    for (const who of [owner, mona, gustav])
      expect(await refusal(await editMessage(who, id, message.id, 'Yours'))).toEqual([403, 'forbidden'])
    const own = await createMessage(gustav, id, 'Guest')
    expect((await edit(gustav, id, own.id, 'Edited')).message.content).toBe('Edited')
    rooms.clock.ms += 24 * HOUR - 1
    expect((await edit(bob, id, message.id, 'Still mine')).message.content).toBe('Still mine')
    rooms.clock.ms += 1
    expect(await refusal(await editMessage(bob, id, message.id, 'Late'))).toEqual([409, 'edit_over'])
    const node = await rooms.node({ limits: { ...rooms.limits, message_edit_hours: 0 } })
    const carl = await member(node)
    const fresh = await createMessage(carl, id, 'Fresh')
    expect(await refusal(await editMessage(carl, id, fresh.id, 'Never'))).toEqual([409, 'edit_over'])
    await node.close()
    expect((await readMessages(owner, id)).messages.map(({ content }) => content)).toEqual([
      'Still mine',
      'Edited',
      'Fresh',
    ])
  })

  test('R28.22, R22: an edit refuses what a post refuses', async () => {
    const { id } = await createRoom(owner)
    const gustav = await guest(rooms)
    await keepVisitor(rooms, id, gustav)
    const [mine, his] = [await createMessage(owner, id), await createMessage(gustav, id)]
    for (const content of ['', ' ', 1, null, '\u200b', 'a\0b', 'x'.repeat(2001)])
      expect([content, await refusal(await editMessage(owner, id, mine.id, content))]).toEqual([
        content,
        [400, 'invalid_request'],
      ])
    expect((await editMessage(gustav, id, his.id, 'x'.repeat(1001))).status).toBe(400)
    for (const wrong of [NOWHERE, 'x'])
      expect(await refusal(await editMessage(owner, id, wrong, 'Hello'))).toEqual([404, 'not_found'])
    expect(await readEvents(owner, id)).toHaveLength(2)
  })

  test('R29.2: a reply quotes the current beginning of its message in one line, and its author’s current name', async () => {
    const { id } = await createRoom(owner)
    const gustav = await guest(rooms, 'Gustav')
    await keepVisitor(rooms, id, gustav)
    const message = await createMessage(gustav, id, `First\n\n  line ${'x'.repeat(200)}`)
    rooms.publishedEvents.length = 0
    const answer = await reply(owner, id, message.id)
    const quotation = { id: message.id, nickname: 'Gustav', excerpt: `First line ${'x'.repeat(109)}…` }
    expect(answer['replyTo']).toEqual(quotation)
    expect(rooms.publishedEvents).toMatchObject([{ event: { data: { message: answer } } }])
    expect((await newest(gustav, id))?.['replyTo']).toEqual(quotation)
    await edit(gustav, id, message.id, 'Short')
    await gustav.browser.json('/api/session', { method: 'PATCH', body: { nickname: 'Greta' } })
    const now = { id: message.id, nickname: 'Greta', excerpt: 'Short' }
    expect((await newest(owner, id))?.['replyTo']).toEqual(now)
    expect((await readEvents(owner, id, 1))[0]?.data).toMatchObject({ message: { replyTo: now } })
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('users').where('id', '=', gustav.user.id).execute(),
    )
    expect((await newest(owner, id))?.['replyTo']).toEqual({
      ...now,
      nickname: `#${gustav.user.id.slice(0, 4)}`,
    })
  })

  test('R29.2: a reply needs a message of its room that its author may read', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const hidden = await createMessage(owner, id, 'Hidden')
    const elsewhere = await createMessage(owner, (await createRoom(owner)).id, 'Elsewhere')
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'moderator')
    for (const replyTo of [hidden.id, elsewhere.id, NOWHERE]) {
      expect(await refusal(await postMessage(bob, id, { content: 'Reply', replyTo }))).toEqual([
        404,
        'not_found',
      ])
    }
    for (const replyTo of ['x', null, 1])
      expect((await postMessage(owner, id, { content: 'Reply', replyTo })).status).toBe(400)
    for (const response of [
      await react(bob, id, hidden.id, '👍'),
      await pin(bob, id, hidden.id),
      await bob.browser.send(versionsPath(id, hidden.id)),
      await bob.browser.send(`/api/rooms/${id}/messages/${hidden.id}/reactions`),
    ])
      expect(await refusal(response)).toEqual([404, 'not_found'])
    expect(await readEvents(owner, id)).toHaveLength(1)
  })

  test('R17.8, R29.2: a person who may not read a message sees neither it in a reply, nor its edits, reactions and pin', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const hidden = await createMessage(owner, id, 'Before you came')
    const bob = await member(rooms)
    await makeMember(rooms, id, bob)
    await join(bob, id)
    const answer = await reply(owner, id, hidden.id, 'A reply')
    expect(answer['replyTo']).toMatchObject({ excerpt: 'Before you came' })
    await edit(owner, id, hidden.id, 'Changed before you came')
    await succeed(react(owner, id, hidden.id, '👍'))
    await succeed(pin(owner, id, hidden.id))
    expect(await newest(bob, id)).toEqual({ ...answer, replyTo: null })
    const events = await readEvents(bob, id)
    expect(events.map(({ seq, data }) => [seq, Object.keys(data)])).toEqual([
      [2, ['message']],
      [3, []],
      [4, []],
      [5, []],
    ])
    expect(JSON.stringify(events)).not.toContain('ou came')
    expect(await bob.browser.json<object>(`/api/rooms/${id}/pins`)).toEqual({
      messages: [],
      nextCursor: null,
    })
    const all = await readEvents(owner, id)
    expect(all.every(({ data }) => Object.keys(data).length > 0)).toBe(true)
  })

  test('R17.8d: a message past its retention is quoted nowhere, and its later events show nothing of it', async () => {
    const { id } = await createRoom(owner, { retention: 7 })
    const old = await createMessage(owner, id, 'Old text')
    await reply(owner, id, old.id)
    await edit(owner, id, old.id, 'Old text, edited')
    await succeed(react(owner, id, old.id, '👍'))
    await rooms.rooms.database.write((tx) =>
      tx
        .updateTable('room_messages')
        .set({ created_at: rooms.clock.ms - 7 * 24 * HOUR })
        .where('id', '=', old.id)
        .execute(),
    )
    expect((await newest(owner, id))?.['replyTo']).toBeNull()
    const events = async () => {
      const page = await owner.browser.json<{ events: { data: object }[]; reset: boolean }>(
        `/api/rooms/${id}/events?after=1`,
      )
      expect(page.reset).toBe(false)
      expect(JSON.stringify(page)).not.toContain('Old')
      return page.events.map(({ data }) => Object.keys(data))
    }
    expect(await events()).toEqual([['message'], [], []])
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('room_messages').where('id', '=', old.id).execute(),
    )
    expect(await events()).toEqual([['message'], [], []])
    expect((await newest(owner, id))?.['replyTo']).toBeNull()
  })
})
