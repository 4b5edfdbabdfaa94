import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type MessageJson,
  type TestUser,
  createMessage,
  createRoom,
  guest,
  makeMember,
  member,
  pin,
  react,
  readEvents,
  readMessages,
  refusal,
  succeed,
} from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 1000,
      messages_per_10s: 1000,
      guest_messages_per_10s: 1000,
      reactions_per_10s: 1000,
    }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const add = (who: TestUser, roomId: string, messageId: string, emoji: string) =>
    succeed<object>(react(who, roomId, messageId, emoji))
  const seen = async (who: TestUser, roomId: string) =>
    (await readMessages(who, roomId)).messages.at(-1)?.['reactions']
  const pins = ({ browser }: TestUser, roomId: string) =>
    browser.json<{ messages: MessageJson[] }>(`/api/rooms/${roomId}/pins`)

  test('R29.1a: each reaction and each withdrawal takes the next number and comes again from the log, without `mine`', async () => {
    const { id } = await createRoom(owner)
    const { id: messageId } = await createMessage(owner, id)
    const gustav = await guest(rooms, 'Gustav')
    rooms.publishedEvents.length = 0
    await add(gustav, id, messageId, '❤')
    await add(owner, id, messageId, '👍')
    await add(owner, id, messageId, '❤\u{FE0F}')
    await succeed(react(gustav, id, messageId, '❤', 'DELETE'))
    const [heart, thumb] = ['❤️', '👍']
    const changes = [
      { by: gustav.user.id, emoji: heart, added: true },
      { by: owner.user.id, emoji: thumb, added: true },
      { by: owner.user.id, emoji: heart, added: true },
      { by: gustav.user.id, emoji: heart, added: false },
    ]
    const count = (emoji: string, people: number) => ({ emoji, count: people })
    const counts = [
      [count(heart, 1)],
      [count(heart, 1), count(thumb, 1)],
      [count(heart, 2), count(thumb, 1)],
      [count(thumb, 1), count(heart, 1)],
    ]
    const at = new Date(rooms.clock.ms).toISOString()
    const eventOf = (seq: number, reactions: unknown, change: object) => ({
      seq,
      at,
      event: 'message.reactions',
      data: { messageId, ...change, reactions },
    })
    expect(rooms.publishedEvents.map((each) => 'event' in each && each.event)).toEqual(
      changes.map((change, index) => eventOf(index + 2, counts[index], change)) as never,
    )
    expect(await readEvents(gustav, id, 1)).toEqual(
      changes.map((change, index) => eventOf(index + 2, counts[3], change)),
    )
  })

  test('R29.2: a reaction is listed once with its count, and as the reader’s own for those who added it', async () => {
    const { id } = await createRoom(owner)
    const { id: messageId } = await createMessage(owner, id)
    const [bob, gustav] = [await member(rooms, 'Bob'), await guest(rooms, 'Gustav')]
    await makeMember(rooms, id, bob, 'moderator')
    await add(bob, id, messageId, '🎉')
    await add(gustav, id, messageId, '🎉')
    expect(await add(bob, id, messageId, '👀')).toEqual({
      reactions: [
        { emoji: '🎉', count: 2, mine: true },
        { emoji: '👀', count: 1, mine: true },
      ],
    })
    expect(await seen(gustav, id)).toEqual([
      { emoji: '🎉', count: 2, mine: true },
      { emoji: '👀', count: 1, mine: false },
    ])
    expect(await seen(owner, id)).toMatchObject([{ mine: false }, { mine: false }])
    const path = `/api/rooms/${id}/messages/${messageId}/reactions`
    const person = ({ user }: TestUser, role: string, isGuest = false) => ({
      userId: user.id,
      nickname: user.nickname,
      avatarColor: user.avatar_color,
      avatarUrl: null,
      guest: isGuest,
      role,
    })
    expect(await owner.browser.json<object>(path)).toEqual({
      reactions: [
        { emoji: '🎉', users: [person(bob, 'moderator'), person(gustav, 'listener', true)] },
        { emoji: '👀', users: [person(bob, 'moderator')] },
      ],
      nextCursor: null,
    })
    const first = await owner.browser.json<ReactionPage>(`${path}?limit=1`)
    expect(first.reactions).toEqual([{ emoji: '🎉', users: [person(bob, 'moderator')] }])
    const rest = await owner.browser.json<ReactionPage>(`${path}?cursor=${first.nextCursor}`)
    expect(rest.reactions.map(({ emoji, users }) => [emoji, users.length])).toEqual([
      ['🎉', 1],
      ['👀', 1],
    ])
    const eyes = await owner.browser.json<ReactionPage>(`${path}?emoji=${encodeURIComponent('👀')}`)
    expect(eyes.reactions).toEqual([{ emoji: '👀', users: [person(bob, 'moderator')] }])
    expect((await owner.browser.send(`${path}?emoji=abc`)).status).toBe(400)
    // The count stays when an account is erased, without any trace of whose it was.
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('users').where('id', '=', gustav.user.id).execute(),
    )
    expect(await seen(owner, id)).toMatchObject([{ count: 2 }, { count: 1 }])
    expect(await owner.browser.json<object>(path)).toMatchObject({
      reactions: [{ users: [{ nickname: 'Bob' }] }, { users: [{ nickname: 'Bob' }] }],
    })
  })

  test('R29.2: the same reaction sent twenty times at once, on two nodes, counts once', async () => {
    const { id } = await createRoom(owner)
    const { id: messageId } = await createMessage(owner, id)
    const node = await rooms.node()
    const there = { user: owner.user, browser: node.browser() }
    there.browser.cookies.set('__Host-latchkey_session', owner.browser.token ?? '')
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        succeed(react(at % 2 ? owner : (there as TestUser), id, messageId, '👍')),
      ),
    )
    expect(await seen(owner, id)).toEqual([{ emoji: '👍', count: 1, mine: true }])
    expect(await readEvents(owner, id)).toHaveLength(2)
    await node.close()
  })

  test('R29.2: moderators pin and unpin, which is an event each and audited; the newest pin comes first', async () => {
    const { id } = await createRoom(owner)
    const mona = await member(rooms)
    await makeMember(rooms, id, mona, 'moderator')
    const [one, two] = [await createMessage(owner, id, 'one'), await createMessage(owner, id, 'two')]
    rooms.publishedEvents.length = 0
    await succeed(pin(mona, id, two.id))
    await succeed(pin(owner, id, one.id))
    await succeed(pin(owner, id, one.id))
    const pinned = (message: MessageJson) => ({ ...message, pinned: true })
    expect(await pins(mona, id)).toEqual({ messages: [pinned(one), pinned(two)], nextCursor: null } as never)
    await succeed(pin(owner, id, two.id, 'DELETE'))
    await succeed(pin(owner, id, two.id, 'DELETE'))
    expect(await pins(await guest(rooms), id)).toEqual({ messages: [pinned(one)], nextCursor: null } as never)
    expect((await readMessages(owner, id)).messages).toEqual([pinned(one), two])
    const events = [
      [3, 'message.pinned', { messageId: two.id, by: mona.user.id }],
      [4, 'message.pinned', { messageId: one.id, by: owner.user.id }],
      [5, 'message.unpinned', { messageId: two.id, by: owner.user.id }],
    ]
    const logged = await readEvents(mona, id, 2)
    expect(logged.map(({ seq, event, data }) => [seq, event, data])).toEqual(events)
    expect(rooms.publishedEvents.map((each) => 'event' in each && each.event)).toEqual(logged as never)
    expect((await listAuditEvents(rooms)).slice(-3)).toMatchObject([
      { action: 'room.message.pin', actor: mona.user.id, metadata: { messageId: two.id } },
      { action: 'room.message.pin', actor: owner.user.id, metadata: { messageId: one.id } },
      { action: 'room.message.unpin', actor: owner.user.id, metadata: { messageId: two.id } },
    ])
  })

  if (dialect === 'postgres') return

  test('R29.2: adding or taking back a reaction again changes nothing and is no event', async () => {
    const { id } = await createRoom(owner)
    const { id: messageId } = await createMessage(owner, id)
    const once = await add(owner, id, messageId, '👍')
    expect(await add(owner, id, messageId, '👍')).toEqual(once)
    expect(await succeed<object>(react(owner, id, messageId, '👎', 'DELETE'))).toEqual(once)
    const none = { reactions: [] }
    for (let time = 0; time < 2; time++)
      expect(await succeed<object>(react(owner, id, messageId, '👍', 'DELETE'))).toEqual(none)
    expect(await readEvents(owner, id)).toHaveLength(3)
  })

  test('R29.2, R22: a message has at most so many kinds of reactions, and a person reacts at most so often', async () => {
    const { id } = await createRoom(owner)
    const { id: messageId } = await createMessage(owner, id)
    const node = await rooms.node({ limits: { ...rooms.limits, reaction_kinds: 2, reactions_per_10s: 4 } })
    const [ada, bob] = [await member(node), await member(node)]
    await add(ada, id, messageId, '👍')
    await add(ada, id, messageId, '🎉')
    expect(await refusal(await react(bob, id, messageId, '👀'))).toEqual([409, 'too_many_reactions'])
    await add(bob, id, messageId, '🎉')
    await succeed(react(ada, id, messageId, '👍', 'DELETE'))
    await add(bob, id, messageId, '👀')
    await add(bob, id, messageId, '👀')
    const refused = await react(bob, id, messageId, '👀', 'DELETE')
    expect(refused.headers.get('retry-after')).toBe('3')
    expect(await refusal(refused)).toEqual([429, 'rate_limited'])
    await node.close()
    const off = await rooms.node({ limits: { ...rooms.limits, reaction_kinds: 0 } })
    const carl = await member(off)
    const { id: other } = await createMessage(carl, id)
    expect(await refusal(await react(carl, id, other, '👍'))).toEqual([409, 'too_many_reactions'])
    await off.close()
    const silent = await rooms.node({ limits: { ...rooms.limits, reactions_per_10s: 0 } })
    expect(await refusal(await react(await member(silent), id, other, '👍'))).toEqual([429, 'rate_limited'])
    await silent.close()
    expect(await seen(owner, id)).toEqual([])
  })

  test('R29.2: only one emoji of Unicode is a reaction', async () => {
    const { id } = await createRoom(owner)
    const { id: messageId } = await createMessage(owner, id)
    for (const text of ['a', '1', ':)', '👍👍', '<b>', '🇸', 'x'.repeat(1000)])
      expect([text, await refusal(await react(owner, id, messageId, text))]).toEqual([
        text,
        [400, 'invalid_request'],
      ])
    expect(await seen(owner, id)).toEqual([])
  })

  test('R29.2, R34: a guest pins in the own room only; a room has at most so many pins', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, pins_room: 1 } })
    const gustav = await guest(node)
    const { id } = await createRoom(gustav)
    const [one, two] = [await createMessage(gustav, id), await createMessage(gustav, id)]
    await succeed(pin(gustav, id, one.id))
    expect(await refusal(await pin(gustav, id, two.id))).toEqual([409, 'too_many_pins'])
    await succeed(pin(gustav, id, one.id))
    const elsewhere = await createRoom(owner)
    const message = await createMessage(gustav, elsewhere.id)
    for (const method of ['PUT', 'DELETE'] as const)
      expect(await refusal(await pin(gustav, elsewhere.id, message.id, method))).toEqual([403, 'forbidden'])
    expect(await refusal(await pin(owner, elsewhere.id, NOWHERE))).toEqual([404, 'not_found'])
    await node.close()
  })
})

interface ReactionPage {
  reactions: { emoji: string; users: unknown[] }[]
  nextCursor: string | null
}
