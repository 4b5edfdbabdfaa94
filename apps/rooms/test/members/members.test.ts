import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  admin,
  ban,
  changeSettings,
  createRoom,
  endMembership,
  guest,
  join,
  leave,
  makeMember,
  member,
  refusal,
  rolesIn,
  setRole,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { insertPerson } from '../sessions/people.ts'
import { expectRefused, linesOf } from './state.ts'

const NOWHERE = '11111111-2222-4333-8444-555555555555'

interface MemberSeen {
  userId: string
  role: string
  nickname: string
  [member: string]: unknown
}

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({
      url: await newUrl(),
      limits: { rooms_per_hour: 1000, search_per_minute: 1000 },
    })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())
  beforeEach(() => void (rooms.publishedEvents.length = 0))

  const db = () => rooms.rooms.database.read
  const list = (who: TestUser, roomId: string, query = '') =>
    who.browser.json<{ members: MemberSeen[]; nextCursor: string | null }>(
      `/api/rooms/${roomId}/members${query}`,
    )

  test('R16.4: members are listed with the owner, in the order in which they joined, page by page', async () => {
    const { id } = await createRoom(owner)
    const people = []
    for (const role of ['listener', 'moderator', 'speaker', 'listener'] as const) {
      rooms.clock.ms += 1
      const who = await member(rooms, `Person ${people.length}`)
      await makeMember(rooms, id, who, role)
      people.push({ who, role })
    }
    const all = await list(owner, id)
    expect(all.nextCursor).toBeNull()
    expect(all.members.map(({ userId, role }) => [userId, role])).toEqual([
      [owner.user.id, 'owner'],
      ...people.map(({ who, role }) => [who.user.id, role]),
    ])
    expect(Object.keys(all.members[0] ?? {}).toSorted()).toEqual([
      'avatarColor',
      'avatarUrl',
      'group',
      'guest',
      'joinedAt',
      'nickname',
      'role',
      'userId',
    ])
    const paged: MemberSeen[] = []
    let cursor: string | null = null
    do {
      const page = await list(owner, id, `?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
      expect(page.members.length).toBeLessThanOrEqual(2)
      paged.push(...page.members)
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(paged).toEqual(all.members)
    const other = await createRoom(owner)
    const { nextCursor } = await list(owner, id, '?limit=1')
    const foreign = await owner.browser.send(`/api/rooms/${other.id}/members?cursor=${nextCursor}`)
    expect(await refusal(foreign)).toEqual([400, 'invalid_request'])
  })

  test('R28.8: users are found by any part of their name, with wildcards taken literally, and never by email', async () => {
    const { id } = await createRoom(owner)
    const percent = await insertPerson(rooms, { nickname: '100% Åsa_Öberg', email: 'secret@zebra.example' })
    await insertPerson(rooms, { nickname: '100x Asa-Oberg', email: 'other@zebra.example' })
    await insertPerson(rooms, { nickname: 'Åsa_Ö, disabled', disabled: 1 })
    await guest(rooms, 'Åsa_Ö, guest')
    const search = async (q: string) => {
      const query = `?q=${encodeURIComponent(q)}`
      return owner.browser.json<{ users: { id: string }[] }>(`/api/rooms/${id}/users/search${query}`)
    }
    const seen = {
      id: percent.id,
      nickname: '100% Åsa_Öberg',
      avatarColor: percent.avatar_color,
      avatarUrl: null,
    }
    for (const q of ['0% å', 'ÅSA_ö', ' sa_Ö ', `åsa_ö${' '.repeat(2100)}`])
      expect(await search(q)).toEqual({ users: [seen] })
    for (const q of ['%%', '__', '1%Å', 'zebra', 'secret@zebra.example', 'example.com'])
      expect(await search(q)).toEqual({ users: [] })
    for (const q of ['', '?q=', '?q=a', '?q=%20a%20', `?q=${'x'.repeat(65)}`, `?q=${'x'.repeat(2049)}`])
      expect(await refusal(await owner.browser.send(`/api/rooms/${id}/users/search${q}`))).toEqual([
        400,
        'invalid_request',
      ])
    const gustav = await guest(rooms)
    const own = await createRoom(gustav)
    const byGuest = await gustav.browser.send(`/api/rooms/${own.id}/users/search?q=asa`)
    expect(await refusal(byGuest)).toEqual([403, 'guest_not_permitted'])
  })

  if (dialect === 'postgres') return

  test('R14.5: a guest lists the members of their own room, and of no other, even as a member of it', async () => {
    const gustav = await guest(rooms)
    const own = await createRoom(gustav)
    expect((await list(gustav, own.id)).members).toEqual([
      expect.objectContaining({ userId: gustav.user.id, role: 'owner', guest: true }),
    ])
    const { id } = await createRoom(owner)
    await makeMember(rooms, id, gustav, 'speaker')
    const response = await gustav.browser.send(`/api/rooms/${id}/members`)
    expect(await refusal(response)).toEqual([403, 'forbidden'])
  })

  test('people are found without accents, and by one character where that is a word', async () => {
    const { id } = await createRoom(owner)
    const names = ['Mélanie İpek', '王小明', 'ｶﾞﾌﾞ', '김철수', '🙂']
    const people = []
    for (const nickname of names) people.push(await insertPerson(rooms, { nickname }))
    const search = async (q: string) => {
      const path = `/api/rooms/${id}/users/search?q=${encodeURIComponent(q)}`
      const { users } = await owner.browser.json<{ users: { nickname: string }[] }>(path)
      return users.map(({ nickname }) => nickname)
    }
    for (const [q, nickname] of [
      ['melanie', 'Mélanie İpek'],
      ['MÉLANIE ipek', 'Mélanie İpek'],
      ['王', '王小明'],
      ['ガ', 'ｶﾞﾌﾞ'],
      ['김', '김철수'],
      ['🙂', '🙂'],
    ] as const)
      expect([q, await search(q)]).toEqual([q, [nickname]])
    for (const q of ['é', 'i', 'ж', '1', '\u200b'])
      expect(
        await refusal(await owner.browser.send(`/api/rooms/${id}/users/search?q=${encodeURIComponent(q)}`)),
      ).toEqual([400, 'invalid_request'])
  })

  test('a search returns at most 20 users, and searches per user and minute are limited', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, search_per_minute: 2 } })
    const { id } = await createRoom(owner)
    for (let count = 0; count < 21; count++) await insertPerson(rooms, { nickname: `Crowd ${count}` })
    const ada = await member(node)
    await makeMember(rooms, id, ada, 'moderator')
    const search = () => ada.browser.send(`/api/rooms/${id}/users/search?q=crowd`)
    expect(((await (await search()).json()) as { users: unknown[] }).users).toHaveLength(20)
    expect((await search()).status).toBe(200)
    expect(await refusal(await search())).toEqual([429, 'rate_limited'])
    await node.close()
  })

  test('R17.3b: a moderator makes a present visitor a member, but not an absent or unknown user', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const [visitor, absent] = [await member(rooms, 'Vera'), await member(rooms)]
    await join(visitor, id)
    rooms.publishedEvents.length = 0
    const { member: made } = (await (await setRole(owner, id, visitor, 'speaker')).json()) as {
      member: MemberSeen
    }
    const seen = {
      userId: visitor.user.id,
      nickname: 'Vera',
      avatarColor: visitor.user.avatar_color,
      avatarUrl: null,
      guest: false,
      role: 'speaker',
    }
    expect(made).toEqual({ ...seen, joinedAt: new Date(rooms.clock.ms).toISOString() })
    expect(rooms.publishedEvents).toEqual([
      {
        kind: 'event',
        roomId: id,
        event: {
          seq: 1,
          at: new Date(rooms.clock.ms).toISOString(),
          event: 'member.joined',
          data: { person: seen },
        },
      },
      { kind: 'access', roomId: id },
      { kind: 'lobby', roomId: id },
    ])
    expect(await linesOf(rooms, id)).toEqual([
      expect.objectContaining({
        action: 'room.member.role_update',
        actor: owner.user.id,
        metadata: { userId: visitor.user.id, from: null, to: 'speaker' },
      }),
    ])
    for (const target of [absent, { user: { id: NOWHERE } }])
      await expectRefused(rooms, () => setRole(owner, id, target, 'speaker'), [404, 'not_found'])
    await makeMember(rooms, id, absent)
    rooms.clock.ms += 45_000
    const gone = await member(rooms)
    await join(gone, id)
    rooms.clock.ms += 45_000
    await expectRefused(rooms, () => setRole(owner, id, gone, 'speaker'), [404, 'not_found'])
  })

  test('a role is changed once, and the time of joining stays', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob)
    const memberRows = await db().selectFrom('room_members').selectAll().where('room_id', '=', id).execute()
    rooms.clock.ms += 5000
    rooms.publishedEvents.length = 0
    expect((await setRole(owner, id, bob, 'moderator')).status).toBe(200)
    expect(rooms.publishedEvents[0]).toMatchObject({ kind: 'event', event: { seq: 1, event: 'member.role' } })
    rooms.publishedEvents.length = 0
    expect((await setRole(owner, id, bob, 'moderator')).status).toBe(200)
    expect(rooms.publishedEvents).toEqual([])
    expect(await linesOf(rooms, id)).toHaveLength(1)
    expect(await db().selectFrom('room_members').selectAll().where('room_id', '=', id).execute()).toEqual(
      memberRows.map((row) => ({ ...row, role: 'moderator' })),
    )
  })

  test('R17.4: moderators set listeners and speakers; only the owner and administrators appoint or demote moderators', async () => {
    const { id } = await createRoom(owner)
    const [first, second, bob] = [await member(rooms), await member(rooms), await member(rooms)]
    for (const who of [first, second]) await makeMember(rooms, id, who, 'moderator')
    await makeMember(rooms, id, bob)
    expect((await setRole(first, id, bob, 'speaker')).status).toBe(200)
    await expectRefused(rooms, () => setRole(first, id, bob, 'moderator'), [403, 'forbidden'])
    for (const target of [first, second])
      await expectRefused(rooms, () => setRole(first, id, target, 'speaker'), [403, 'forbidden'])
    const root = await admin(rooms)
    for (const who of [first, owner, root])
      await expectRefused(rooms, () => setRole(who, id, owner, 'listener'), [409, 'target_is_owner'])
    expect((await setRole(root, id, second, 'listener')).status).toBe(200)
    expect((await setRole(owner, id, bob, 'moderator')).status).toBe(200)
    expect(await rolesIn(rooms, id)).toEqual(
      Object.fromEntries([
        [first.user.id, 'moderator'],
        [second.user.id, 'listener'],
        [bob.user.id, 'moderator'],
      ]),
    )
  })

  test('R14.5: a guest cannot become a moderator', async () => {
    const { id } = await createRoom(owner)
    const gustav = await guest(rooms)
    await join(gustav, id)
    for (const who of [owner, await admin(rooms)])
      await expectRefused(rooms, () => setRole(who, id, gustav, 'moderator'), [403, 'guest_not_permitted'])
    expect((await setRole(owner, id, gustav, 'speaker')).status).toBe(200)
  })

  test('R28.20: two readers of the same event each get their own role only', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await join(bob, id)
    await setRole(owner, id, bob, 'moderator')
    await succeed(changeSettings(owner, id, { name: 'New' }))
    for (const [who, role] of [
      [owner, 'owner'],
      [bob, 'moderator'],
      [await member(rooms), null],
    ] as const) {
      const { events } = await who.browser.json<{
        events: { event: string; data: Record<string, unknown> }[]
      }>(`/api/rooms/${id}/events`)
      expect(events.map(({ event }) => event)).toEqual(['member.joined', 'room.settings'])
      expect(events[0]?.data).toEqual({
        person: expect.objectContaining({ userId: bob.user.id, role: 'moderator' }),
      })
      expect(events[1]?.data).toEqual({
        person: expect.objectContaining({ userId: owner.user.id, role: 'owner' }),
        room: expect.objectContaining({ role }),
        changes: ['name'],
      })
    }
  })

  test('a member who leaves is a visitor in a public room and has no access to a private one', async () => {
    for (const visibility of ['public', 'private']) {
      const { id } = await createRoom(owner, { visibility })
      const bob = await member(rooms, 'Bob')
      await makeMember(rooms, id, bob, 'moderator')
      await join(bob, id)
      rooms.publishedEvents.length = 0
      expect((await endMembership(bob, id)).status).toBe(200)
      expect(rooms.publishedEvents[0]).toMatchObject({
        kind: 'event',
        event: { event: 'member.left', data: { person: { userId: bob.user.id, role: 'moderator' } } },
      })
      const removed = rooms.publishedEvents.filter(({ kind }) => kind === 'removed')
      const visits = await db().selectFrom('room_visits').selectAll().where('room_id', '=', id).execute()
      if (visibility === 'public') {
        expect(removed).toEqual([])
        expect(visits).toHaveLength(1)
        expect(await (await join(bob, id)).json()).toMatchObject({ role: 'listener' })
      } else {
        expect(removed).toEqual([
          { kind: 'removed', roomId: id, userIds: [bob.user.id], reason: 'left', untilMs: null },
        ])
        expect(visits).toEqual([])
        expect(await refusal(await join(bob, id))).toEqual([404, 'not_found'])
      }
      expect(await rolesIn(rooms, id)).toEqual({})
      expect((await linesOf(rooms, id)).map(({ action }) => action)).toEqual(['room.membership.leave'])
    }
  })

  test('R17.2: an administrator whose membership ends is recorded as an administrator, at once if present and otherwise on the next read', async () => {
    for (const [where, atOnce] of [
      ['there', true],
      ['gone', false],
      ['never there', false],
    ] as const) {
      const { id } = await createRoom(owner, { visibility: 'private' })
      const root = await admin(rooms)
      await makeMember(rooms, id, root)
      if (where !== 'never there') await join(root, id)
      if (where === 'gone') await leave(root, id)
      rooms.publishedEvents.length = 0
      const actions = async () => (await linesOf(rooms, id)).map(({ action }) => action)
      expect((await endMembership(root, id)).status).toBe(200)
      const entered = ['room.membership.leave', 'room.admin_entry']
      expect([where, await actions()]).toEqual([where, atOnce ? entered : ['room.membership.leave']])
      expect(rooms.publishedEvents.filter(({ kind }) => kind === 'removed')).toEqual([])
      for (let times = 0; times < 2; times++) {
        rooms.clock.ms += 30_000
        await root.browser.json(`/api/rooms/${id}/messages`)
      }
      expect([where, await actions()]).toEqual([where, entered])
    }
  })

  test('the owner cannot leave before a transfer, and a user who is not a member has nothing to leave', async () => {
    const { id } = await createRoom(owner)
    await expectRefused(rooms, () => endMembership(owner, id), [409, 'owner_must_transfer'])
    const visitor = await member(rooms)
    await join(visitor, id)
    await expectRefused(rooms, () => endMembership(visitor, id), [404, 'not_found'])
    const banned = await member(rooms)
    await ban(rooms, id, banned)
    await expectRefused(rooms, () => endMembership(banned, id), [404, 'not_found'])
    await expectRefused(rooms, () => endMembership(visitor, NOWHERE), [404, 'not_found'])
  })

  test('R28.18: entering a public room and reading in it create no membership', async () => {
    const { id } = await createRoom(owner)
    for (const who of [await member(rooms), await guest(rooms), await admin(rooms)]) {
      await join(who, id)
      await who.browser.json(`/api/rooms/${id}/messages`)
      await who.browser.json(`/api/rooms/${id}/leave`, { method: 'DELETE' })
    }
    expect(await rolesIn(rooms, id)).toEqual({})
    expect((await list(owner, id)).members).toHaveLength(1)
  })
})
