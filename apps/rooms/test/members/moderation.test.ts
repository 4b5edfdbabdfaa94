import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  admin,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  refusal,
  removeMember,
  unban,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { browserOf, insertPerson } from '../sessions/people.ts'
import { expectRefused, linesOf } from './state.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { rooms_per_hour: 1000 } })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())
  beforeEach(() => void (rooms.publishedEvents.length = 0))

  const db = () => rooms.rooms.database.read
  const bansOf = async (who: TestUser, roomId: string) =>
    (await who.browser.json<{ bans: Record<string, unknown>[] }>(`/api/rooms/${roomId}/bans`)).bans
  const rowsIn = async (table: 'room_members' | 'room_visits' | 'presence_leases', roomId: string) =>
    (await db().selectFrom(table).select('user_id').where('room_id', '=', roomId).execute()).map(
      ({ user_id }) => user_id,
    )
  const seqOf = async (roomId: string) =>
    (await db().selectFrom('rooms').select('last_seq').where('id', '=', roomId).executeTakeFirstOrThrow())
      .last_seq

  test('R17.5, R28.5: a kick ends visit and membership at once, prevents every return during the cool-down, and restores no role', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await makeMember(rooms, id, bob, 'speaker')
    await join(bob, id)
    rooms.publishedEvents.length = 0
    const untilMs = rooms.clock.ms + 10 * MINUTE
    expect((await removeMember(owner, id, bob, { action: 'kick', reason: ' Shouting ' })).status).toBe(200)
    expect(rooms.publishedEvents).toEqual([
      {
        kind: 'event',
        roomId: id,
        event: {
          seq: 1,
          at: new Date(rooms.clock.ms).toISOString(),
          event: 'member.removed',
          data: {
            person: expect.objectContaining({ userId: bob.user.id, nickname: 'Bob', role: 'speaker' }),
          },
        },
      },
      { kind: 'removed', roomId: id, userIds: [bob.user.id], reason: 'kicked', untilMs },
      { kind: 'presence', roomId: id },
      { kind: 'lobby', roomId: id },
      { kind: 'access', roomId: id },
      { kind: 'lobby', roomId: id, previousAudience: [bob.user.id] },
    ])
    for (const table of ['room_members', 'room_visits', 'presence_leases'] as const)
      expect(await rowsIn(table, id)).toEqual([])
    expect(await bansOf(owner, id)).toEqual([
      {
        userId: bob.user.id,
        nickname: 'Bob',
        avatarColor: bob.user.avatar_color,
        avatarUrl: null,
        kind: 'kick',
        bannedBy: owner.user.id,
        role: 'speaker',
        reason: 'Shouting',
        expiresAt: new Date(untilMs).toISOString(),
        createdAt: new Date(rooms.clock.ms).toISOString(),
      },
    ])
    expect(await linesOf(rooms, id)).toEqual([
      expect.objectContaining({
        action: 'room.member.kick',
        actor: owner.user.id,
        metadata: { userId: bob.user.id, cooldownMinutes: 10, reason: 'Shouting' },
      }),
    ])
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/join'],
      ['GET', '/messages'],
      ['GET', '/events'],
      ['GET', '/members'],
    ] as const)
      expect(await refusal(await bob.browser.send(`/api/rooms/${id}${path}`, { method }))).toEqual([
        403,
        'cooldown',
      ])
    rooms.clock.ms = untilMs
    expect(await bansOf(owner, id)).toEqual([])
    expect(await (await join(bob, id)).json()).toMatchObject({ role: 'listener' })
    expect(await rowsIn('room_members', id)).toEqual([])
  })

  /** The user with a new session, after their sessions have expired. */
  async function withSession({ user }: TestUser): Promise<TestUser> {
    return { user, browser: await browserOf(rooms, user, { ip: '192.0.2.77' }) }
  }

  test('bans are listed newest first, page by page', async () => {
    const { id } = await createRoom(owner)
    const banned: string[] = []
    for (let count = 0; count < 5; count++) {
      rooms.clock.ms += 1
      const bob = await member(rooms)
      await removeMember(owner, id, bob, { action: 'ban' })
      banned.unshift(bob.user.id)
    }
    const paged: string[] = []
    let cursor: string | null = null
    do {
      const query = cursor === null ? '' : `&cursor=${cursor}`
      const page: { bans: { userId: string }[]; nextCursor: string | null } = await owner.browser.json(
        `/api/rooms/${id}/bans?limit=2${query}`,
      )
      paged.push(...page.bans.map(({ userId }) => userId))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(paged).toEqual(banned)
  })

  if (dialect === 'postgres') return

  test('R17.5a: a ban lasts until it is lifted, and lifting it restores no membership', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    expect((await removeMember(owner, id, bob, { action: 'ban', cooldownMinutes: 1 })).status).toBe(200)
    rooms.clock.ms += 400 * DAY
    const [bobAgain, olga] = [await member(rooms, 'Other'), await withSession(owner)]
    expect(await bansOf(olga, id)).toEqual([
      expect.objectContaining({ kind: 'ban', expiresAt: null, role: 'speaker', reason: null }),
    ])
    const back = await withSession(bob)
    expect(await refusal(await join(back, id))).toEqual([403, 'banned'])
    await expectRefused(rooms, () => unban(bobAgain, id, bob), [403, 'forbidden'])
    rooms.publishedEvents.length = 0
    expect((await unban(olga, id, bob)).status).toBe(200)
    await expectRefused(rooms, () => unban(olga, id, bob), [404, 'not_found'])
    expect((await join(back, id)).status).toBe(200)
    expect(await rowsIn('room_members', id)).toEqual([])
    expect((await linesOf(rooms, id)).map(({ action, metadata }) => [action, metadata])).toEqual([
      ['room.member.ban', { userId: bob.user.id, reason: null }],
      ['room.member.unban', { userId: bob.user.id, kind: 'ban' }],
    ])
    owner = olga
  })

  test('any account can be banned before it ever enters, without an event in the room', async () => {
    const { id } = await createRoom(owner)
    const disabled = { user: await insertPerson(rooms, { disabled: 1 }) }
    for (const target of [await member(rooms), await guest(rooms), disabled]) {
      expect((await removeMember(owner, id, target, { action: 'ban' })).status).toBe(200)
      expect(rooms.publishedEvents.filter(({ kind }) => kind === 'event')).toEqual([])
    }
    expect(await seqOf(id)).toBe(0)
    expect(await bansOf(owner, id)).toHaveLength(3)
    const unknownUser = { user: { id: NOWHERE } }
    await expectRefused(rooms, () => removeMember(owner, id, unknownUser, { action: 'ban' }), [
      404,
      'not_found',
    ])
  })

  test('R17.4: moderators remove and readmit visitors, listeners and speakers; for moderators it takes the owner or an administrator', async () => {
    const { id } = await createRoom(owner)
    const [first, second] = [await member(rooms), await member(rooms)]
    for (const who of [first, second]) await makeMember(rooms, id, who, 'moderator')
    const root = await admin(rooms)
    for (const action of ['kick', 'ban']) {
      for (const role of [null, 'listener', 'speaker'] as const) {
        const bob = await member(rooms)
        if (role) await makeMember(rooms, id, bob, role)
        else await join(bob, id)
        expect((await removeMember(first, id, bob, { action })).status).toBe(200)
        expect((await unban(first, id, bob)).status).toBe(200)
      }
      for (const target of [first, second])
        await expectRefused(rooms, () => removeMember(first, id, target, { action }), [403, 'forbidden'])
      for (const who of [first, owner, root])
        await expectRefused(rooms, () => removeMember(who, id, owner, { action }), [409, 'target_is_owner'])
    }
    expect((await removeMember(owner, id, second, { action: 'kick' })).status).toBe(200)
    expect(await bansOf(first, id)).toEqual([expect.objectContaining({ role: 'moderator', kind: 'kick' })])
    await expectRefused(rooms, () => unban(first, id, second), [403, 'forbidden'])
    expect((await unban(root, id, second)).status).toBe(200)
    expect((await removeMember(root, id, first, { action: 'ban' })).status).toBe(200)
  })

  test('R17.5, R17.4: a repeated ban or kick neither hides the former role of a moderator nor shortens the earlier one', async () => {
    const { id } = await createRoom(owner)
    const [first, second] = [await member(rooms), await member(rooms)]
    for (const who of [first, second]) await makeMember(rooms, id, who, 'moderator')
    await removeMember(owner, id, second, { action: 'kick', cooldownMinutes: 60 })
    for (const body of [{ action: 'kick', cooldownMinutes: 1 }, { action: 'ban' }])
      await expectRefused(rooms, () => removeMember(first, id, second, body), [403, 'forbidden'])
    const hourMs = rooms.clock.ms + 60 * MINUTE
    await removeMember(owner, id, second, { action: 'kick', cooldownMinutes: 1 })
    expect(await bansOf(owner, id)).toEqual([
      expect.objectContaining({ kind: 'kick', role: 'moderator', expiresAt: new Date(hourMs).toISOString() }),
    ])
    await removeMember(owner, id, second, { action: 'ban' })
    await removeMember(owner, id, second, { action: 'kick', cooldownMinutes: 1440 })
    expect(await bansOf(owner, id)).toEqual([
      expect.objectContaining({ kind: 'ban', role: 'moderator', expiresAt: null }),
    ])
  })

  test('an ended cool-down is forgotten: any moderator may then readmit the user', async () => {
    const { id } = await createRoom(owner)
    const [first, second] = [await member(rooms), await member(rooms)]
    for (const who of [first, second]) await makeMember(rooms, id, who, 'moderator')
    await removeMember(owner, id, second, { action: 'kick', cooldownMinutes: 1 })
    rooms.clock.ms += MINUTE
    await expectRefused(rooms, () => unban(owner, id, second), [404, 'not_found'])
    expect((await removeMember(first, id, second, { action: 'kick' })).status).toBe(200)
    expect(await bansOf(owner, id)).toEqual([expect.objectContaining({ role: null, kind: 'kick' })])
  })

  test('R17.5b: the ban of a guest keeps new guests of the same prefix out of the room for a day, and reveals no address', async () => {
    const { id } = await createRoom(owner)
    const culprit = await guest(rooms, 'Culprit', '2001:db8:1:2::3')
    await join(culprit, id)
    expect((await removeMember(owner, id, culprit, { action: 'ban' })).status).toBe(200)
    const text = JSON.stringify([await bansOf(owner, id), rooms.publishedEvents, await linesOf(rooms, id)])
    expect(text).not.toContain('2001:db8:1:2')
    rooms.clock.ms += 1
    const neighbour = await guest(rooms, 'Neighbour', '2001:db8:1:2:ffff::1')
    expect(await refusal(await join(neighbour, id))).toEqual([403, 'banned'])
    const far = await guest(rooms, 'Far', '2001:db8:1:3::1')
    expect((await join(far, id)).status).toBe(200)
    const other = await createRoom(owner)
    expect((await join(neighbour, other.id)).status).toBe(200)
    rooms.clock.ms += DAY
    const later = await guest(rooms, 'Later', '2001:db8:1:2:ffff::2')
    expect((await join(later, id)).status).toBe(200)
  })

  test('R17.5b: the ban of a guest who moved covers the address of the last entry, not the one at which the guest was created', async () => {
    const { id } = await createRoom(owner)
    const culprit = await guest(rooms, 'Culprit', '203.0.113.10')
    const elsewhere = rooms.browser({ ip: '198.18.0.7' })
    for (const [name, value] of culprit.browser.cookies) elsewhere.cookies.set(name, value)
    for (const browser of [culprit.browser, elsewhere])
      await browser.json(`/api/rooms/${id}/join`, { method: 'POST', body: {} })
    await removeMember(owner, id, culprit, { action: 'ban' })
    rooms.clock.ms += 1
    expect(await refusal(await join(await guest(rooms, 'Again', '198.18.0.7'), id))).toEqual([403, 'banned'])
    expect((await join(await guest(rooms, 'Innocent', '203.0.113.10'), id)).status).toBe(200)
  })

  test('the ban of a member keeps out new guests from the address of the member’s last entry, and no accounts', async () => {
    const { id } = await createRoom(owner)
    const culprit = await member(rooms, 'Culprit')
    const [home, colleague] = [rooms.browser({ ip: '203.0.113.77' }), rooms.browser({ ip: '203.0.113.77' })]
    for (const [name, value] of culprit.browser.cookies) home.cookies.set(name, value)
    for (const browser of [culprit.browser, home])
      await browser.json(`/api/rooms/${id}/join`, { method: 'POST', body: {} })
    const there = await guest(rooms, 'There before', '203.0.113.77')
    expect((await join(there, id)).status).toBe(200)
    await removeMember(owner, id, culprit, { action: 'ban' })
    expect(JSON.stringify(await bansOf(owner, id))).not.toContain('203.0.113.77')
    rooms.clock.ms += 1
    expect(await refusal(await join(await guest(rooms, 'As a guest', '203.0.113.77'), id))).toEqual([
      403,
      'banned',
    ])
    expect((await join(there, id)).status).toBe(200)
    for (const [name, value] of (await member(rooms)).browser.cookies) colleague.cookies.set(name, value)
    expect((await colleague.send(`/api/rooms/${id}/join`, { method: 'POST' })).status).toBe(200)
    await unban(owner, id, culprit)
    expect((await join(await guest(rooms, 'Later', '203.0.113.77'), id)).status).toBe(200)
  })

  test('a kick does not cover an address, and lifting a guest’s ban readmits guests of the same prefix', async () => {
    const { id } = await createRoom(owner)
    const culprit = await guest(rooms, 'Culprit', '203.0.113.99')
    await removeMember(owner, id, culprit, { action: 'kick' })
    rooms.clock.ms += 1
    const neighbour = await guest(rooms, 'Neighbour', '203.0.113.99')
    expect((await join(neighbour, id)).status).toBe(200)
    await removeMember(owner, id, culprit, { action: 'ban' })
    rooms.clock.ms += 1
    const late = await guest(rooms, 'Late', '203.0.113.99')
    expect(await refusal(await join(late, id))).toEqual([403, 'banned'])
    await unban(owner, id, culprit)
    expect((await join(late, id)).status).toBe(200)
  })

  test('R28.22: malformed removals are refused', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    for (const body of [
      {},
      { action: 'mute' },
      { action: 'kick', cooldownMinutes: 0 },
      { action: 'kick', cooldownMinutes: 1441 },
      { action: 'kick', cooldownMinutes: 1.5 },
      { action: 'kick', reason: '  ' },
      { action: 'kick', reason: 'x'.repeat(501) },
      { action: 'ban', until: 1 },
    ])
      await expectRefused(rooms, () => removeMember(owner, id, bob, body), [400, 'invalid_request'])
  })
})
