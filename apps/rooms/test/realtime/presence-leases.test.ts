import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type TestUser, createRoom, member, removeMember, succeed } from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type Live, type LiveSocket, advance, listen } from './live.ts'
import { enterRoom } from './presence.ts'

const SECOND = 1_000

eachDialect((dialect, newUrl) => {
  describe('leases of participants', () => {
    let service: TestRooms
    let live: Live
    let owner: TestUser
    beforeAll(async () => {
      service = await openRooms({
        url: await newUrl(),
        limits: { rooms_per_hour: 1_000, socket_connects_per_minute: 1_000 },
      })
      live = listen(service.rooms)
      owner = await member(service, 'Olga')
    })
    afterEach(() => mock.restore())
    afterAll(async () => {
      await live.stop()
      await service.close()
    })
    const enter = (user: TestUser, roomId: string) => enterRoom(live, user, roomId)

    /** Skips renewals until the job deletes the expired leases. The sockets stay alive. */
    const missRenewals = async (...sockets: readonly LiveSocket[]) => {
      for (let times = 0; times < 3; times++) {
        service.clock.ms += 40 * SECOND
        for (const each of sockets) await each.settle()
      }
      await service.rooms.jobs.runDue()
      const rows = await service.rooms.database.read
        .selectFrom('presence_leases')
        .select('user_id')
        .where('expires_at', '<=', service.clock.ms)
        .execute()
      expect(rows).toEqual([])
    }

    test('leases are renewed while a user is present, and end 45 seconds after the last heartbeat of the node', async () => {
      const { id } = await createRoom(owner)
      const socket = await enter(owner, id)
      for (let second = 0; second < 120; second += 10) {
        await advance(service, 10 * SECOND)
        await socket.settle()
      }
      expect(socket.frames.some(({ type }) => type === 'room.removed')).toBe(false)
      const { until: end } = await service.rooms.database.read
        .selectFrom('presence_leases')
        .select((eb) => eb.fn.max('expires_at').as('until'))
        .where('room_id', '=', id)
        .executeTakeFirstOrThrow()
      expect(end).toBeGreaterThan(service.clock.ms + 20 * SECOND)
      socket.close()
    })

    test('participants whose leases have expired are readmitted together', async () => {
      const { id } = await createRoom(owner)
      const crowd = await Promise.all(Array.from({ length: 20 }, (_, i) => member(service, `Person ${i}`)))
      const sockets: LiveSocket[] = []
      for (const each of crowd) sockets.push(await enter(each, id))
      await missRenewals(...sockets)
      const { leases } = service.rooms.hub
      const take = leases.take.bind(leases)
      // No lease is returned before all have been requested.
      const { promise: allWaiting, resolve } = Promise.withResolvers<void>()
      const taking = spyOn(leases, 'take').mockImplementation(async (connection, roomId) => {
        if (taking.mock.calls.length === crowd.length) resolve()
        await allWaiting
        return take(connection, roomId)
      })
      await leases.check([id])
      taking.mockRestore()
      for (const each of sockets) {
        await each.settle()
        expect(each.frames.some(({ type }) => type === 'room.removed')).toBe(false)
        each.close()
      }
    })

    test('a user who is erased while entering does not keep out the others who enter at the same time', async () => {
      const { id } = await createRoom(owner)
      const [bob, carol] = [await member(service, 'Bob'), await member(service, 'Carol')]
      const sockets = [await enter(owner, id), await enter(carol, id), await enter(bob, id)]
      const { leases, registry } = service.rooms.hub
      const [first, erased, last] = [owner, carol, bob].map(({ user }) => [...registry.ofUser(user.id)][0]!)
      await service.rooms.database.write((tx) =>
        tx.deleteFrom('sessions').where('id', '=', carol.browser.sessionId).execute(),
      )
      const outcomes = await Promise.allSettled(
        [first, erased, last].map((connection) => leases.take(connection!, id)),
      )
      expect(outcomes.map((each) => (each.status === 'rejected' ? each.reason.code : 'in'))).toEqual([
        'in',
        'not_found',
        'in',
      ])
      for (const each of sockets) each.close()
    })

    test('participants stay in the room, without a notice, if the database was unreachable for longer than a lease', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const [socket, kicked] = [await enter(owner, id), await enter(bob, id)]
      await missRenewals(socket, kicked)
      await succeed(removeMember(owner, id, bob, { action: 'kick' }))
      await advance(service, 5 * SECOND)
      expect(await kicked.of('room.removed')).toMatchObject({ reason: 'kicked' })
      await socket.settle()
      expect(socket.frames.some(({ type }) => type === 'room.removed')).toBe(false)
      const seen = await owner.browser.json<{ participants: { userId: string }[] }>(`/api/rooms/${id}`)
      expect(seen.participants.map(({ userId }) => userId)).toEqual([owner.user.id])
      for (const each of [socket, kicked]) each.close()
    })

    test('two checks that find the same expired lease at once keep the participant, in any order', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const [socket, other] = [await enter(owner, id), await enter(bob, id)]
      await missRenewals(socket, other)
      const { leases, registry } = service.rooms.hub
      const connections = [owner, bob].flatMap(({ user }) => [...registry.ofUser(user.id)])
      // These wait together while others are being admitted.
      const takes = [1, 2, 3].flatMap(() => connections.map((each) => leases.take(each, id)))
      const looks = [1, 2, 3].map(() => leases.check([id]))
      await Promise.all([...takes, ...looks])
      for (const each of [socket, other]) {
        await each.settle()
        expect(each.frames.some(({ type }) => type === 'room.removed')).toBe(false)
        each.close()
      }
    })

    if (dialect === 'postgres') return

    test('R28.18: a client that is killed without closing its socket disappears within 60 seconds', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const watching = await enter(owner, id)
      const killed = await enter(bob, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      // Its machine has failed: no activity is noted any more.
      const [connection] = service.rooms.hub.registry.ofUser(bob.user.id)
      if (connection) connection.noteActivity = () => {}
      for (let second = 0; second < 60; second++) {
        await advance(service, SECOND)
        if (second % 10 === 0) await watching.settle()
      }
      expect((await killed.closed).code).toBe(4408)
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(bob.user.id))
      watching.close()
    })

    test('leases last from the time of their renewal, however long the reads before it take', async () => {
      const { id } = await createRoom(owner)
      const socket = await enter(owner, id)
      const looking = spyOn(service.rooms.hub.lobby, 'reconcile').mockImplementationOnce(async () => {
        service.clock.ms += 30 * SECOND
      })
      await advance(service, 10 * SECOND)
      expect(looking).toHaveBeenCalledTimes(1)
      const { until: end } = await service.rooms.database.read
        .selectFrom('presence_leases')
        .select((eb) => eb.fn.max('expires_at').as('until'))
        .where('room_id', '=', id)
        .executeTakeFirstOrThrow()
      expect(end).toBe(service.clock.ms + 45 * SECOND)
      socket.close()
    })
  })
})
