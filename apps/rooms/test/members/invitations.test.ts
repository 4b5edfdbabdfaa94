import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type InvitationJson,
  type TestUser,
  acceptInvitation,
  admin,
  createInvitation,
  createInvitationLink,
  createRoom,
  declineInvitation,
  endMembership,
  guest,
  inviteUser,
  join,
  listInvitations,
  makeMember,
  member,
  pendingInvitations,
  refusal,
  removeMember,
  revokeInvitation,
  previewInvitation,
  useCountOf,
  roleOf,
  setRole,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { insertPerson } from '../sessions/people.ts'
import { expectRefused, linesOf } from './state.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
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
  const preview = (token: string) => previewInvitation({ browser: rooms.browser() }, token)

  test('R16.4: an invited user is notified, sees the room’s name, accepts, and becomes a member', async () => {
    const { id } = await createRoom(owner, { visibility: 'private', name: 'Den' })
    const bob = await member(rooms, 'Bob')
    rooms.publishedEvents.length = 0
    const response = await inviteUser(owner, id, bob, { role: 'speaker' })
    expect(response.status).toBe(201)
    const { invitation } = (await response.json()) as { invitation: InvitationJson }
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
    const { invitedUserId: _to, maxUses: _max, useCount: _used, ...rest } = invitation
    const seen = { ...rest, roomName: 'Den' } as unknown as InvitationJson
    expect(rooms.publishedEvents).toEqual([
      { kind: 'notice', userId: bob.user.id, notice: 'invitation', data: { invitation: seen } },
    ])
    expect(await pendingInvitations(bob)).toEqual([seen])
    expect(await pendingInvitations(owner)).toEqual([])
    expect(await listInvitations(owner, id)).toEqual([{ ...invitation, invitedNickname: 'Bob' }])
    rooms.publishedEvents.length = 0
    expect(await (await acceptInvitation(bob, invitation.id)).json()).toEqual({
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
    expect(await roleOf(rooms, id, bob)).toBe('speaker')
    expect(await pendingInvitations(bob)).toEqual([])
    expect(await listInvitations(owner, id)).toEqual([])
    expect((await linesOf(rooms, id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['room.invitation.create', owner.user.id],
      ['room.invitation.accept', bob.user.id],
    ])
    await expectRefused(rooms, () => acceptInvitation(bob, invitation.id), [409, 'already_member'])
  })

  test('R17.6a, R28.17: a user has one pending invitation per room; a second one renews it', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const first = await createInvitation(owner, id, bob, { expiresInHours: 1 })
    expect(first.permission).toBe('listener')
    rooms.clock.ms += MINUTE
    const again = await inviteUser(owner, id, bob, { role: 'moderator', expiresInHours: 2 })
    expect(again.status).toBe(200)
    const { invitation } = (await again.json()) as { invitation: InvitationJson }
    expect(invitation).toEqual({
      ...first,
      permission: 'moderator',
      expiresAt: new Date(rooms.clock.ms + 2 * HOUR).toISOString(),
    })
    expect(rooms.publishedEvents.filter(({ kind }) => kind === 'notice')).toHaveLength(2)
    const moderator = await member(rooms)
    await makeMember(rooms, id, moderator, 'moderator')
    await expectRefused(rooms, () => inviteUser(moderator, id, bob), [403, 'forbidden'])
    expect(await pendingInvitations(bob)).toHaveLength(1)
    rooms.clock.ms += 2 * HOUR
    const fresh = await inviteUser(moderator, id, bob)
    expect(fresh.status).toBe(201)
    expect(((await fresh.json()) as { invitation: InvitationJson }).invitation.id).not.toBe(first.id)
    expect(await pendingInvitations(bob)).toHaveLength(1)
  })

  test('R16.1c: an invitation is listed behind any number of newer ones, invalid ones are skipped, and the rest is paged', async () => {
    const [bob, nuisance] = [await member(rooms), await member(rooms)]
    const { id } = await createRoom(owner)
    const first = await createInvitation(owner, id, bob)
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
    // The sender has no rights in any of those rooms.
    expect((await pendingInvitations(bob)).map((each) => each.id)).toEqual([first.id])
    await rooms.rooms.database.write((tx) =>
      tx.updateTable('rooms').set({ owner_id: nuisance.user.id }).where('id', 'in', others).execute(),
    )
    const seen: InvitationJson[] = []
    const lengths: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { invitations: InvitationJson[]; nextCursor: string | null } = await bob.browser.json(
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

  test('inviting the same user twenty times at once leaves one invitation', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const answers = await Promise.all(Array.from({ length: 20 }, () => inviteUser(owner, id, bob)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(await pendingInvitations(bob)).toHaveLength(1)
  })

  test('R22: live invitations per room and invitations per user and hour are limited', async () => {
    const limits = { ...rooms.limits, invitations_live: 2, invitations_per_hour: 4 }
    const node = await rooms.node({ limits })
    const ada = await member(node)
    const { id } = await createRoom(ada)
    const bob = await member(node)
    const { invitation } = await createInvitationLink(ada, id)
    await createInvitation(ada, id, bob)
    const another = () => ada.browser.send(`/api/rooms/${id}/invitations/links`, { body: {} })
    await expectRefused(node, another, [409, 'limit_reached'])
    // A renewed invitation does not count as a new one.
    expect((await inviteUser(ada, id, bob)).status).toBe(200)
    const late = await another()
    expect(late.headers.get('retry-after')).toBe('900')
    expect(await refusal(late)).toEqual([429, 'rate_limited'])
    await revokeInvitation(ada, id, invitation.id)
    node.clock.ms += 15 * MINUTE
    expect((await another()).status).toBe(201)
    await node.close()
  })

  if (dialect === 'postgres') return

  test('only enabled member accounts are invited, and only to a higher role than they have', async () => {
    const { id } = await createRoom(owner)
    const targets = [
      await guest(rooms),
      { user: await insertPerson(rooms, { disabled: 1 }) },
      { user: { id: NOWHERE } },
    ]
    for (const target of targets)
      await expectRefused(rooms, () => inviteUser(owner, id, target), [404, 'not_found'])
    const bob = await member(rooms)
    await makeMember(rooms, id, bob, 'speaker')
    for (const role of ['listener', 'speaker'])
      await expectRefused(rooms, () => inviteUser(owner, id, bob, { role }), [409, 'already_member'])
    await expectRefused(rooms, () => inviteUser(owner, id, owner, { role: 'moderator' }), [
      409,
      'already_member',
    ])
    const { id: invitation } = await createInvitation(owner, id, bob, { role: 'moderator' })
    expect((await acceptInvitation(bob, invitation)).status).toBe(200)
    expect(rooms.publishedEvents.find(({ kind }) => kind === 'event')).toMatchObject({
      event: { event: 'member.role' },
    })
    expect(await roleOf(rooms, id, bob)).toBe('moderator')
  })

  test('R17.6c: accepting raises a role and never lowers it', async () => {
    const { id } = await createRoom(owner)
    const [low, high] = [await member(rooms), await member(rooms)]
    await makeMember(rooms, id, low, 'listener')
    await makeMember(rooms, id, high, 'moderator')
    const { token, invitation } = await createInvitationLink(owner, id, { role: 'speaker', maxUses: 5 })
    expect((await acceptInvitation(low, token)).status).toBe(200)
    expect(await roleOf(rooms, id, low)).toBe('speaker')
    for (const who of [low, high, owner])
      await expectRefused(rooms, () => acceptInvitation(who, token), [409, 'already_member'])
    expect(await roleOf(rooms, id, high)).toBe('moderator')
    expect(await useCountOf(rooms, invitation.id)).toBe(1)
  })

  test('R17.6c: a user who could visit as a speaker stays a speaker after accepting as a listener; in a private room they become a listener', async () => {
    for (const [visibility, role] of [
      ['public', 'speaker'],
      ['unlisted', 'speaker'],
      ['private', 'listener'],
    ] as const) {
      const { id } = await createRoom(owner, { visibility, defaultRole: 'speaker' })
      const bob = await member(rooms)
      const { token } = await createInvitationLink(owner, id, { role: 'listener' })
      expect(await (await acceptInvitation(bob, token)).json()).toEqual({ success: true, roomId: id, role })
      expect(await roleOf(rooms, id, bob)).toBe(role)
      expect((await linesOf(rooms, id)).at(-1)).toMatchObject({ metadata: { role } })
      expect(await bob.browser.json(`/api/rooms/${id}`)).toMatchObject({
        room: { role, canPublish: role === 'speaker' },
      })
    }
  })

  test('R28.17: a declined invitation cannot be accepted, and a new one can be created', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const first = await createInvitation(owner, id, bob)
    expect((await declineInvitation(bob, first.id)).status).toBe(200)
    expect(await pendingInvitations(bob)).toEqual([])
    expect(await listInvitations(owner, id)).toEqual([])
    await expectRefused(rooms, () => acceptInvitation(bob, first.id), [404, 'not_found'])
    await expectRefused(rooms, () => declineInvitation(bob, first.id), [404, 'not_found'])
    expect((await linesOf(rooms, id)).at(-1)).toMatchObject({
      action: 'room.invitation.decline',
      actor: bob.user.id,
      metadata: { invitationId: first.id },
    })
    expect((await inviteUser(owner, id, bob)).status).toBe(201)
  })

  test('R17.6, R28.17: an invitation becomes invalid when its creator loses the right to invite, for any reason', async () => {
    const ends: Record<string, (roomId: string, creator: TestUser) => Promise<unknown>> = {
      demoted: (roomId, creator) => succeed(setRole(owner, roomId, creator, 'speaker')),
      kicked: (roomId, creator) => succeed(removeMember(owner, roomId, creator, { action: 'kick' })),
      banned: (roomId, creator) => succeed(removeMember(owner, roomId, creator, { action: 'ban' })),
      left: (roomId, creator) => succeed(endMembership(creator, roomId)),
      disabled: (_roomId, { user }) =>
        rooms.rooms.database.write((tx) =>
          tx.updateTable('users').set({ disabled: 1 }).where('id', '=', user.id).execute(),
        ),
    }
    for (const [how, end] of Object.entries(ends)) {
      const { id } = await createRoom(owner)
      const [creator, bob] = [await member(rooms), await member(rooms)]
      await makeMember(rooms, id, creator, 'moderator')
      const targeted = await createInvitation(creator, id, bob)
      const { token } = await createInvitationLink(creator, id)
      const { token: other } = await createInvitationLink(owner, id)
      await end(id, creator)
      for (const idOrToken of [targeted.id, token])
        await expectRefused(rooms, () => acceptInvitation(bob, idOrToken), [404, 'not_found'])
      expect([how, await pendingInvitations(bob), (await preview(token)).status]).toEqual([how, [], 404])
      expect(await listInvitations(owner, id)).toHaveLength(1)
      expect((await preview(other)).status).toBe(200)
      expect((await acceptInvitation(bob, other)).status).toBe(200)
    }
  })

  test('an administrator’s invitation ends with the administrator’s right, and an owner’s invitation of a moderator with the ownership', async () => {
    const { id } = await createRoom(owner)
    const root = await admin(rooms)
    const { token } = await createInvitationLink(root, id, { role: 'moderator' })
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('role_grants').where('user_id', '=', root.user.id).execute(),
    )
    await expectRefused(rooms, async () => acceptInvitation(owner, token), [404, 'not_found'])
    const moderators = await createInvitationLink(owner, id, { role: 'moderator' })
    const speakers = await createInvitationLink(owner, id, { role: 'speaker' })
    const heir = await member(rooms)
    await rooms.rooms.database.write(async (tx) => {
      await tx.updateTable('rooms').set({ owner_id: heir.user.id }).where('id', '=', id).execute()
    })
    await makeMember(rooms, id, owner, 'moderator')
    const bob = await member(rooms)
    await expectRefused(rooms, () => acceptInvitation(bob, moderators.token), [404, 'not_found'])
    expect((await acceptInvitation(bob, speakers.token)).status).toBe(200)
  })

  test('R17.6g, R28.5: a user who is banned or in a cool-down cannot return by any kind of invitation', async () => {
    for (const visibility of ['public', 'private']) {
      const { id } = await createRoom(owner, { visibility })
      const [kicked, banned] = [await member(rooms), await member(rooms)]
      const before = await createInvitation(owner, id, kicked)
      await succeed(removeMember(owner, id, kicked, { action: 'kick' }))
      await succeed(removeMember(owner, id, banned, { action: 'ban' }))
      const { token } = await createInvitationLink(owner, id, { maxUses: 5 })
      const after = await createInvitation(owner, id, banned)
      for (const idOrToken of [before.id, token])
        await expectRefused(rooms, () => acceptInvitation(kicked, idOrToken), [403, 'cooldown'])
      for (const idOrToken of [after.id, token])
        await expectRefused(rooms, () => acceptInvitation(banned, idOrToken), [403, 'banned'])
      rooms.clock.ms += 10 * MINUTE
      expect((await acceptInvitation(kicked, before.id)).status).toBe(200)
      await expectRefused(rooms, () => acceptInvitation(banned, after.id), [403, 'banned'])
    }
  })

  test('an invitation expires to the millisecond', async () => {
    const { id } = await createRoom(owner)
    const [bob, cem] = [await member(rooms), await member(rooms)]
    const { token } = await createInvitationLink(owner, id, { expiresInHours: 1, maxUses: 2 })
    const targeted = await createInvitation(owner, id, bob, { expiresInHours: 1 })
    rooms.clock.ms += HOUR - 1
    expect((await acceptInvitation(cem, token)).status).toBe(200)
    rooms.clock.ms += 1
    for (const idOrToken of [targeted.id, token])
      await expectRefused(rooms, () => acceptInvitation(bob, idOrToken), [404, 'not_found'])
    await expectRefused(rooms, () => declineInvitation(bob, targeted.id), [404, 'not_found'])
    await expectRefused(rooms, () => revokeInvitation(owner, id, targeted.id), [404, 'not_found'])
    expect([
      await pendingInvitations(bob),
      await listInvitations(owner, id),
      (await preview(token)).status,
    ]).toEqual([[], [], 404])
  })

  test('R17.4: moderators create, list and revoke invitations of listeners and speakers, not of moderators', async () => {
    const { id } = await createRoom(owner)
    const [moderator, bob] = [await member(rooms), await member(rooms)]
    await makeMember(rooms, id, moderator, 'moderator')
    const speakers = await createInvitationLink(moderator, id, { role: 'speaker' })
    const moderators = await createInvitationLink(owner, id, { role: 'moderator' })
    const sends = [
      () => moderator.browser.send(`/api/rooms/${id}/invitations/links`, { body: { role: 'moderator' } }),
      () => inviteUser(moderator, id, bob, { role: 'moderator' }),
      () => revokeInvitation(moderator, id, moderators.invitation.id),
    ]
    for (const send of sends) await expectRefused(rooms, send, [403, 'forbidden'])
    expect((await listInvitations(moderator, id)).map((each) => each.id)).toEqual([speakers.invitation.id])
    expect((await listInvitations(owner, id)).map((each) => each.id).toSorted()).toEqual(
      [speakers.invitation.id, moderators.invitation.id].toSorted(),
    )
    expect((await revokeInvitation(moderator, id, speakers.invitation.id)).status).toBe(200)
    expect((await revokeInvitation(await admin(rooms), id, moderators.invitation.id)).status).toBe(200)
    expect(await refusal(await acceptInvitation(bob, speakers.token))).toEqual([404, 'not_found'])
  })

  test('a revoked invitation is deleted, its invitee is notified, and it cannot be revoked through another room', async () => {
    const { id } = await createRoom(owner)
    const other = await createRoom(owner)
    const bob = await member(rooms)
    const targeted = await createInvitation(owner, id, bob)
    await expectRefused(rooms, () => revokeInvitation(owner, other.id, targeted.id), [404, 'not_found'])
    rooms.publishedEvents.length = 0
    expect((await revokeInvitation(owner, id, targeted.id)).status).toBe(200)
    expect(rooms.publishedEvents).toEqual([
      {
        kind: 'notice',
        userId: bob.user.id,
        notice: 'invitation_revoked',
        data: { id: targeted.id, roomId: id },
      },
    ])
    expect(await pendingInvitations(bob)).toEqual([])
    await expectRefused(rooms, () => acceptInvitation(bob, targeted.id), [404, 'not_found'])
    expect((await linesOf(rooms, id)).at(-1)).toMatchObject({ action: 'room.invitation.revoke' })
  })

  test('R28.22: malformed invitations are refused', async () => {
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
      await expectRefused(rooms, () => inviteUser(owner, id, bob, more), [400, 'invalid_request'])
    for (const body of [{ maxUses: 0 }, { maxUses: 1001 }, { maxUses: '1' }, { userId: bob.user.id }])
      await expectRefused(rooms, () => owner.browser.send(`/api/rooms/${id}/invitations/links`, { body }), [
        400,
        'invalid_request',
      ])
  })

  test('R28.18: accepting does not enter: the new member is not counted as present', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const { token } = await createInvitationLink(owner, id)
    await acceptInvitation(bob, token)
    const { room } = await owner.browser.json<{ room: { participantCount: number } }>(`/api/rooms/${id}`)
    expect(room.participantCount).toBe(0)
    expect(rooms.publishedEvents.some(({ kind }) => kind === 'presence')).toBe(false)
    await join(bob, id)
    expect(rooms.publishedEvents.some(({ kind }) => kind === 'presence')).toBe(true)
  })
})
