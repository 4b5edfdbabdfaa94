// That a role which was set or taken by hand is not brought back by an older invitation (issue 19, point 7).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  acceptInvitation,
  createInvitation,
  createInvitationLink,
  createRoom,
  endMembership,
  makeMember,
  member,
  removeMember,
  roleOf,
  setRole,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { expectRefused } from './state.ts'

const MINUTE = 60_000
const DAY = 86_400_000

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, invitations_per_hour: 1000, room_writes_per_minute: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const link = (roomId: string, role: string, who = owner) =>
    createInvitationLink(who, roomId, { role, maxUses: 50, expiresInHours: 720 })
  const invite = async (roomId: string, target: TestUser, role: string) =>
    (await createInvitation(owner, roomId, target, { role })).id
  const accepted = async (who: TestUser, given: string) => {
    const response = await acceptInvitation(who, given)
    return [response.status, ((await response.json()) as { role?: string }).role]
  }

  test('a moderator who is made a listener does not rise again by the link they came by', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const { token } = await link(id, 'moderator')
    expect(await accepted(bob, token)).toEqual([200, 'moderator'])
    await succeed(setRole(owner, id, bob, 'listener'))
    await expectRefused(rooms, () => acceptInvitation(bob, token), [409, 'already_member'])
    expect(await roleOf(rooms, id, bob)).toBe('listener')
    // Others still come in by it.
    expect(await accepted(await member(rooms), token)).toEqual([200, 'moderator'])
  })

  test('nor by a link that they never used, if it is older; by one that is newer they rise', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const older = await link(id, 'moderator')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'speaker'))
    await expectRefused(rooms, () => acceptInvitation(bob, older.token), [409, 'already_member'])
    const newer = await link(id, 'moderator')
    expect(await accepted(bob, newer.token)).toEqual([200, 'moderator'])
  })

  test('leaving does not wash the role off: who comes back by an older link is what they were made', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const older = await link(id, 'moderator')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    await succeed(endMembership(bob, id))
    expect(await accepted(bob, older.token)).toEqual([200, 'listener'])
    await expectRefused(rooms, () => acceptInvitation(bob, older.token), [409, 'already_member'])
  })

  test('of private rooms too, in which visitors would speak', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const bob = await member(rooms, 'Bob')
    const older = await link(id, 'moderator')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    await succeed(endMembership(bob, id))
    expect(await accepted(bob, older.token)).toEqual([200, 'listener'])
  })

  test('a role that was set by hand before the link was made does not matter to it', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    const { token } = await link(id, 'speaker')
    expect(await accepted(bob, token)).toEqual([200, 'speaker'])
  })

  test.each(['kick', 'ban'])(
    'after a %s an older link makes nobody more than a visitor is',
    async (action) => {
      const { id } = await createRoom(owner)
      const bob = await member(rooms, 'Bob')
      const [used, unused] = [await link(id, 'moderator'), await link(id, 'moderator')]
      await acceptInvitation(bob, used.token)
      await succeed(removeMember(owner, id, bob, { action }))
      if (action === 'kick') rooms.clock.ms += 10 * MINUTE
      else await owner.browser.json(`/api/rooms/${id}/bans/${bob.user.id}`, { method: 'DELETE' })
      await expectRefused(rooms, () => acceptInvitation(bob, used.token), [409, 'invitation_used'])
      expect(await accepted(bob, unused.token)).toEqual([200, 'listener'])
      expect(await roleOf(rooms, id, bob)).toBe('listener')
      const newer = await link(id, 'moderator')
      expect(await accepted(bob, newer.token)).toEqual([200, 'moderator'])
    },
  )

  test('a link takes somebody in once: who has left does not come back by it, and no use is counted', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const { token } = await link(id, 'speaker')
    expect(await accepted(bob, token)).toEqual([200, 'speaker'])
    await succeed(endMembership(bob, id))
    await expectRefused(rooms, () => acceptInvitation(bob, token), [409, 'invitation_used'])
    expect(await roleOf(rooms, id, bob)).toBeNull()
  })

  test('an invitation to the person gives no more than the role set since either, until it is renewed', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const pending = await invite(id, bob, 'moderator')
    const { token } = await link(id, 'moderator')
    await acceptInvitation(bob, token)
    await succeed(setRole(owner, id, bob, 'listener'))
    const answerable = async () =>
      (await bob.browser.json<{ invitations: unknown[] }>('/api/room-invitations/pending')).invitations
    expect(await answerable()).toEqual([])
    await expectRefused(rooms, () => acceptInvitation(bob, pending), [409, 'already_member'])
    expect(await invite(id, bob, 'moderator')).toBe(pending)
    expect(await answerable()).toHaveLength(1)
    expect(await accepted(bob, pending)).toEqual([200, 'moderator'])
  })

  test('who hands a room over and is then made a listener does not rise by a link from before', async () => {
    const bob = await member(rooms, 'Bob')
    const { id } = await createRoom(bob)
    const helper = await member(rooms, 'Helper')
    await makeMember(rooms, id, helper, 'moderator')
    const { token } = await link(id, 'speaker', helper)
    await makeMember(rooms, id, owner)
    const at = `/api/rooms/${id}/ownership-transfer`
    await bob.browser.json(at, { body: { userId: owner.user.id } }, 201)
    await owner.browser.json(`${at}/confirm`, { method: 'POST' })
    await succeed(setRole(owner, id, bob, 'listener'))
    await expectRefused(rooms, () => acceptInvitation(bob, token), [409, 'already_member'])
    expect(await roleOf(rooms, id, bob)).toBe('listener')
  })

  test('looking at an older link shows the way into the room instead of a role that it does not give', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const { token } = await link(id, 'moderator')
    await acceptInvitation(bob, token)
    await succeed(setRole(owner, id, bob, 'listener'))
    const seen = await bob.browser.json(`/api/room-invitations/${token}`)
    expect(seen).toMatchObject({ roomId: id })
  })

  test('ten requests at once with one link make one member of one person, and count one use', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const made = await link(id, 'speaker')
    const answers = await Promise.all(Array.from({ length: 10 }, () => acceptInvitation(bob, made.token)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    const { read } = rooms.rooms.database
    const uses = read.selectFrom('room_invitation_uses').selectAll()
    expect(await uses.where('invitation_id', '=', made.invitation.id).execute()).toHaveLength(1)
  })

  test('the database itself keeps one use for a person and a link, and one role set by hand for a person and a room', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const made = await link(id, 'moderator')
    await acceptInvitation(bob, made.token)
    await succeed(setRole(owner, id, bob, 'listener'))
    await succeed(setRole(owner, id, bob, 'speaker'))
    const { database } = rooms.rooms
    const [use] = await database.read
      .selectFrom('room_invitation_uses')
      .selectAll()
      .where('invitation_id', '=', made.invitation.id)
      .execute()
    const [manual] = await database.read
      .selectFrom('room_manual_roles')
      .selectAll()
      .where('room_id', '=', id)
      .execute()
    if (!use || !manual) throw new Error('Nothing was written down')
    expect(manual).toMatchObject({ user_id: bob.user.id, role: 'speaker' })
    const refused = (work: Promise<unknown>) => work.then(Boolean, () => 'refused')
    const uses = database.write((tx) => tx.insertInto('room_invitation_uses').values(use).execute())
    expect(await refused(uses)).toBe('refused')
    expect(
      await refused(database.write((tx) => tx.insertInto('room_manual_roles').values(manual).execute())),
    ).toBe('refused')
  })

  test('what no live invitation can be older than is forgotten', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    const kept = () =>
      rooms.rooms.database.read
        .selectFrom('room_manual_roles')
        .selectAll()
        .where('room_id', '=', id)
        .execute()
    rooms.clock.ms += 30 * DAY
    await rooms.rooms.jobs.runDue()
    expect(await kept()).toHaveLength(1)
    rooms.clock.ms += DAY + 1
    await rooms.rooms.jobs.runDue()
    expect(await kept()).toEqual([])
  })
})
