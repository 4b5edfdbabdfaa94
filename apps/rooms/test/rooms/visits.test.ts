import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  changeSettings,
  createMessage,
  createRoom,
  guest,
  join,
  leave,
  makeMember,
  member,
  postMessage,
  readContents,
  refusal,
  succeed,
  visitOf,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { browserOf } from '../sessions/people.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { rooms_per_hour: 1000 } })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const db = () => rooms.rooms.database.read
  const peopleIn = async (roomId: string) => {
    const { room, participants } = await owner.browser.json<{
      room: { participantCount: number }
      participants: { userId: string; nickname: string }[]
    }>(`/api/rooms/${roomId}`)
    expect(room.participantCount).toBe(participants.length)
    return participants
  }

  test('R28.18: joining makes a user present, publishes it, and creates no membership', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    rooms.publishedEvents.length = 0
    const answer = await (await join(bob, id)).json()
    expect(answer).toEqual({
      role: 'listener',
      canPublish: false,
      lastSeq: 0,
      room: { id, name: 'Lounge' },
    })
    expect(rooms.publishedEvents).toEqual([
      { kind: 'presence', roomId: id },
      { kind: 'lobby', roomId: id },
    ])
    expect(await peopleIn(id)).toEqual([
      {
        userId: bob.user.id,
        nickname: 'Bob',
        avatarColor: bob.user.avatar_color,
        avatarUrl: null,
        guest: false,
        role: 'listener',
        voice: null,
        joinedAt: new Date(rooms.clock.ms).toISOString(),
      } as never,
    ])
    await leave(bob, id)
    expect(await db().selectFrom('room_members').selectAll().where('room_id', '=', id).execute()).toEqual([])
  })

  test('R17.9: a join lasts 45 seconds, to the millisecond, and another join extends it', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await join(bob, id)
    rooms.clock.ms += 30 * SECOND
    await join(bob, id)
    rooms.clock.ms += 45 * SECOND - 1
    expect(await peopleIn(id)).toHaveLength(1)
    rooms.clock.ms += 1
    expect(await peopleIn(id)).toHaveLength(0)
  })

  test('R17.9a: the last place goes to one of twenty concurrent users', async () => {
    const { id } = await createRoom(owner, { maxParticipants: 3 })
    await join(await member(rooms), id)
    await join(await member(rooms), id)
    const node = await rooms.node()
    const racers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => member(at % 2 === 0 ? rooms : node)),
    )
    const answers = await Promise.all(racers.map((racer) => join(racer, id)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(19).fill(409),
    ])
    expect(await peopleIn(id)).toHaveLength(3)
    await node.close()
  })

  test('R17.8c: a user who returns within ten minutes continues the visit, and later starts a new one', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const bob = await member(rooms)
    await join(bob, id)
    const first = await visitOf(rooms, id, bob)
    await createMessage(owner, id, 'one')
    await leave(bob, id)
    await createMessage(owner, id, 'two')
    rooms.clock.ms += 10 * MINUTE
    await join(bob, id)
    expect(await visitOf(rooms, id, bob)).toEqual(first)
    expect(await readContents(bob, id)).toEqual(['one', 'two'])
    await leave(bob, id)
    rooms.clock.ms += 10 * MINUTE + 1
    await join(bob, id)
    expect(await visitOf(rooms, id, bob)).toMatchObject({
      started_at: rooms.clock.ms,
      started_seq: 2,
      ended_at: null,
    })
    expect(await readContents(bob, id)).toEqual([])
  })

  if (dialect === 'postgres') return

  test('R28.18: joining again, also from a second browser, changes no count and publishes nothing', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await join(bob, id)
    rooms.publishedEvents.length = 0
    const second = { user: bob.user, browser: await browserOf(rooms, bob.user) }
    for (const who of [bob, second, bob]) expect((await join(who, id)).status).toBe(200)
    expect(await peopleIn(id)).toHaveLength(1)
    expect(rooms.publishedEvents).toEqual([])
  })

  test('R28.18: leaving a room that was never entered says so and publishes nothing', async () => {
    const { id } = await createRoom(owner)
    const hidden = await createRoom(owner, { visibility: 'private' })
    const bob = await member(rooms)
    rooms.publishedEvents.length = 0
    expect(await (await leave(bob, id)).json()).toEqual({ success: true, left: false })
    expect(await refusal(await leave(bob, hidden.id))).toEqual([404, 'not_found'])
    expect(rooms.publishedEvents).toEqual([])
    expect(await visitOf(rooms, id, bob)).toBeUndefined()
  })

  test('leaving ends the visit on all connections at once, and keeps a membership', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    const second = { user: bob.user, browser: await browserOf(rooms, bob.user) }
    await join(bob, id)
    await join(second, id)
    rooms.publishedEvents.length = 0
    expect(await (await leave(bob, id)).json()).toEqual({ success: true, left: true })
    expect(await peopleIn(id)).toEqual([])
    expect(rooms.publishedEvents).toEqual([
      { kind: 'removed', roomId: id, userIds: [bob.user.id], reason: 'left', untilMs: null },
      { kind: 'presence', roomId: id },
      { kind: 'lobby', roomId: id },
    ])
    expect(await (await leave(second, id)).json()).toEqual({ success: true, left: false })
    expect(await (await join(bob, id)).json()).toMatchObject({ role: 'speaker', canPublish: true })
  })

  test('R17.9b: a full room refuses new users, never present ones, and no one once a place is free', async () => {
    const { id } = await createRoom(owner, { maxParticipants: 3 })
    const [ann, bob, dan, cem] = [
      await member(rooms),
      await member(rooms),
      await member(rooms),
      await member(rooms),
    ]
    for (const who of [ann, bob, dan]) await join(who, id)
    expect(await refusal(await join(cem, id))).toEqual([409, 'room_full'])
    expect(await visitOf(rooms, id, cem)).toBeUndefined()
    await succeed(changeSettings(owner, id, { maxParticipants: 2 }))
    expect((await join(ann, id)).status).toBe(200)
    expect(await peopleIn(id)).toHaveLength(3)
    await leave(bob, id)
    expect(await refusal(await join(bob, id))).toEqual([409, 'room_full'])
    await leave(ann, id)
    expect((await join(cem, id)).status).toBe(200)
  })

  test('R17.9c: members can post in a full room, visitors can only read it', async () => {
    const { id } = await createRoom(owner, { maxParticipants: 2 })
    for (let count = 0; count < 2; count++) await join(await member(rooms), id)
    const bob = await member(rooms)
    expect((await bob.browser.send(`/api/rooms/${id}/messages`)).status).toBe(200)
    expect(await refusal(await postMessage(bob, id, { content: 'From outside' }))).toEqual([409, 'room_full'])
    await makeMember(rooms, id, bob)
    await createMessage(bob, id, 'From outside')
  })

  test('R17.9d: guests get their share of the places, rounded down, at least one; members get the rest', async () => {
    for (const [places, forGuests] of [
      [2, 1],
      [3, 2],
      [4, 2],
      [10, 7],
    ] as const) {
      const { id } = await createRoom(owner, { maxParticipants: places })
      let admitted = 0
      for (let count = 0; count < places; count++)
        if ((await join(await guest(rooms), id)).status === 200) admitted += 1
      expect([places, admitted]).toEqual([places, forGuests])
      expect(await refusal(await join(await guest(rooms), id))).toEqual([409, 'room_full'])
      for (let count = forGuests; count < places; count++)
        expect((await join(await member(rooms), id)).status).toBe(200)
      expect(await refusal(await join(await member(rooms), id))).toEqual([409, 'room_full'])
    }
  })

  test('R22: guest_present_room limits the guests of a large room', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, guest_present_room: 2 } })
    const { id } = await createRoom(owner, { maxParticipants: 100 })
    for (let count = 0; count < 2; count++) expect((await join(await guest(node), id)).status).toBe(200)
    expect(await refusal(await join(await guest(node), id))).toEqual([409, 'room_full'])
    expect((await join(await member(node), id)).status).toBe(200)
    await node.close()
  })

  test('R17.8: a visit whose lease has expired has ended then, whether or not a job has run', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'none' })
    const bob = await member(rooms)
    await join(bob, id)
    const first = await visitOf(rooms, id, bob)
    rooms.clock.ms += 45 * SECOND + 10 * MINUTE
    await join(bob, id)
    expect(await visitOf(rooms, id, bob)).toEqual(first)
    rooms.clock.ms += 45 * SECOND + 10 * MINUTE + 1
    await join(bob, id)
    expect(await visitOf(rooms, id, bob)).toMatchObject({ started_at: rooms.clock.ms })
  })

  test('R17.7: a user whose session ends is in no room, unless by another session, and continues the visit after returning', async () => {
    const { id } = await createRoom(owner, { maxParticipants: 2 })
    const [bob, eve] = [await member(rooms, 'Bob'), await member(rooms, 'Eve')]
    const other = await member(rooms, 'Other')
    await join(other, id)
    const phone = { user: bob.user, browser: await browserOf(rooms, bob.user) }
    await join(bob, id)
    await join(phone, id)
    const before = await visitOf(rooms, id, bob)
    const logOut = ({ browser }: TestUser) => browser.json('/api/auth/logout', { body: {} })
    rooms.clock.ms += 20 * SECOND
    await logOut(bob)
    expect(await peopleIn(id)).toHaveLength(2)
    expect(await refusal(await join(eve, id))).toEqual([409, 'room_full'])
    await logOut(phone)
    expect(await peopleIn(id)).toMatchObject([{ nickname: 'Other' }])
    const leftMs = rooms.clock.ms
    expect((await join(eve, id)).status).toBe(200)
    await leave(eve, id)
    rooms.clock.ms += 5 * SECOND
    await rooms.rooms.jobs.runDue()
    expect(await visitOf(rooms, id, bob)).toMatchObject({ ...before, ended_at: leftMs })
    await join({ browser: await browserOf(rooms, bob.user) }, id)
    expect(await visitOf(rooms, id, bob)).toEqual(before)
  })

  test('R14.7 R17.7: a guest who signs in takes over the guest’s place and is not kept out by it', async () => {
    const { id } = await createRoom(owner, { maxParticipants: 2 })
    await join(await member(rooms), id)
    const browser = rooms.browser({ ip: '192.0.2.99' })
    await browser.json('/api/session', { body: { nickname: 'Gus' } }, 201)
    const enter = () => browser.send(`/api/rooms/${id}/join`, { method: 'POST', body: {} })
    expect((await enter()).status).toBe(200)
    await browser.signIn()
    expect((await enter()).status).toBe(200)
    expect(await peopleIn(id)).toMatchObject([{ guest: false }, { guest: false }])
  })

  test('R14.6c: equal names in one room get a short suffix, which a guest never causes for a member', async () => {
    const { id } = await createRoom(owner)
    const [anna, imitator, second] = [
      await member(rooms, 'Anna'),
      await guest(rooms, 'Anna'),
      await guest(rooms, 'Anna'),
    ]
    const alone = await guest(rooms, 'Berta')
    for (const who of [anna, imitator, second, alone]) await join(who, id)
    const suffixedName = ({ user }: TestUser) => `Anna #${user.id.slice(0, 4)}`
    const names = new Map((await peopleIn(id)).map(({ userId, nickname }) => [userId, nickname]))
    expect(names.get(anna.user.id)).toBe('Anna')
    expect(names.get(imitator.user.id)).toBe(suffixedName(imitator))
    expect(names.get(second.user.id)).toBe(suffixedName(second))
    expect(names.get(alone.user.id)).toBe('Berta')
    await createMessage(imitator, id, 'I am Anna')
    const { messages } = await anna.browser.json<{ messages: unknown[] }>(`/api/rooms/${id}/messages`)
    expect(messages).toEqual([expect.objectContaining({ nickname: suffixedName(imitator), guest: true })])
    const elsewhere = await createRoom(owner)
    await join(imitator, elsewhere.id)
    expect((await peopleIn(elsewhere.id)).map(({ nickname }) => nickname)).toEqual(['Anna'])
  })

  test('R28.26: a guest whose name looks like that of a participant gets the suffix, and members and others do not', async () => {
    const { id } = await createRoom(owner)
    const signe = await member(rooms, 'Signe')
    const alike = [await member(rooms, 'SIGNE'), await member(rooms, 'S1gne')]
    // With Cyrillic letters, with a digit, in other case and in full width.
    const imitators = [
      await guest(rooms, 'Ѕіgnе'),
      await guest(rooms, 'S1gne'),
      await guest(rooms, 'signe'),
      await guest(rooms, 'Ｓｉｇｎｅ'),
    ]
    // As the second of two members with equal names would be shown.
    const forger = await guest(rooms, `Signe #${signe.user.id.slice(0, 4)}`)
    const other = await guest(rooms, 'Helga')
    for (const who of [signe, ...alike, ...imitators, forger, other]) await join(who, id)
    const names = new Map((await peopleIn(id)).map(({ userId, nickname }) => [userId, nickname]))
    for (const { user } of [signe, ...alike, other]) expect(names.get(user.id)).toBe(user.nickname)
    for (const { user } of imitators) {
      expect(names.get(user.id)).toBe(`${user.nickname} #${user.id.slice(0, 4)}`)
      expect(user.nickname).not.toContain('#')
    }
    expect(names.get(forger.user.id)).toBe(`${forger.user.nickname} #${forger.user.id.slice(0, 4)}`)
    // Renaming changes the names of the user and of all who look alike.
    const later = await guest(rooms, 'Helge')
    await join(later, id)
    expect(
      (await later.browser.send('/api/session', { method: 'PATCH', body: { nickname: 'Hеlga' } })).status,
    ).toBe(200)
    const renamed = new Map((await peopleIn(id)).map(({ userId, nickname }) => [userId, nickname]))
    for (const { user } of [later, other]) expect(renamed.get(user.id)).toEndWith(` #${user.id.slice(0, 4)}`)
  })
})
