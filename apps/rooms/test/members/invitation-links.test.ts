import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { hashToken } from '@latchkey/tokens/opaque'
import {
  makeMember,
  type TestUser,
  acceptInvitation,
  ban,
  createInvitation,
  createInvitationLink,
  createRoom,
  declineInvitation,
  guest,
  listInvitations,
  member,
  refusal,
  previewInvitation,
  useCountOf,
  roleOf,
} from '../actions.ts'
import { ORIGIN, type TestRooms, openRooms } from '../rooms.ts'
import { expectRefused, linesOf, stateOf } from './state.ts'

const MINUTE = 60_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'
/** As long as a token, but not a valid one. */
const UNKNOWN = 'x'.repeat(43)

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 1000,
      invitations_per_hour: 1000,
      invitation_failures_per_hour: 1000,
      guest_messages_per_10s: 1000,
      messages_per_10s: 1000,
    }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())
  beforeEach(() => void (rooms.publishedEvents.length = 0))

  const db = () => rooms.rooms.database.read
  const preview = (token: string) => previewInvitation({ browser: rooms.browser() }, token)

  test('R27.3: of twenty users who accept a one-use link at once exactly one becomes a member', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const { token, invitation } = await createInvitationLink(owner, id)
    const racers = await Promise.all(Array.from({ length: 20 }, () => member(rooms)))
    const answers = await Promise.all(racers.map((who) => acceptInvitation(who, token)))
    const outcomes = await Promise.all(
      answers.map(async (answer) => (answer.ok ? 'accepted' : (await refusal(answer)).join(' '))),
    )
    expect(outcomes.toSorted()).toEqual([...Array<string>(19).fill('409 invitation_used'), 'accepted'])
    const members = await db().selectFrom('room_members').selectAll().where('room_id', '=', id).execute()
    expect(members.map(({ user_id }) => user_id)).toEqual([
      racers[outcomes.indexOf('accepted')]?.user.id ?? '',
    ])
    expect(await useCountOf(rooms, invitation.id)).toBe(1)
  })

  test('R27.3: of twenty users a link for three makes three members, and one user consumes one use however often they try', async () => {
    const { id } = await createRoom(owner)
    const { token, invitation } = await createInvitationLink(owner, id, { maxUses: 3 })
    const first = await member(rooms)
    const own = await Promise.all(Array.from({ length: 10 }, () => acceptInvitation(first, token)))
    expect(own.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await useCountOf(rooms, invitation.id)).toBe(1)
    const others = await Promise.all(Array.from({ length: 10 }, () => member(rooms)))
    const answers = await Promise.all(others.map((who) => acceptInvitation(who, token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await useCountOf(rooms, invitation.id)).toBe(3)
  })

  if (dialect === 'postgres') return

  test('R28.11: a link is shown once, and database and log contain only its hash', async () => {
    const { id } = await createRoom(owner, { visibility: 'private', name: 'Den' })
    const { token, url, invitation } = await createInvitationLink(owner, id)
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
    expect(JSON.stringify(await listInvitations(owner, id))).not.toContain(token)
    expect(JSON.stringify(await listInvitations(owner, id))).not.toContain(hashToken(token))
  })

  test('R28.25, R43.5a: previewing a link, also without a session, does not use it, and shows names but no ids', async () => {
    const { id } = await createRoom(owner, { visibility: 'private', name: 'Den' })
    const { token, invitation } = await createInvitationLink(owner, id, { role: 'listener' })
    const olga = { nickname: 'Olga', avatarColor: expect.stringMatching(/^#/) }
    const before = await stateOf(rooms)
    for (let times = 0; times < 3; times++)
      expect(await (await preview(token)).json()).toEqual({
        roomName: 'Den',
        invitedBy: olga,
        people: [olga],
        peopleCount: 1,
        permission: 'listener',
        expiresAt: invitation['expiresAt'],
        guestAllowed: false,
      })
    expect(await stateOf(rooms)).toEqual(before)
    const open = await createRoom(owner, { visibility: 'unlisted' })
    const forGuests = await createInvitationLink(owner, open.id)
    const forModerators = await createInvitationLink(owner, open.id, { role: 'moderator' })
    expect(await (await preview(forGuests.token)).json()).toMatchObject({ guestAllowed: true })
    expect(await (await preview(forModerators.token)).json()).toMatchObject({ guestAllowed: false })
    for (let count = 0; count < 6; count++) {
      rooms.clock.ms += 1
      await makeMember(rooms, open.id, await member(rooms, `Ida ${count}`), 'speaker')
    }
    expect(await (await preview(forGuests.token)).json()).toMatchObject({
      people: ['Olga', 'Ida 0', 'Ida 1', 'Ida 2', 'Ida 3'].map((nickname) => ({ nickname })),
      peopleCount: 7,
    })
    expect((await acceptInvitation(await member(rooms), token)).status).toBe(200)
    for (const gone of [token, UNKNOWN, invitation.id, 'x'])
      expect(await refusal(await preview(gone))).toEqual([404, 'not_found'])
  })

  test('the preview of a link shows the room id only to members whom the link would not promote', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const forListeners = await createInvitationLink(owner, id, { role: 'listener', maxUses: 5 })
    const forSpeakers = await createInvitationLink(owner, id, { role: 'speaker' })
    const bob = await member(rooms)
    expect((await acceptInvitation(bob, forListeners.token)).status).toBe(200)
    const previewedRoomId = async (who: TestUser, token: string) =>
      (await who.browser.json(`/api/room-invitations/${token}`, {}, 200))['roomId']
    expect(await previewedRoomId(bob, forListeners.token)).toBe(id)
    expect(await previewedRoomId(owner, forSpeakers.token)).toBe(id)
    expect(await previewedRoomId(bob, forSpeakers.token)).toBeUndefined()
    expect(await previewedRoomId(await member(rooms), forListeners.token)).toBeUndefined()
  })

  test('R16.4a, R28.17: neither the id of a link nor the id of another user’s invitation can be redeemed', async () => {
    const { id } = await createRoom(owner)
    const { invitation } = await createInvitationLink(owner, id)
    const [bob, eve] = [await member(rooms), await member(rooms)]
    const targeted = await createInvitation(owner, id, bob)
    for (const [who, idOrToken] of [
      [bob, invitation.id],
      [owner, invitation.id],
      [eve, targeted.id],
      [eve, NOWHERE],
      [eve, UNKNOWN],
      [eve, hashToken(UNKNOWN)],
    ] as const)
      await expectRefused(rooms, () => acceptInvitation(who, idOrToken), [404, 'not_found'])
    await expectRefused(rooms, () => declineInvitation(eve, targeted.id), [404, 'not_found'])
    await expectRefused(rooms, () => declineInvitation(bob, invitation.id), [404, 'not_found'])
  })

  test('R17.5b: a guest who is banned by address accepts no link to that room', async () => {
    const { id } = await createRoom(owner)
    const { token } = await createInvitationLink(owner, id, { maxUses: 5 })
    const culprit = await guest(rooms, 'Culprit', '203.0.113.20')
    await ban(rooms, id, culprit, { guestPrefix: '203.0.113.20' })
    rooms.clock.ms += 1
    const neighbour = await guest(rooms, 'Neighbour', '203.0.113.20')
    await expectRefused(rooms, () => acceptInvitation(neighbour, token), [403, 'banned'])
  })

  test('R14.4: guests accept only links to public and unlisted rooms that admit guests', async () => {
    const gustav = await guest(rooms)
    for (const visibility of ['public', 'unlisted']) {
      const { id } = await createRoom(owner, { visibility })
      const { token } = await createInvitationLink(owner, id, { role: 'speaker' })
      expect((await acceptInvitation(gustav, token)).status).toBe(200)
      expect(await roleOf(rooms, id, gustav)).toBe('speaker')
    }
    for (const [settings, role] of [
      [{ visibility: 'private' }, 'listener'],
      [{ allowGuests: false }, 'listener'],
      [{}, 'moderator'],
    ] as const) {
      const { id } = await createRoom(owner, settings)
      const { token } = await createInvitationLink(owner, id, { role })
      await expectRefused(rooms, () => acceptInvitation(gustav, token), [403, 'guest_not_permitted'])
    }
    const { id } = await createRoom(owner)
    const targeted = await createInvitation(owner, id, await member(rooms))
    await expectRefused(rooms, () => acceptInvitation(gustav, targeted.id), [403, 'guest_not_permitted'])
    await expectRefused(rooms, () => declineInvitation(gustav, targeted.id), [403, 'guest_not_permitted'])
    const pending = await gustav.browser.send('/api/room-invitations/pending')
    expect(await refusal(pending)).toEqual([403, 'guest_not_permitted'])
  })

  test('R22: a prefix that guesses tokens is refused for a while, but valid tokens from there still work', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, invitation_failures_per_hour: 3 } })
    const { id } = await createRoom(owner)
    const { token } = await createInvitationLink(owner, id)
    const look = (idOrToken: string, ip = '203.0.113.200') =>
      node.browser({ ip }).send(`/api/room-invitations/${idOrToken}`)
    for (let times = 0; times < 5; times++) expect((await look(token)).status).toBe(200)
    for (let times = 0; times < 3; times++) expect((await look(UNKNOWN)).status).toBe(404)
    for (let times = 0; times < 2; times++)
      expect(await refusal(await look(UNKNOWN))).toEqual([429, 'rate_limited'])
    expect((await look(UNKNOWN, '203.0.113.201')).status).toBe(404)
    expect((await look(token)).status).toBe(200)
    const near = node.browser({ ip: '203.0.113.200' })
    near.cookies.set('__Host-latchkey_session', (await member(node)).browser.token ?? '')
    const accepting = (idOrToken: string) =>
      near.send(`/api/room-invitations/${idOrToken}/accept`, { method: 'POST' })
    expect(await refusal(await accepting(UNKNOWN))).toEqual([429, 'rate_limited'])
    expect((await accepting(token)).status).toBe(200)
    node.clock.ms += 20 * MINUTE
    expect((await look(UNKNOWN)).status).toBe(404)
    await node.close()
  })
})
