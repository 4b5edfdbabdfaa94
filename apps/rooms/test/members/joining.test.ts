import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { lockRoom } from '../../src/rooms/room-events.ts'
import {
  type Actor,
  type MessageJson,
  type RoomJson,
  type TestUser,
  admin,
  ban,
  becomeMember,
  createMessage,
  createRoom,
  endMembership,
  guest,
  join,
  listedRoom,
  makeMember,
  markRead,
  member,
  postMessage,
  readContents,
  readEvents,
  refusal,
  removeMember,
  roleOf,
  succeed,
} from '../actions.ts'
import { lossyBus } from '../realtime/lossy-bus.ts'
import { type Node, closeNodes, twoNodes } from '../realtime/nodes.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { untilWaiting } from '../rooms/locks.ts'

const MINUTE_MS = 60_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'
const WITHOUT_RATES = {
  rooms_per_hour: 1_000,
  messages_per_10s: 10_000,
  guest_messages_per_10s: 10_000,
  room_writes_per_minute: 10_000,
  http_per_minute: 10_000,
}

const readRoom = async ({ browser }: Actor, roomId: string): Promise<RoomJson> =>
  (await browser.json<{ room: RoomJson }>(`/api/rooms/${roomId}`)).room

/** The rooms of the user's own list. */
async function followedRooms({ browser }: Actor): Promise<string[]> {
  const { rooms } = await browser.json<{ rooms: { id: string }[] }>('/api/rooms?followed=true')
  return rooms.map(({ id }) => id)
}

const starRoom = ({ browser }: Actor, roomId: string, starred: unknown) =>
  browser.send(`/api/rooms/${roomId}/preferences`, { method: 'PUT', body: { starred } })

