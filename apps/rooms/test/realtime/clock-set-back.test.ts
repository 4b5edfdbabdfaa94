import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createMessage, createRoom, member } from '../actions.ts'
import { openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { type LiveSocket, advance, listen } from './live.ts'
import { DROPS_EVERYTHING, lossyBus } from './lossy-bus.ts'
import { type Node, advanceAll, closeNodes, twoNodes } from './nodes.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND

eachDialect((dialect, newUrl) => {
  describe('when the clock is set back by an hour', () => {
    /** Rate limits have their own clock, which is this one only in tests. This refills them. */
    const forgetRates = async ({ service, live }: Node) => {
      service.clock.ms += 20 * SECOND
      // Keeps connections from being asked for a heartbeat, which counts.
      for (const each of service.rooms.hub.registry.all()) each.noteActivity(service.clock.steadyMs ?? 0)
      const socket = live.connect((await member(service)).browser)
      await socket.settle()
      socket.close()
      await socket.closed
    }

    test('R18.4b R18.6 R19.2: present users stay present, and messages that the bus did not announce are found', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [first, second] = nodes
      const [owner, bob] = [await member(first.service, 'Olga'), await member(first.service, 'Bob')]
      const { id } = await createRoom(owner)
      const before = second.live.connect(bob.browser)
      await before.subscribe(id)
      await forgetRates(second)
      first.service.clock.ms -= HOUR
      const carol = await member(first.service, 'Carol')
      const here = first.live.connect(carol.browser)
      await here.subscribe(id)
      await createMessage(carol, id, 'one')
      for (let passed = 0; passed < 5; passed++) await advanceAll(nodes, SECOND)
      await before.frame(({ type, seq }) => type === 'event' && seq === 1)
      for (let passed = 0; passed < 60; passed += 5) {
        await advanceAll(nodes, 5 * SECOND)
        for (const { service } of nodes) await service.rooms.jobs.runDue()
        for (const socket of [here, before]) await socket.settle()
      }
      const leases = await first.service.rooms.database.read
        .selectFrom('presence_leases')
        .select(['user_id', 'expires_at'])
        .where('room_id', '=', id)
        .execute()
      expect(leases.map(({ user_id }) => user_id).toSorted()).toEqual(
        [bob, carol].map(({ user }) => user.id).toSorted(),
      )
      for (const { expires_at: end } of leases) {
        expect(end).toBeGreaterThan(first.service.clock.ms)
        expect(end).toBeLessThanOrEqual(first.service.clock.ms + 45 * SECOND)
      }
      for (const socket of [here, before]) {
        expect(socket.frames.filter(({ type }) => type === 'room.removed')).toEqual([])
        expect(socket.isClosed).toBe(false)
      }
      await closeNodes(nodes)
    })

    if (dialect === 'postgres') return

    test('a user who had just left is reported ten seconds later, a silent one within a minute, and typing ends', async () => {
      const service = await openRooms({ url: await newUrl() })
      const live = listen(service.rooms)
      const people = [
        await member(service, 'Olga'),
        await member(service, 'Bob'),
        await member(service, 'Carol'),
      ] as const
      const [owner, bob, carol] = people
      const { id } = await createRoom(owner)
      const [watching, going, silent] = people.map(({ browser }) => live.connect(browser)) as [
        LiveSocket,
        LiveSocket,
        LiveSocket,
      ]
      for (const socket of [watching, going, silent]) await socket.subscribe(id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 3)
      const { hub } = service.rooms
      await forgetRates({ service, live })
      going.close()
      await until(() => hub.registry.ofUser(bob.user.id).length === 0)
      await advance(service, SECOND)
      const [connection] = hub.registry.ofUser(carol.user.id)
      const room = hub.rooms.find(id)
      if (!connection || !room) throw new Error('Nobody is there')
      hub.typing.update(connection, room, true)
      service.clock.ms -= HOUR
      await advance(service, SECOND)
      await advance(service, 10 * SECOND)
      await watching.frame(({ type, active }) => type === 'typing' && active === false)
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(bob.user.id))
      connection.noteActivity = () => {}
      for (let passed = 0; passed < 60; passed += 5) {
        await advance(service, 5 * SECOND)
        await watching.settle()
      }
      expect((await silent.closed).code).toBe(4408)
      expect(watching.isClosed).toBe(false)
      await live.stop()
      await service.close()
    })
  })
})
