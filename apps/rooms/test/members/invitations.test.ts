import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { hashToken } from '@latchkey/tokens/opaque'
import { ORIGIN, type TestRooms, openRooms } from '../rooms.ts'
import {
  type TestUser,
  admin,
  ban,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  refusal,
} from '../rooms/rooms.ts'
import { insertPerson } from '../sessions/people.ts'
import { expectRefused, linesOf, stateOf } from './state.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOWHERE = '11111111-2222-4333-8444-555555555555'
/** As long as a token, but nobody's. */
const UNKNOWN = 'x'.repeat(43)

interface InvitationSeen {
  id: string
  permission: string
  [member: string]: unknown
}
interface Link {
  invitation: InvitationSeen
  token: string
  url: string
}

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, invitations_per_hour: 1000, invitation_failures_per_hour: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())
  beforeEach(() => void (rooms.publishedEvents.length = 0))

  const db = () => rooms.rooms.database.read
  const invite = (
    who: TestUser,
    roomId: string,
    target: { user: { id: string } },
    more: Record<string, unknown> = {},
  ) =>
    who.browser.send(`/api/rooms/${roomId}/invitations/users`, { body: { userId: target.user.id, ...more } })
  const invited = async (...args: Parameters<typeof invite>) => {
    const { invitation } = (await (await invite(...args)).json()) as { invitation: InvitationSeen }
    return invitation
  }
  const link = (who: TestUser, roomId: string, body: Record<string, unknown> = {}) =>
    who.browser.json<Link>(`/api/rooms/${roomId}/invitations/links`, { body }, 201)
  const accept = (who: TestUser, given: string) =>
    who.browser.send(`/api/room-invitations/${given}/accept`, { method: 'POST' })
  const decline = (who: TestUser, id: string) =>
    who.browser.send(`/api/room-invitations/${id}/decline`, { method: 'POST' })
  const revoke = (who: TestUser, roomId: string, id: string) =>
    who.browser.send(`/api/rooms/${roomId}/invitations/${id}`, { method: 'DELETE' })
  const preview = (token: string, ip?: string) =>
    rooms.browser(ip === undefined ? {} : { ip }).send(`/api/room-invitations/${token}`)
  const pendingOf = async ({ browser }: TestUser) =>
    (await browser.json<{ invitations: InvitationSeen[] }>('/api/room-invitations/pending')).invitations
  const listOf = async ({ browser }: TestUser, roomId: string) =>
    (await browser.json<{ invitations: InvitationSeen[] }>(`/api/rooms/${roomId}/invitations`)).invitations
  const setRole = (who: TestUser, roomId: string, target: TestUser, role: string) =>
    who.browser.json(`/api/rooms/${roomId}/members/${target.user.id}`, { method: 'PATCH', body: { role } })
  const remove = (who: TestUser, roomId: string, target: TestUser, action: string) =>
    who.browser.json(`/api/rooms/${roomId}/members/${target.user.id}/remove`, { body: { action } })
  const roleOf = async (roomId: string, { user }: TestUser) => {
    const row = await db()
      .selectFrom('room_members')
      .select('role')
      .where('room_id', '=', roomId)
      .where('user_id', '=', user.id)
      .executeTakeFirst()
    return row?.role ?? null
  }
  const usesOf = async (id: string) =>
    (
      await db()
        .selectFrom('room_invitations')
        .select('use_count')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).use_count

  test('R16.4: somebody is invited, is told, sees where to, accepts, and is a member from then on', async () => {
    const { id } = await createRoom(owner, { visibility: 'private', name: 'Den' })
    const bob = await member(rooms, 'Bob')
    rooms.publishedEvents.length = 0
    const response = await invite(owner, id, bob, { role: 'speaker' })
    expect(response.status).toBe(201)
    const { invitation } = (await response.json()) as { invitation: InvitationSeen }
    const at = (ms: number) => new Date(ms).toISOString()
    expect(invitation).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      roomId: id,
      invitedUserId: bob.user.id,
      permission: 'speaker',
      expiresAt: at(rooms.clock.ms + 168 * HOUR),
      maxUses: 1,
      useCount: 0,
      createdBy: owner.user.id,
      createdAt: at(rooms.clock.ms),
    })
    const { invitedUserId: _to, maxUses: _most, useCount: _used, ...rest } = invitation
    const seen = { ...rest, roomName: 'Den' } as unknown as InvitationSeen
    expect(rooms.publishedEvents).toEqual([
      { kind: 'notice', userId: bob.user.id, notice: 'invitation', data: { invitation: seen } },
    ])
    expect(await pendingOf(bob)).toEqual([seen])
    expect(await pendingOf(owner)).toEqual([])
    expect(await listOf(owner, id)).toEqual([{ ...invitation, invitedNickname: 'Bob' }])
    rooms.publishedEvents.length = 0
    expect(await (await accept(bob, invitation.id)).json()).toEqual({
      success: true,
      roomId: id,
      role: 'speaker',
    })
    expect(rooms.publishedEvents).toMatchObject([
      {
        kind: 'event',
        event: { seq: 1, event: 'member.joined', data: { person: { userId: bob.user.id, role: 'speaker' } } },
      },
      { kind: 'access', roomId: id },
      { kind: 'lobby', roomId: id },
    ])
    expect(await roleOf(id, bob)).toBe('speaker')
    expect(await pendingOf(bob)).toEqual([])
    expect(await listOf(owner, id)).toEqual([])
    expect((await linesOf(rooms, id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['room.invitation.create', owner.user.id],
      ['room.invitation.accept', bob.user.id],
    ])
    await expectRefused(rooms, () => accept(bob, invitation.id), [409, 'already_member'])
  })

  test('R28.17: one invitation is pending for a person and a room; a second one renews it', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const first = await invited(owner, id, bob, { expiresInHours: 1 })
    expect(first.permission).toBe('listener')
    rooms.clock.ms += MINUTE
    const again = await invite(owner, id, bob, { role: 'moderator', expiresInHours: 2 })
    expect(again.status).toBe(200)
    const { invitation } = (await again.json()) as { invitation: InvitationSeen }
    expect(invitation).toEqual({
      ...first,
      permission: 'moderator',
      expiresAt: new Date(rooms.clock.ms + 2 * HOUR).toISOString(),
    })
    expect(rooms.publishedEvents.filter(({ kind }) => kind === 'notice')).toHaveLength(2)
    const moderator = await member(rooms)
    await makeMember(rooms, id, moderator, 'moderator')
    await expectRefused(rooms, () => invite(moderator, id, bob), [403, 'forbidden'])
    expect(await pendingOf(bob)).toHaveLength(1)
    rooms.clock.ms += 2 * HOUR
    const fresh = await invite(moderator, id, bob)
    expect(fresh.status).toBe(201)
    expect(((await fresh.json()) as { invitation: InvitationSeen }).invitation.id).not.toBe(first.id)
    expect(await pendingOf(bob)).toHaveLength(1)
  })

  test('R16.1: an invitation is found behind any number of newer ones, at once behind dead ones, else page by page', async () => {
    const [bob, nuisance] = [await member(rooms), await member(rooms)]
    const { id } = await createRoom(owner)
    const first = await invited(owner, id, bob)
    const room = await db().selectFrom('rooms').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const invitation = await db()
      .selectFrom('room_invitations')
      .selectAll()
      .where('id', '=', first.id)
      .executeTakeFirstOrThrow()
    const others = Array.from({ length: 230 }, () => crypto.randomUUID())
    await rooms.rooms.database.write(async (tx) => {
      for (const [index, roomId] of others.entries()) {
        await tx
          .insertInto('rooms')
          .values({ ...room, id: roomId })
          .execute()
        await tx
          .insertInto('room_invitations')
          .values({
            ...invitation,
            id: crypto.randomUUID(),
            room_id: roomId,
            created_by: nuisance.user.id,
            created_at: invitation.created_at + 1 + (index >> 1),
          })
          .execute()
      }
    })
    // The nuisance has no say in any of those rooms.
    expect((await pendingOf(bob)).map((each) => each.id)).toEqual([first.id])
    await rooms.rooms.database.write((tx) =>
      tx.updateTable('rooms').set({ owner_id: nuisance.user.id }).where('id', 'in', others).execute(),
    )
    const seen: InvitationSeen[] = []
    const lengths: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { invitations: InvitationSeen[]; nextCursor: string | null } = await bob.browser.json(
        `/api/room-invitations/pending?limit=100${cursor && `&cursor=${cursor}`}`,
      )
      seen.push(...page.invitations)
      lengths.push(page.invitations.length)
      cursor = page.nextCursor
    }
    expect(lengths).toEqual([100, 100, 31])
    expect(seen.at(-1)?.id).toBe(first.id)
    expect(new Set(seen.map(({ roomId }) => roomId))).toEqual(new Set([...others, id]))
    const foreign = await bob.browser.send('/api/room-invitations/pending?cursor=x')
    expect(await refusal(foreign)).toEqual([400, 'invalid_request'])
  })

  test('inviting the same person twenty times at once leaves one invitation', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const answers = await Promise.all(Array.from({ length: 20 }, () => invite(owner, id, bob)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(await pendingOf(bob)).toHaveLength(1)
  })

  test('only enabled member accounts are invited, and only to more than they have', async () => {
    const { id } = await createRoom(owner)
    const targets = [
      await guest(rooms),
      { user: await insertPerson(rooms, { disabled: 1 }) },
      { user: { id: NOWHERE } },
    ]
    for (const target of targets)
      await expectRefused(rooms, () => invite(owner, id, target), [404, 'not_found'])
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    for (const role of ['listener', 'speaker'])
      await expectRefused(rooms, () => invite(owner, id, bob, { role }), [409, 'already_member'])
    await expectRefused(rooms, () => invite(owner, id, owner, { role: 'moderator' }), [409, 'already_member'])
    const { id: invitation } = await invited(owner, id, bob, { role: 'moderator' })
    expect((await accept(bob, invitation)).status).toBe(200)
    expect(rooms.publishedEvents.find(({ kind }) => kind === 'event')).toMatchObject({
      event: { event: 'member.role' },
    })
    expect(await roleOf(id, bob)).toBe('moderator')
  })

  test('R17.6: accepting raises a role and never lowers one', async () => {
    const { id } = await createRoom(owner)
    const [low, high] = [await member(rooms), await member(rooms)]
    await makeMember(rooms, id, low, 'listener')
    await makeMember(rooms, id, high, 'moderator')
    const { token, invitation } = await link(owner, id, { role: 'speaker', maxUses: 5 })
    expect((await accept(low, token)).status).toBe(200)
    expect(await roleOf(id, low)).toBe('speaker')
    for (const who of [low, high, owner])
      await expectRefused(rooms, () => accept(who, token), [409, 'already_member'])
    expect(await roleOf(id, high)).toBe('moderator')
    expect(await usesOf(invitation.id)).toBe(1)
  })

  test('R17.6: who could visit a room as a speaker is a speaker after accepting to listen; an outsider of a private room listens', async () => {
    for (const [visibility, role] of [
      ['public', 'speaker'],
      ['unlisted', 'speaker'],
      ['private', 'listener'],
    ] as const) {
      const { id } = await createRoom(owner, { visibility, defaultRole: 'speaker' })
      const bob = await member(rooms)
      const { token } = await link(owner, id, { role: 'listener' })
      expect(await (await accept(bob, token)).json()).toEqual({ success: true, roomId: id, role })
      expect(await roleOf(id, bob)).toBe(role)
      expect((await linesOf(rooms, id)).at(-1)).toMatchObject({ metadata: { role } })
      expect(await bob.browser.json(`/api/rooms/${id}`)).toMatchObject({
        room: { role, canPublish: role === 'speaker' },
      })
    }
  })

  test('R28.11: a link is shown once; the database and the log hold only its hash', async () => {
    const { id } = await createRoom(owner, { visibility: 'private', name: 'Den' })
    const { token, url, invitation } = await link(owner, id)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(url).toBe(`${ORIGIN}/invite/${token}`)
    expect(invitation).toMatchObject({ invitedUserId: null, maxUses: 1, permission: 'speaker' })
    const row = await db()
      .selectFrom('room_invitations')
      .selectAll()
      .where('id', '=', invitation.id)
      .executeTakeFirst()
    expect(row?.token_hash).toBe(hashToken(token))
    await preview(token)
    const everything = [await stateOf(rooms), await linesOf(rooms, id), rooms.logLines, rooms.publishedEvents]
    expect(JSON.stringify(everything)).not.toContain(token)
    expect(JSON.stringify(await listOf(owner, id))).not.toContain(token)
    expect(JSON.stringify(await listOf(owner, id))).not.toContain(hashToken(token))
  })

  test('R28.25: looking at a link, even without a session, uses nothing up and shows no more than where it leads', async () => {
    const { id } = await createRoom(owner, { visibility: 'private', name: 'Den' })
    const { token, invitation } = await link(owner, id, { role: 'listener' })
    const before = await stateOf(rooms)
    for (let times = 0; times < 3; times++)
      expect(await (await preview(token)).json()).toEqual({
        roomName: 'Den',
        permission: 'listener',
        expiresAt: invitation['expiresAt'],
        guestAllowed: false,
      })
    expect(await stateOf(rooms)).toEqual(before)
    const open = await createRoom(owner, { visibility: 'unlisted' })
    const forGuests = await link(owner, open.id)
    const forModerators = await link(owner, open.id, { role: 'moderator' })
    expect(await (await preview(forGuests.token)).json()).toMatchObject({ guestAllowed: true })
    expect(await (await preview(forModerators.token)).json()).toMatchObject({ guestAllowed: false })
    expect((await accept(await member(rooms), token)).status).toBe(200)
    for (const gone of [token, UNKNOWN, invitation.id, 'x'])
      expect(await refusal(await preview(gone))).toEqual([404, 'not_found'])
  })

  test('looking at a link tells the room only to members who would not rise by it', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const forListeners = await link(owner, id, { role: 'listener', maxUses: 5 })
    const forSpeakers = await link(owner, id, { role: 'speaker' })
    const bob = await member(rooms)
    expect((await accept(bob, forListeners.token)).status).toBe(200)
    const told = async (who: TestUser, token: string) =>
      (await who.browser.json(`/api/room-invitations/${token}`, {}, 200))['roomId']
    expect(await told(bob, forListeners.token)).toBe(id)
    expect(await told(owner, forSpeakers.token)).toBe(id)
    expect(await told(bob, forSpeakers.token)).toBeUndefined()
    expect(await told(await member(rooms), forListeners.token)).toBeUndefined()
  })

  test('R28.17: the id of a link redeems nothing, and the id of somebody else’s invitation neither', async () => {
    const { id } = await createRoom(owner)
    const { invitation } = await link(owner, id)
    const [bob, eve] = [await member(rooms), await member(rooms)]
    const targeted = await invited(owner, id, bob)
    for (const [who, given] of [
      [bob, invitation.id],
      [owner, invitation.id],
      [eve, targeted.id],
      [eve, NOWHERE],
      [eve, UNKNOWN],
      [eve, hashToken(UNKNOWN)],
    ] as const)
      await expectRefused(rooms, () => accept(who, given), [404, 'not_found'])
    await expectRefused(rooms, () => decline(eve, targeted.id), [404, 'not_found'])
    await expectRefused(rooms, () => decline(bob, invitation.id), [404, 'not_found'])
  })

  test('R28.17: a declined invitation is gone, is not accepted after all, and a new one can be made', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const first = await invited(owner, id, bob)
    expect((await decline(bob, first.id)).status).toBe(200)
    expect(await pendingOf(bob)).toEqual([])
    expect(await listOf(owner, id)).toEqual([])
    await expectRefused(rooms, () => accept(bob, first.id), [404, 'not_found'])
    await expectRefused(rooms, () => decline(bob, first.id), [404, 'not_found'])
    expect((await linesOf(rooms, id)).at(-1)).toMatchObject({
      action: 'room.invitation.decline',
      actor: bob.user.id,
      metadata: { invitationId: first.id },
    })
    expect((await invite(owner, id, bob)).status).toBe(201)
  })

  test('R28.17: an invitation dies with its creator’s authority, wherever that ends', async () => {
    const ends: Record<string, (roomId: string, creator: TestUser) => Promise<unknown>> = {
      demoted: (roomId, creator) => setRole(owner, roomId, creator, 'speaker'),
      kicked: (roomId, creator) => remove(owner, roomId, creator, 'kick'),
      banned: (roomId, creator) => remove(owner, roomId, creator, 'ban'),
      left: (roomId, { browser }) => browser.json(`/api/rooms/${roomId}/membership`, { method: 'DELETE' }),
      disabled: (_roomId, { user }) =>
        rooms.rooms.database.write((tx) =>
          tx.updateTable('users').set({ disabled: 1 }).where('id', '=', user.id).execute(),
        ),
    }
    for (const [how, end] of Object.entries(ends)) {
      const { id } = await createRoom(owner)
      const [creator, bob] = [await member(rooms), await member(rooms)]
      await makeMember(rooms, id, creator, 'moderator')
      const targeted = await invited(creator, id, bob)
      const { token } = await link(creator, id)
      const { token: other } = await link(owner, id)
      await end(id, creator)
      for (const given of [targeted.id, token])
        await expectRefused(rooms, () => accept(bob, given), [404, 'not_found'])
      expect([how, await pendingOf(bob), (await preview(token)).status]).toEqual([how, [], 404])
      expect(await listOf(owner, id)).toHaveLength(1)
      expect((await preview(other)).status).toBe(200)
      expect((await accept(bob, other)).status).toBe(200)
    }
  })

  test('an administrator’s invitation dies with the administrator’s right, an owner’s for moderators with the ownership', async () => {
    const { id } = await createRoom(owner)
    const root = await admin(rooms)
    const { token } = await link(root, id, { role: 'moderator' })
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('role_grants').where('user_id', '=', root.user.id).execute(),
    )
    await expectRefused(rooms, async () => accept(owner, token), [404, 'not_found'])
    const moderators = await link(owner, id, { role: 'moderator' })
    const speakers = await link(owner, id, { role: 'speaker' })
    const heir = await member(rooms)
    await rooms.rooms.database.write(async (tx) => {
      await tx.updateTable('rooms').set({ owner_id: heir.user.id }).where('id', '=', id).execute()
    })
    await makeMember(rooms, id, owner, 'moderator')
    const bob = await member(rooms)
    await expectRefused(rooms, () => accept(bob, moderators.token), [404, 'not_found'])
    expect((await accept(bob, speakers.token)).status).toBe(200)
  })

  test('R28.5: whoever is banned or in a cool-down comes back by no invitation, however it was made', async () => {
    for (const visibility of ['public', 'private']) {
      const { id } = await createRoom(owner, { visibility })
      const [kicked, banned] = [await member(rooms), await member(rooms)]
      const before = await invited(owner, id, kicked)
      await remove(owner, id, kicked, 'kick')
      await remove(owner, id, banned, 'ban')
      const { token } = await link(owner, id, { maxUses: 5 })
      const after = await invited(owner, id, banned)
      for (const given of [before.id, token])
        await expectRefused(rooms, () => accept(kicked, given), [403, 'cooldown'])
      for (const given of [after.id, token])
        await expectRefused(rooms, () => accept(banned, given), [403, 'banned'])
      rooms.clock.ms += 10 * MINUTE
      expect((await accept(kicked, before.id)).status).toBe(200)
      await expectRefused(rooms, () => accept(banned, after.id), [403, 'banned'])
    }
  })

  test('R17.5: a guest who is barred by address accepts no link to that room', async () => {
    const { id } = await createRoom(owner)
    const { token } = await link(owner, id, { maxUses: 5 })
    const culprit = await guest(rooms, 'Culprit', '203.0.113.20')
    await ban(rooms, id, culprit, { guestPrefix: '203.0.113.20' })
    rooms.clock.ms += 1
    const neighbour = await guest(rooms, 'Neighbour', '203.0.113.20')
    await expectRefused(rooms, () => accept(neighbour, token), [403, 'banned'])
  })

  test('R14.4: guests accept links to public and unlisted rooms that admit them, and nothing else', async () => {
    const gustav = await guest(rooms)
    for (const visibility of ['public', 'unlisted']) {
      const { id } = await createRoom(owner, { visibility })
      const { token } = await link(owner, id, { role: 'speaker' })
      expect((await accept(gustav, token)).status).toBe(200)
      expect(await roleOf(id, gustav)).toBe('speaker')
    }
    for (const [settings, role] of [
      [{ visibility: 'private' }, 'listener'],
      [{ allowGuests: false }, 'listener'],
      [{}, 'moderator'],
    ] as const) {
      const { id } = await createRoom(owner, settings)
      const { token } = await link(owner, id, { role })
      await expectRefused(rooms, () => accept(gustav, token), [403, 'guest_not_permitted'])
    }
    const { id } = await createRoom(owner)
    const targeted = await invited(owner, id, await member(rooms))
    await expectRefused(rooms, () => accept(gustav, targeted.id), [403, 'guest_not_permitted'])
    await expectRefused(rooms, () => decline(gustav, targeted.id), [403, 'guest_not_permitted'])
    const pending = await gustav.browser.send('/api/room-invitations/pending')
    expect(await refusal(pending)).toEqual([403, 'guest_not_permitted'])
  })

  test('R27.3: twenty people who accept a one-use link at once make exactly one member', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const { token, invitation } = await link(owner, id)
    const racers = await Promise.all(Array.from({ length: 20 }, () => member(rooms)))
    const answers = await Promise.all(racers.map((who) => accept(who, token)))
    const outcomes = await Promise.all(
      answers.map(async (answer) => (answer.ok ? 'accepted' : (await refusal(answer)).join(' '))),
    )
    expect(outcomes.toSorted()).toEqual([...Array<string>(19).fill('409 invitation_used'), 'accepted'])
    const members = await db().selectFrom('room_members').selectAll().where('room_id', '=', id).execute()
    expect(members.map(({ user_id }) => user_id)).toEqual([
      racers[outcomes.indexOf('accepted')]?.user.id ?? '',
    ])
    expect(await usesOf(invitation.id)).toBe(1)
  })

  test('R27.3: a link for three makes three members of twenty, and one person uses one of them up however often they try', async () => {
    const { id } = await createRoom(owner)
    const { token, invitation } = await link(owner, id, { maxUses: 3 })
    const first = await member(rooms)
    const own = await Promise.all(Array.from({ length: 10 }, () => accept(first, token)))
    expect(own.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await usesOf(invitation.id)).toBe(1)
    const others = await Promise.all(Array.from({ length: 10 }, () => member(rooms)))
    const answers = await Promise.all(others.map((who) => accept(who, token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await usesOf(invitation.id)).toBe(3)
  })

  test('an expired invitation leads nowhere, to the millisecond', async () => {
    const { id } = await createRoom(owner)
    const [bob, cem] = [await member(rooms), await member(rooms)]
    const { token } = await link(owner, id, { expiresInHours: 1, maxUses: 2 })
    const targeted = await invited(owner, id, bob, { expiresInHours: 1 })
    rooms.clock.ms += HOUR - 1
    expect((await accept(cem, token)).status).toBe(200)
    rooms.clock.ms += 1
    for (const given of [targeted.id, token])
      await expectRefused(rooms, () => accept(bob, given), [404, 'not_found'])
    await expectRefused(rooms, () => decline(bob, targeted.id), [404, 'not_found'])
    await expectRefused(rooms, () => revoke(owner, id, targeted.id), [404, 'not_found'])
    expect([await pendingOf(bob), await listOf(owner, id), (await preview(token)).status]).toEqual([
      [],
      [],
      404,
    ])
  })

  test('R17.4: moderators make, see and revoke invitations of listeners and speakers, not those of moderators', async () => {
    const { id } = await createRoom(owner)
    const [moderator, bob] = [await member(rooms), await member(rooms)]
    await makeMember(rooms, id, moderator, 'moderator')
    const speakers = await link(moderator, id, { role: 'speaker' })
    const moderators = await link(owner, id, { role: 'moderator' })
    const sends = [
      () => moderator.browser.send(`/api/rooms/${id}/invitations/links`, { body: { role: 'moderator' } }),
      () => invite(moderator, id, bob, { role: 'moderator' }),
      () => revoke(moderator, id, moderators.invitation.id),
    ]
    for (const send of sends) await expectRefused(rooms, send, [403, 'forbidden'])
    expect((await listOf(moderator, id)).map((each) => each.id)).toEqual([speakers.invitation.id])
    expect((await listOf(owner, id)).map((each) => each.id).toSorted()).toEqual(
      [speakers.invitation.id, moderators.invitation.id].toSorted(),
    )
    expect((await revoke(moderator, id, speakers.invitation.id)).status).toBe(200)
    expect((await revoke(await admin(rooms), id, moderators.invitation.id)).status).toBe(200)
    expect(await refusal(await accept(bob, speakers.token))).toEqual([404, 'not_found'])
  })

  test('a revoked invitation is gone, its invitee is told, and it is not revoked through another room', async () => {
    const { id } = await createRoom(owner)
    const other = await createRoom(owner)
    const bob = await member(rooms)
    const targeted = await invited(owner, id, bob)
    await expectRefused(rooms, () => revoke(owner, other.id, targeted.id), [404, 'not_found'])
    rooms.publishedEvents.length = 0
    expect((await revoke(owner, id, targeted.id)).status).toBe(200)
    expect(rooms.publishedEvents).toEqual([
      {
        kind: 'notice',
        userId: bob.user.id,
        notice: 'invitation_revoked',
        data: { id: targeted.id, roomId: id },
      },
    ])
    expect(await pendingOf(bob)).toEqual([])
    await expectRefused(rooms, () => accept(bob, targeted.id), [404, 'not_found'])
    expect((await linesOf(rooms, id)).at(-1)).toMatchObject({ action: 'room.invitation.revoke' })
  })

  test('R22: so many live invitations in a room, so many an hour by person', async () => {
    const limits = { ...rooms.limits, invitations_live: 2, invitations_per_hour: 4 }
    const node = await rooms.node({ limits })
    const ada = await member(node)
    const { id } = await createRoom(ada)
    const bob = await member(node)
    const { invitation } = await link(ada, id)
    await invited(ada, id, bob)
    const another = () => ada.browser.send(`/api/rooms/${id}/invitations/links`, { body: {} })
    await expectRefused(node, another, [409, 'limit_reached'])
    // What is renewed is no new one.
    expect((await invite(ada, id, bob)).status).toBe(200)
    const late = await another()
    expect(late.headers.get('retry-after')).toBe('900')
    expect(await refusal(late)).toEqual([429, 'rate_limited'])
    await revoke(ada, id, invitation.id)
    node.clock.ms += 15 * MINUTE
    expect((await another()).status).toBe(201)
    await node.close()
  })

  test('R22: who tries tokens that nobody was given is refused for a while, by prefix, and whoever has one there is served', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, invitation_failures_per_hour: 3 } })
    const { id } = await createRoom(owner)
    const { token } = await link(owner, id)
    const look = (given: string, ip = '203.0.113.200') =>
      node.browser({ ip }).send(`/api/room-invitations/${given}`)
    for (let times = 0; times < 5; times++) expect((await look(token)).status).toBe(200)
    for (let times = 0; times < 3; times++) expect((await look(UNKNOWN)).status).toBe(404)
    for (let times = 0; times < 2; times++)
      expect(await refusal(await look(UNKNOWN))).toEqual([429, 'rate_limited'])
    expect((await look(UNKNOWN, '203.0.113.201')).status).toBe(404)
    expect((await look(token)).status).toBe(200)
    const near = node.browser({ ip: '203.0.113.200' })
    near.cookies.set('__Host-latchkey_session', (await member(node)).browser.token ?? '')
    const accepting = (given: string) =>
      near.send(`/api/room-invitations/${given}/accept`, { method: 'POST' })
    expect(await refusal(await accepting(UNKNOWN))).toEqual([429, 'rate_limited'])
    expect((await accepting(token)).status).toBe(200)
    node.clock.ms += 20 * MINUTE
    expect((await look(UNKNOWN)).status).toBe(404)
    await node.close()
  })

  test('R28.22: invitations of a wrong shape are refused', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    for (const more of [
      { role: 'owner' },
      { role: null },
      { expiresInHours: 0 },
      { expiresInHours: 721 },
      { expiresInHours: 1.5 },
      { maxUses: 2 },
      { userId: 'x' },
    ])
      await expectRefused(rooms, () => invite(owner, id, bob, more), [400, 'invalid_request'])
    for (const body of [{ maxUses: 0 }, { maxUses: 1001 }, { maxUses: '1' }, { userId: bob.user.id }])
      await expectRefused(rooms, () => owner.browser.send(`/api/rooms/${id}/invitations/links`, { body }), [
        400,
        'invalid_request',
      ])
  })

  test('R28.18: accepting does not enter: nobody is counted as present by it', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const { token } = await link(owner, id)
    await accept(bob, token)
    const { room } = await owner.browser.json<{ room: { participantCount: number } }>(`/api/rooms/${id}`)
    expect(room.participantCount).toBe(0)
    expect(rooms.publishedEvents.some(({ kind }) => kind === 'presence')).toBe(false)
    await join(bob, id)
    expect(rooms.publishedEvents.some(({ kind }) => kind === 'presence')).toBe(true)
  })
})