/** The types of the events of a room, and who joined or left. */
async function eventsIn(reader: Actor, roomId: string): Promise<unknown[]> {
  const events = await readEvents(reader, roomId)
  return events.map(({ event, data }) => {
    const { person, message } = data as { person?: { userId: string }; message?: MessageJson }
    return [event, person?.userId ?? message?.userId]
  })
}

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: WITHOUT_RATES })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  test('R36.4: everyone who may enter a public or unlisted room becomes a member with its default role', async () => {
    for (const visibility of ['public', 'unlisted'])
      for (const [visitor, defaultRole] of [
        [await member(rooms), 'speaker'],
        [await guest(rooms), 'listener'],
      ] as const) {
        const { id } = await createRoom(owner, { visibility, defaultRole })
        const answer = await succeed<{ member: unknown }>(becomeMember(visitor, id))
        expect(answer.member).toMatchObject({ userId: visitor.user.id, role: defaultRole })
        expect(await roleOf(rooms, id, visitor)).toBe(defaultRole)
        expect(await listedRoom(visitor, id)).toMatchObject({ role: defaultRole, unread: 0 })
        expect(await followedRooms(visitor)).toEqual([id])
        expect(await eventsIn(owner, id)).toEqual([['member.joined', visitor.user.id]])
      }
  })

  test('R36.4a: members who join again stay as they are, without an event', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const moderator = await member(rooms)
    await makeMember(rooms, id, moderator, 'moderator')
    for (const who of [moderator, owner]) expect((await becomeMember(who, id)).status).toBe(200)
    expect(await roleOf(rooms, id, moderator)).toBe('moderator')
    expect(await readEvents(owner, id)).toEqual([])
  })

  test('R36.4b: no one joins a room that they may not enter, a private room, or by the right of an administrator', async () => {
    const [stranger, gus, kim, bea, root] = [
      await member(rooms),
      await guest(rooms),
      await member(rooms),
      await member(rooms),
      await admin(rooms),
    ]
    const open = (await createRoom(owner)).id
    const hidden = (await createRoom(owner, { visibility: 'private' })).id
    const membersOnly = (await createRoom(owner, { allowGuests: false })).id
    await ban(rooms, open, kim, { untilMs: rooms.clock.ms + MINUTE_MS })
    for (const banned of [bea, root]) await ban(rooms, open, banned)
    const attempts: [TestUser, string, number, string][] = [
      [stranger, hidden, 404, 'not_found'],
      [gus, hidden, 404, 'not_found'],
      [stranger, NOWHERE, 404, 'not_found'],
      [root, hidden, 403, 'forbidden'],
      [root, open, 403, 'forbidden'],
      [gus, membersOnly, 403, 'guests_not_allowed'],
      [kim, open, 403, 'cooldown'],
      [bea, open, 403, 'banned'],
    ]
    for (const [who, roomId, status, code] of attempts) {
      expect(await refusal(await becomeMember(who, roomId))).toEqual([status, code])
      expect(await roleOf(rooms, roomId, who)).toBeNull()
    }
    // Nor by a message, where administrators may write.
    for (const roomId of [hidden, open])
      expect((await postMessage(root, roomId, { content: 'Hello' })).status).toBe(201)
    for (const roomId of [hidden, open]) expect(await roleOf(rooms, roomId, root)).toBeNull()
    expect(await eventsIn(owner, hidden)).toEqual([['message.created', root.user.id]])
  })

  test('R36.4c: the first message makes a visitor a member, just before it', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership', defaultRole: 'speaker' })
    for (const visitor of [await member(rooms), await guest(rooms)]) {
      const before = (await readEvents(owner, id)).length
      await join(visitor, id)
      await createMessage(owner, id, 'Welcome')
      const { message } = await succeed<{ message: MessageJson }>(
        postMessage(visitor, id, { content: 'Hello', clientId: 'first' }),
        201,
      )
      expect(message['authorRole']).toBe('speaker')
      await succeed(postMessage(visitor, id, { content: 'Hello', clientId: 'first' }))
      await createMessage(visitor, id, 'Again')
      expect((await eventsIn(owner, id)).slice(before)).toEqual([
        ['message.created', owner.user.id],
        ['member.joined', visitor.user.id],
        ['message.created', visitor.user.id],
        ['message.created', visitor.user.id],
      ])
      // What the visitor could read stays readable, and is not new.
      expect(await readContents(visitor, id)).toEqual(['Welcome', 'Hello', 'Again'])
      expect(await readRoom(visitor, id)).toMatchObject({ role: 'speaker', unread: 0 })
    }
    const seqs = (await readEvents(owner, id)).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  })

  test('R36.4d: who left a room by choice writes there as a visitor, until they join again', async () => {
    const { id } = await createRoom(owner, { defaultRole: 'speaker' })
    const visitor = await member(rooms)
    await createMessage(visitor, id)
    await succeed(endMembership(visitor, id))
    await createMessage(visitor, id)
    await createMessage(owner, id)
    expect(await roleOf(rooms, id, visitor)).toBeNull()
    expect(await followedRooms(visitor)).toEqual([])
    // Reading the room does not begin to follow it.
    expect(await markRead(visitor, id, 1)).toMatchObject({ unread: 1 })
    expect(await followedRooms(visitor)).toEqual([])
    expect(await readRoom(visitor, id)).toMatchObject({ role: null, unread: null })
    // Neither a kick nor its end changes that.
    await succeed(removeMember(owner, id, visitor, { action: 'kick', cooldownMinutes: 1 }))
    rooms.clock.ms += 2 * MINUTE_MS
    await createMessage(visitor, id)
    expect(await roleOf(rooms, id, visitor)).toBeNull()
    await succeed(becomeMember(visitor, id))
    expect(await readRoom(visitor, id)).toMatchObject({ role: 'speaker', unread: 0 })
    // Joining ends it: after a removal, a message makes them a member again.
    await succeed(removeMember(owner, id, visitor, { action: 'kick', cooldownMinutes: 1 }))
    expect(await refusal(await becomeMember(visitor, id))).toEqual([403, 'cooldown'])
    rooms.clock.ms += 2 * MINUTE_MS
    await createMessage(visitor, id)
    expect(await roleOf(rooms, id, visitor)).toBe('speaker')
  })

  test('R36.4e: whom a full room would not let in does not join it, and who is in it does', async () => {
    const { id } = await createRoom(owner, { maxParticipants: 2 })
    const [inside, other, outside] = [await member(rooms), await guest(rooms), await member(rooms)]
    for (const visitor of [inside, other]) expect((await join(visitor, id)).status).toBe(200)
    expect(await refusal(await becomeMember(outside, id))).toEqual([409, 'room_full'])
    expect(await roleOf(rooms, id, outside)).toBeNull()
    expect((await becomeMember(inside, id)).status).toBe(200)
  })

  test('R36.5: a star is the user’s own, begins to follow the room, and ends with the membership', async () => {
    const { id } = await createRoom(owner)
    const visitor = await member(rooms)
    const star = (starred: unknown, roomId = id) => starRoom(visitor, roomId, starred)
    expect((await readRoom(visitor, id))['starred']).toBe(false)
    expect(await succeed(star(true))).toEqual({ starred: true })
    expect(await listedRoom(visitor, id)).toMatchObject({ starred: true, role: null, unread: 0 })
    expect(await followedRooms(visitor)).toEqual([id])
    expect((await readRoom(owner, id))['starred']).toBe(false)
    expect(await readEvents(owner, id)).toEqual([])
    await succeed(becomeMember(visitor, id))
    await succeed(endMembership(visitor, id))
    expect(await readRoom(visitor, id)).toMatchObject({ starred: false })
    expect(await followedRooms(visitor)).toEqual([])
    await succeed(star(true))
    expect(await followedRooms(visitor)).toEqual([id])
    expect(await succeed(star(false))).toEqual({ starred: false })
    expect(await followedRooms(visitor)).toEqual([])
    const hidden = (await createRoom(owner, { visibility: 'private' })).id
    expect(await refusal(await star(true, hidden))).toEqual([404, 'not_found'])
    for (const wrong of ['yes', 1, null, undefined])
      expect(await refusal(await star(wrong))).toEqual([400, 'invalid_request'])
  })

  test('R36.5b: a message marked as unread is the first that is new, also for those who have read it', async () => {
    const { id } = await createRoom(owner)
    const reader = await member(rooms)
    await succeed(becomeMember(reader, id))
    const messages = []
    for (const content of ['One', 'Two', 'Three']) messages.push(await createMessage(owner, id, content))
    const [, second] = messages
    const markUnread = (seq: number, who: Actor = reader) =>
      who.browser.json<Record<string, number>>(`/api/rooms/${id}/read`, {
        method: 'PUT',
        body: { seq, unread: true },
      })
    expect(await markRead(reader, id)).toMatchObject({ unread: 0 })
    const readSeq = (second?.seq ?? 0) - 1
    expect(await markUnread(second?.seq ?? 0)).toEqual({ readSeq, unread: 2, mentions: 0 })
    expect(await readRoom(reader, id)).toMatchObject({ readSeq, unread: 2 })
    expect(await markUnread(Number.MAX_SAFE_INTEGER)).toMatchObject({ unread: 0 })
    expect(await markUnread(0)).toMatchObject({ unread: 3 })
    // A member who joined later may mark what is older than their membership.
    const late = await member(rooms)
    await succeed(becomeMember(late, id))
    expect(await readRoom(late, id)).toMatchObject({ unread: 0 })
    expect(await markUnread(second?.seq ?? 0, late)).toMatchObject({ unread: 2 })
    // A visitor begins to follow the room with it.
    const visitor = await guest(rooms)
    expect(await markUnread(second?.seq ?? 0, visitor)).toMatchObject({ unread: 2 })
    expect(await readRoom(visitor, id)).toMatchObject({ unread: 2 })
    expect(await markRead(reader, id)).toMatchObject({ unread: 0 })
  })

  test('R36.5a: a star reaches every tab of the person on all nodes, and no one else', async () => {
    const bus = lossyBus({ isPaused: false, lost: 0, twice: 0, late: 0 })
    const nodes: [Node, Node] = await twoNodes({ url: await newUrl() }, () => bus.join())
    const [here, there] = nodes
    const [olga, ada] = [await member(here.service, 'Olga'), await member(here.service, 'Ada')]
    const { id } = await createRoom(olga)
    const tabs = [here.live.connect(ada.browser), there.live.connect(ada.browser)]
    const other = there.live.connect(olga.browser)
    for (const socket of [...tabs, other]) await socket.subscribe(id)
    await succeed(starRoom(ada, id, true))
    for (const tab of tabs)
      expect(await tab.of('notice')).toMatchObject({
        notice: 'preferences',
        data: { roomId: id, starred: true },
      })
    await other.settle()
    expect(other.frames.filter(({ type }) => type === 'notice' || type === 'event')).toEqual([])
    await closeNodes(nodes)
  })

  if (dialect === 'postgres')
    test('R36.4g: all who join and write in one room at once succeed, and other rooms answer while they wait', async () => {
      const { id } = await createRoom(owner)
      const other = await createRoom(owner)
      const visitors: TestUser[] = []
      for (let number = 0; number < 40; number++) visitors.push(await member(rooms, `Visitor ${number}`))
      const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
      const holder = rooms.rooms.database.write(async (tx) => {
        await lockRoom(tx, id)
        hold()
        await isReleased
      })
      await isHeld
      let answered = 0
      const answers = visitors.map(async (visitor, number) => {
        const { status } = await (number % 2
          ? becomeMember(visitor, id)
          : postMessage(visitor, id, { content: 'Hello' }))
        answered++
        return status
      })
      await untilWaiting(rooms, { count: 2 })
      // More than the connections of a node wait for the room.
      for (let repeat = 0; repeat < 3; repeat++) await createMessage(owner, other.id)
      expect(answered).toBe(0)
      release()
      await holder
      expect(new Set(await Promise.all(answers))).toEqual(new Set([200, 201]))
      for (const visitor of visitors) expect(await roleOf(rooms, id, visitor)).toBe('listener')
    })

  test('R36.4f: of many who join at once on two nodes, each joins once, and no one’s access is checked for it', async () => {
    const bus = lossyBus({ isPaused: false, lost: 0, twice: 0, late: 0 })
    const nodes: [Node, Node] = await twoNodes({ url: await newUrl(), limits: WITHOUT_RATES }, () =>
      bus.join(),
    )
    const [here, there] = nodes.map(({ service }) => service) as [TestRooms, TestRooms]
    const olga = await member(here, 'Olga')
    const { id } = await createRoom(olga)
    const watcher = nodes[1].live.connect(olga.browser)
    await watcher.subscribe(id)
    const visitors: TestUser[] = []
    for (let number = 0; number < 30; number++)
      visitors.push(await member(number % 2 ? here : there, `Visitor ${number}`))
    for (const { publishedEvents } of [here, there]) publishedEvents.length = 0
    await Promise.all(
      visitors.flatMap((visitor) => [
        succeed(becomeMember(visitor, id)),
        succeed(postMessage(visitor, id, { content: 'Hello' }), 201),
      ]),
    )
    const joined = (await readEvents(olga, id)).filter(({ event }) => event === 'member.joined')
    expect(joined).toHaveLength(30)
    const ids = visitors.map(({ user }) => user.id)
    const people = joined.map(({ data }) => (data['person'] as { userId: string }).userId)
    expect(people.toSorted()).toEqual(ids.toSorted())
    const kinds = new Set(
      [here, there].flatMap(({ publishedEvents }) => publishedEvents.map(({ kind }) => kind)),
    )
    expect(kinds.has('event')).toBe(true)
    expect([kinds.has('access'), kinds.has('lobby')]).toEqual([false, false])
    await watcher.frame(({ seq }) => seq === 60)
    const frames = watcher.frames.filter(({ event }) => event === 'member.joined')
    expect(frames).toHaveLength(30)
    await closeNodes(nodes)
  })
})
