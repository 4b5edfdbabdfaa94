import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  acceptInvitation,
  admin,
  confirmTransfer,
  createInvitation,
  createRoom,
  endMembership,
  eraseAccount,
  join,
  makeMember,
  member,
  offerRoom,
  ownerOf,
  postMessage,
  removeMember,
  rolesIn,
  setRole,
  takeOver,
  visitOf,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

eachDialect((dialect, newUrl) => {
  /** Two nodes on one PostgreSQL database; one node on SQLite. */
  let nodes: readonly [TestRooms, TestRooms]
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, rooms_owned: 1000, admin_writes_per_minute: 1000 }
    const url = await newUrl()
    const one = await openRooms({ url, limits })
    nodes = [one, dialect === 'postgres' ? await openRooms({ url, limits, shared: one }) : one]
  })
  afterAll(async () => {
    for (const node of new Set(nodes)) await node.close()
  })

  test('R27.3: bans, roles, invitations, transfers, takeovers and erasures at once leave one sound state', async () => {
    const [one, two] = nodes
    const [owner, root] = [await member(one, 'Olga'), await admin(two, 'Root')]
    for (let round = 0; round < 4; round++) {
      const { id } = await createRoom(owner, { maxParticipants: 2 })
      const [bob, eva, finn] = [await member(one, 'Bob'), await member(two, 'Eva'), await member(two, 'Finn')]
      for (const each of [eva, finn]) await makeMember(one, id, each, 'moderator')
      const invitation = await createInvitation(owner, id, bob, { role: 'speaker' })
      const replies = await Promise.all([
        removeMember(owner, id, bob, { action: 'ban' }),
        acceptInvitation(bob, invitation.id),
        join(bob, id),
        setRole(owner, id, bob, 'moderator'),
        postMessage(bob, id, { content: 'Hello' }),
        endMembership(bob, id),
        offerRoom(owner, id, eva),
        confirmTransfer(eva, id),
        endMembership(eva, id),
        join(eva, id),
        removeMember(owner, id, eva, { action: 'kick', cooldownMinutes: 1 }),
        takeOver(root, id),
        join(root, id),
        postMessage(finn, id, { content: 'Bye' }),
        setRole(eva, id, finn, 'listener'),
        join(finn, id),
        eraseAccount(finn),
      ])
      // A slow machine may refuse a request, but only with advice to try it again.
      for (const { status, headers } of replies)
        expect([status === 500, status >= 500 && !headers.has('Retry-After')]).toEqual([false, false])
      const [banned] = replies
      const roles = await rolesIn(one, id)
      if (banned.status === 200) {
        expect(roles[bob.user.id]).toBeUndefined()
        expect(await visitOf(one, id, bob)).toBeUndefined()
      }
      const ownerId = (await ownerOf(one, id)) ?? ''
      expect([owner, eva, root].map(({ user }) => user.id)).toContain(ownerId)
      expect(roles[ownerId]).toBeUndefined()
      expect(roles[finn.user.id]).toBeUndefined()
      const present = await one.rooms.database.read
        .selectFrom('presence_leases')
        .select('user_id')
        .distinct()
        .where('room_id', '=', id)
        .execute()
      expect(present.length).toBeLessThanOrEqual(2)
    }
  })
})
