import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createMessage, createRoom, member } from '../actions.ts'
import { openRooms } from '../rooms.ts'
import { advance, listen } from './live.ts'
import { DROPS_EVERYTHING, lossyBus } from './lossy-bus.ts'
import { advanceAll, closeNodes, twoNodes } from './nodes.ts'

const SECOND = 1_000

eachDialect((dialect, newUrl) => {
  if (dialect === 'sqlite') return
  describe('on two nodes, with a bus that drops everything', () => {
    test('R19.2 R27.2: (2n) messages and presence reach users on the other node within five seconds', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [owner, bob] = [await member(nodes[0].service, 'Olga'), await member(nodes[0].service, 'Bob')]
      const { id } = await createRoom(owner)
      const [here, there] = [nodes[0].live.connect(owner.browser), nodes[1].live.connect(bob.browser)]
      await here.subscribe(id)
      await there.subscribe(id)
      for (const content of ['one', 'two', 'three']) await createMessage(owner, id, content)
      await advanceAll(nodes, 5 * SECOND)
      await there.frame(({ type, seq }) => type === 'event' && seq === 3)
      expect(there.frames.filter(({ type }) => type === 'event').map(({ seq }) => seq)).toEqual([1, 2, 3])
      await here.frame(({ type, count }) => type === 'presence' && count === 2)
      await closeNodes(nodes)
    })

    test('R19.3 R27.2: (2n) users of a crashed node are absent after 45 seconds, and all others stay', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [owner, bob] = [await member(nodes[0].service, 'Olga'), await member(nodes[0].service, 'Bob')]
      const { id } = await createRoom(owner)
      const [here, there] = [nodes[0].live.connect(owner.browser), nodes[1].live.connect(bob.browser)]
      await here.subscribe(id)
      await there.subscribe(id)
      await advanceAll(nodes, 5 * SECOND)
      await here.frame(({ type, count }) => type === 'presence' && count === 2)
      // The second node does nothing any more.
      const left = [nodes[0]]
      for (let second = 0; second < 50; second += 5) {
        await advanceAll(left, 5 * SECOND)
        await here.settle()
      }
      await here.frame(({ type, left: gone }) => type === 'presence' && String(gone).includes(bob.user.id))
      // The end is stored only once no clock can be so far behind that the other node might still
      // renew the leases.
      for (let second = 50; second < 110; second += 10) {
        await advanceAll(left, 10 * SECOND)
        await here.settle()
      }
      await nodes[0].service.rooms.jobs.runDue()
      const rows = await nodes[0].service.rooms.database.read
        .selectFrom('presence_leases')
        .select('user_id')
        .where('room_id', '=', id)
        .execute()
      expect(rows.map(({ user_id }) => user_id)).toEqual([owner.user.id])
      await closeNodes(nodes)
    })

    test('a node whose clock is 40 seconds ahead removes no participant', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const url = await newUrl()
      const behind = await openRooms({ url, bus: bus.join() })
      const clock = { ms: behind.clock.ms }
      const ahead = await openRooms({ url, bus: bus.join(), shared: { ...behind, clock } })
      const live = listen(behind.rooms)
      const olga = await member(behind, 'Olga')
      const { id } = await createRoom(olga)
      const socket = live.connect(olga.browser)
      expect(await socket.subscribe(id)).toMatchObject({ type: 'subscribed' })
      // The jobs of one node are meant to run between two renewals of the other.
      await advance(behind, SECOND)
      behind.clock.ms += 10 * SECOND
      ahead.clock.ms = behind.clock.ms + 40 * SECOND
      for (let second = 0; second < 120; second++) {
        for (const each of [behind, ahead]) {
          await advance(each, SECOND)
          await each.rooms.jobs.runDue()
        }
        await socket.settle()
      }
      expect(socket.frames.filter(({ type }) => type === 'room.removed')).toEqual([])
      const visit = await behind.rooms.database.read
        .selectFrom('room_visits')
        .select('ended_at')
        .where('room_id', '=', id)
        .executeTakeFirst()
      expect(visit).toEqual({ ended_at: null })
      await ahead.rooms.hub.stop()
      await behind.rooms.hub.stop()
      await live.stop()
      await ahead.close()
      await behind.close()
    })
  })
})
