// A role that was set or removed by hand is not restored by an older invitation (issue 19, point
// 7).
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
  const acceptAndReadRole = async (who: TestUser, idOrToken: string) => {
    const response = await acceptInvitation(who, idOrToken)
    return [response.status, ((await response.json()) as { role?: string }).role]
  }

  test('R17.6d: a moderator who was made a listener is not promoted again by the link that they used', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const { token } = await link(id, 'moderator')
    expect(await acceptAndReadRole(bob, token)).toEqual([200, 'moderator'])
    await succeed(setRole(owner, id, bob, 'listener'))
    await expectRefused(rooms, () => acceptInvitation(bob, token), [409, 'already_member'])
    expect(await roleOf(rooms, id, bob)).toBe('listener')
    // Other users can still use it.
    expect(await acceptAndReadRole(await member(rooms), token)).toEqual([200, 'moderator'])
  })

  test('R17.6e: an older link is no promotion even if it was never used, but a newer one is', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const older = await link(id, 'moderator')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'speaker'))
    await expectRefused(rooms, () => acceptInvitation(bob, older.token), [409, 'already_member'])
    const newer = await link(id, 'moderator')
    expect(await acceptAndReadRole(bob, newer.token)).toEqual([200, 'moderator'])
  })

  test('leaving does not reset the role: after returning by an older link it is the one that was set', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const older = await link(id, 'moderator')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    await succeed(endMembership(bob, id))
    expect(await acceptAndReadRole(bob, older.token)).toEqual([200, 'listener'])
    await expectRefused(rooms, () => acceptInvitation(bob, older.token), [409, 'already_member'])
  })

  test('the same holds in private rooms whose visitors are speakers', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const bob = await member(rooms, 'Bob')
    const older = await link(id, 'moderator')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    await succeed(endMembership(bob, id))
    expect(await acceptAndReadRole(bob, older.token)).toEqual([200, 'listener'])
  })

  test('a role that was set before the link was created does not limit the link', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    const { token } = await link(id, 'speaker')
    expect(await acceptAndReadRole(bob, token)).toEqual([200, 'speaker'])
  })

  test.each(['kick', 'ban'])(
    'after a %s an older link gives no more than the role of a visitor',
    async (action) => {
      const { id } = await createRoom(owner)
      const bob = await member(rooms, 'Bob')
      const [used, unused] = [await link(id, 'moderator'), await link(id, 'moderator')]
      await acceptInvitation(bob, used.token)
      await succeed(removeMember(owner, id, bob, { action }))
      if (action === 'kick') rooms.clock.ms += 10 * MINUTE
      else await owner.browser.json(`/api/rooms/${id}/bans/${bob.user.id}`, { method: 'DELETE' })
      await expectRefused(rooms, () => acceptInvitation(bob, used.token), [409, 'invitation_used'])
      expect(await acceptAndReadRole(bob, unused.token)).toEqual([200, 'listener'])
      expect(await roleOf(rooms, id, bob)).toBe('listener')
      const newer = await link(id, 'moderator')
      expect(await acceptAndReadRole(bob, newer.token)).toEqual([200, 'moderator'])
    },
  )

  test('R17.6b: a link admits a user once: after leaving it does not admit them again, and no use is counted', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const { token } = await link(id, 'speaker')
    expect(await acceptAndReadRole(bob, token)).toEqual([200, 'speaker'])
    await succeed(endMembership(bob, id))
    await expectRefused(rooms, () => acceptInvitation(bob, token), [409, 'invitation_used'])
    expect(await roleOf(rooms, id, bob)).toBeNull()
  })

  test('R17.6e: an invitation of a user gives no more than the role that was set after it, until it is renewed', async () => {
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
    expect(await acceptAndReadRole(bob, pending)).toEqual([200, 'moderator'])
  })

  test('an owner who transfers the room and is then made a listener is not promoted by an earlier link', async () => {
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

  test('the preview of an older link shows the room instead of a role that the link does not give', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const { token } = await link(id, 'moderator')
    await acceptInvitation(bob, token)
    await succeed(setRole(owner, id, bob, 'listener'))
    const seen = await bob.browser.json(`/api/room-invitations/${token}`)
    expect(seen).toMatchObject({ roomId: id })
  })

  test('R17.6f: ten concurrent requests with one link create one membership and count one use', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    const made = await link(id, 'speaker')
    const answers = await Promise.all(Array.from({ length: 10 }, () => acceptInvitation(bob, made.token)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    const { read } = rooms.rooms.database
    const uses = read.selectFrom('room_invitation_uses').selectAll()
    expect(await uses.where('invitation_id', '=', made.invitation.id).execute()).toHaveLength(1)
  })

  test('the database stores one use per user and link, and one manual role per user and room', async () => {
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
    const outcomeOf = (work: Promise<unknown>) => work.then(Boolean, () => 'refused')
    const uses = database.write((tx) => tx.insertInto('room_invitation_uses').values(use).execute())
    expect(await outcomeOf(uses)).toBe('refused')
    expect(
      await outcomeOf(database.write((tx) => tx.insertInto('room_manual_roles').values(manual).execute())),
    ).toBe('refused')
  })

  test('a manual role is deleted once no live invitation is older', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await makeMember(rooms, id, bob, 'moderator')
    await succeed(setRole(owner, id, bob, 'listener'))
    const manualRoles = () =>
      rooms.rooms.database.read
        .selectFrom('room_manual_roles')
        .selectAll()
        .where('room_id', '=', id)
        .execute()
    rooms.clock.ms += 30 * DAY
    await rooms.rooms.jobs.runDue()
    expect(await manualRoles()).toHaveLength(1)
    rooms.clock.ms += DAY + 1
    await rooms.rooms.jobs.runDue()
    expect(await manualRoles()).toEqual([])
  })
})
