import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type TestUser, createRoom, guest, join, leave, member } from '../rooms/rooms.ts'
import { type Frame, type Live, type LiveSocket, advance, listen } from './live.ts'
import { DROPS_EVERYTHING, lossyBus } from './lossy-bus.ts'
import { type Node, advanceAll, closeNodes, twoNodes } from './nodes.ts'
import { until } from './redis.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND

type Presence = Frame & { joined: { userId: string }[]; left: string[]; count: number }

function presences({ frames }: LiveSocket): Presence[] {
  return frames.filter((frame): frame is Presence => frame.type === 'presence')
}

/** Who a client that follows the frames takes to be there. */
function peopleOf(socket: LiveSocket): string[] {
  const present = new Set<string>()
  for (const frame of socket.frames) {
    if (frame.type === 'subscribed')
      for (const { userId } of frame['present'] as { userId: string }[]) present.add(userId)
    if (frame.type !== 'presence') continue
    for (const { userId } of (frame as Presence).joined) present.add(userId)
    for (const userId of (frame as Presence).left) present.delete(userId)
  }
  return [...present].toSorted()
}

eachDialect((dialect, newUrl) => {
  describe('who is in a room', () => {
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
    const enter = async (somebody: TestUser, roomId: string) => {
      const socket = live.connect(somebody.browser)
      expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
      return socket
    }
    const ids = (...people: TestUser[]) => people.map(({ user }) => user.id).toSorted()
    const gone = (socket: LiveSocket, { user }: TestUser) => {
      socket.close()
      return until(() => service.rooms.hub.registry.ofUser(user.id).length === 0)
    }

    /** Nothing is renewed for so long that the job clears away what has run out; the sockets give signs of life. */
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

    /** Tells who is in this room without waiting for more to tell together. */
    const tellNow = (roomId: string) => service.rooms.hub.rooms.find(roomId)?.presence.refresh()

    test('R18.8: the answer to whoever comes in holds them as well, as the list over HTTP does', async () => {
      const { id } = await createRoom(owner)
      const [sven, namesake] = [await member(service, 'Sven'), await guest(service, 'Sven')]
      const sockets: LiveSocket[] = []
      const coming = [owner, sven, namesake, await member(service, 'Mona')]
      for (const [index, somebody] of coming.entries()) {
        const socket = live.connect(somebody.browser)
        sockets.push(socket)
        const answer = await socket.subscribe(id)
        const { room, participants } = await somebody.browser.json<{
          room: { participantCount: number }
          participants: Record<string, unknown>[]
        }>(`/api/rooms/${id}`)
        const people = participants.map(({ joinedAt: _joinedAt, ...person }) => person)
        expect([answer['count'], room.participantCount]).toEqual([index + 1, index + 1])
        const byId = (a: { userId?: unknown }, b: { userId?: unknown }) =>
          String(a.userId).localeCompare(String(b.userId))
        const present = answer['present'] as Record<string, unknown>[]
        expect(present.toSorted(byId)).toEqual(people.toSorted(byId))
        // Those who came before have been told.
        if (index > 0)
          await sockets[0]?.frame(
            (frame) =>
              frame.type === 'presence' &&
              (frame as Presence).joined.some(({ userId }) => userId === somebody.user.id),
          )
        // A second tab of theirs is nobody more.
        const tab = live.connect(somebody.browser)
        expect((await tab.subscribe(id))['count']).toBe(index + 1)
        sockets.push(tab)
      }
      for (const socket of sockets) socket.close()
    })

    test('R18.6 R28.18: two tabs are one person, who is told to have come once and to have left with the last of them', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const watching = await enter(owner, id)
      const [one, two] = [await enter(bob, id), await enter(bob, id)]
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      one.close()
      await until(() => service.rooms.hub.registry.ofUser(bob.user.id).length === 1)
      await advance(service, SECOND)
      await advance(service, 12 * SECOND)
      await tellNow(id)
      await watching.settle()
      expect(presences(watching).flatMap(({ left }) => left)).toEqual([])
      await two.settle()
      await gone(two, bob)
      await advance(service, SECOND)
      await advance(service, 11 * SECOND)
      await watching.frame(({ type, left }) => type === 'presence' && (left as string[]).length > 0)
      expect(presences(watching).map(({ count }) => count)).toEqual(
        [1, 2, 1].slice(-presences(watching).length),
      )
      expect(presences(watching).flatMap(({ left }) => left)).toEqual([bob.user.id])
      watching.close()
    })

    test('R28.18: who comes back within ten seconds has never left, and no count has risen', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const watching = await enter(owner, id)
      const first = await enter(bob, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      const before = presences(watching).length
      await gone(first, bob)
      await advance(service, SECOND)
      const again = await enter(bob, id)
      await advance(service, 12 * SECOND)
      await tellNow(id)
      await watching.settle()
      expect(presences(watching)).toHaveLength(before)
      expect(peopleOf(watching)).toEqual(ids(owner, bob))
      for (const socket of [watching, again]) socket.close()
    })

    test('R18.6: a kick, a ban and leaving are told at once, and leaving a room never entered tells nobody anything', async () => {
      const { id } = await createRoom(owner)
      const people = [
        await member(service, 'Bob'),
        await member(service, 'Carol'),
        await member(service, 'Dan'),
      ]
      const [bob, carol, dan] = people as [TestUser, TestUser, TestUser]
      const watching = await enter(owner, id)
      for (const each of people) await enter(each, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 4)
      const remove = ({ user }: TestUser, action: string) =>
        owner.browser.json(`/api/rooms/${id}/members/${user.id}/remove`, { body: { action } })
      await remove(bob, 'kick')
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(bob.user.id))
      await remove(carol, 'ban')
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(carol.user.id))
      await leave(dan, id)
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(dan.user.id))
      const before = presences(watching).length
      await leave(await member(service, 'Eve'), id)
      await tellNow(id)
      await watching.settle()
      expect(presences(watching)).toHaveLength(before)
      expect(peopleOf(watching)).toEqual(ids(owner))
      watching.close()
    })

    test('R17.7: whose session ends is told to have left at once, with and without a socket, in the lobby too', async () => {
      const { id } = await createRoom(owner)
      const [bob, carol] = [await member(service, 'Bob'), await member(service, 'Carol')]
      const watching = await enter(owner, id)
      await watching.ask({ type: 'subscribe_lobby' })
      const logOut = ({ browser }: TestUser) => browser.json('/api/auth/logout', { body: {} })
      const countInLobby = async () => {
        await service.rooms.hub.lobby.flush()
        await watching.settle()
        const told = watching.frames.filter(({ type }) => type === 'lobby').map((frame) => frame['upsert'])
        const ours = (told as { id: string; participantCount: number }[]).filter((room) => room?.id === id)
        return ours.at(-1)?.participantCount
      }
      await enter(bob, id)
      await join(carol, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 3)
      expect(await countInLobby()).toBe(3)
      for (const [index, each] of [carol, bob].entries()) {
        await logOut(each)
        await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(each.user.id))
        await until(async () => (await countInLobby()) === 2 - index)
      }
      watching.close()
    })

    test('R18.8 R28.20: what visitors are now is told when it changes, also to them and whoever comes later', async () => {
      const { id } = await createRoom(owner, { defaultRole: 'speaker' })
      const watching = await enter(owner, id)
      const [bob, carol] = [await member(service, 'Bob'), await member(service, 'Carol')]
      const visiting = await enter(bob, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      const body = { defaultRole: 'listener' }
      await owner.browser.json(`/api/rooms/${id}/settings`, { method: 'PATCH', body })
      const isNow = ({ type, joined }: Frame) =>
        type === 'presence' &&
        (joined as Frame[]).some(({ userId, role }) => userId === bob.user.id && role === 'listener')
      for (const socket of [watching, visiting]) await socket.frame(isNow)
      const { present } = (await live.connect(carol.browser).subscribe(id)) as Frame & { present: Frame[] }
      expect(present.find(({ userId }) => userId === bob.user.id)).toMatchObject({ role: 'listener' })
      watching.close()
    })

    test('comings within a quarter of a second are told together, with names, marks and roles, and nothing else of anybody', async () => {
      const { id } = await createRoom(owner, { defaultRole: 'speaker' })
      const watching = await enter(owner, id)
      const before = presences(watching).length
      const [bob, gus] = [await member(service, 'Bob'), await guest(service, 'Gus')]
      await Promise.all([join(bob, id), join(gus, id)])
      await watching.frame(({ type, count }) => type === 'presence' && count === 3)
      const after = presences(watching).slice(before)
      expect(after.length).toBeLessThanOrEqual(2)
      expect(after.flatMap(({ joined }) => joined)).toEqual(
        expect.arrayContaining([
          { userId: bob.user.id, nickname: 'Bob', avatarColor: '#1565c0', guest: false, role: 'speaker' },
          { userId: gus.user.id, nickname: 'Gus', avatarColor: '#1565c0', guest: true, role: 'speaker' },
        ]),
      )
      const { presence } = service.rooms.hub.rooms.find(id)!
      // So that nothing of this waits any more.
      await tellNow(id)
      const read = spyOn(presence, 'refresh')
      const timers = spyOn(globalThis, 'setTimeout')
      for (let comings = 0; comings < 10; comings++) presence.scheduleRefresh()
      expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([250])
      await until(() => read.mock.calls.length > 0)
      expect(read).toHaveBeenCalledTimes(1)
      watching.close()
    })

    test('R28.18: a client that is killed without a word vanishes within 60 seconds', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const watching = await enter(owner, id)
      const killed = await enter(bob, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      // Its machine is gone: nothing of it is ever heard again.
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

    test('leases are renewed as long as somebody is there, and end 45 seconds after the last sign of the node', async () => {
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

    test('leases last from the moment at which they are renewed, however long the look before it took', async () => {
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

    test('the people of a room whose leases have run out are let in together', async () => {
      const { id } = await createRoom(owner)
      const crowd = await Promise.all(Array.from({ length: 20 }, (_, i) => member(service, `Person ${i}`)))
      const sockets: LiveSocket[] = []
      for (const each of crowd) sockets.push(await enter(each, id))
      await missRenewals(...sockets)
      const { leases } = service.rooms.hub
      const take = leases.take.bind(leases)
      // Nobody is answered before all have asked.
      const { promise: allHaveAsked, resolve } = Promise.withResolvers<void>()
      const taking = spyOn(leases, 'take').mockImplementation(async (connection, roomId) => {
        if (taking.mock.calls.length === crowd.length) resolve()
        await allHaveAsked
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

    test('whoever was erased while they came in keeps out nobody who came in with them', async () => {
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

    test('R18.6: who has gone is told of ten seconds later, also where others go all the time', async () => {
      const { id } = await createRoom(owner)
      const watching = await enter(owner, id)
      const leaving = [
        await member(service, 'Bob'),
        await member(service, 'Carol'),
        await member(service, 'Dan'),
      ]
      const sockets: LiveSocket[] = []
      for (const each of leaving) sockets.push(await enter(each, id))
      const heard = spyOn(service.rooms.hub, 'handle')
      const isTold = () => heard.mock.calls.some(([event]) => event.kind === 'lobby' && event.roomId === id)
      for (const [index, socket] of sockets.entries()) {
        await gone(socket, leaving[index]!)
        await advance(service, SECOND)
        expect(isTold()).toBe(index === 2)
        await advance(service, 8 * SECOND)
      }
      watching.close()
    })

    test('a guest who takes another name is called so by everybody there', async () => {
      const { id } = await createRoom(owner)
      const watching = await enter(owner, id)
      const gus = await guest(service, 'Gus')
      const socket = await enter(gus, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      await gus.browser.json('/api/session', { method: 'PATCH', body: { nickname: 'Greta' } })
      await watching.frame(
        ({ type, joined }) =>
          type === 'presence' && (joined as Frame[]).some(({ nickname }) => nickname === 'Greta'),
      )
      for (const each of [watching, socket]) each.close()
    })

    test('a member whom the provider calls something else at the next login is called so by everybody there', async () => {
      const { id } = await createRoom(owner)
      const watching = await enter(owner, id)
      const before = await service.signedInBrowser({ sub: 'selma', name: 'Selma' })
      await before.json(`/api/rooms/${id}/join`, { method: 'POST' })
      const socket = live.connect(before)
      expect(await socket.subscribe(id)).toMatchObject({ type: 'subscribed' })
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      const heard = spyOn(service.rooms.hub, 'handle')
      await service.signedInBrowser({ sub: 'selma', name: 'Selma' })
      expect(heard.mock.calls.filter(([{ kind }]) => kind === 'person')).toEqual([])
      await service.signedInBrowser({ sub: 'selma', name: 'Selma Lind' })
      await watching.frame(
        ({ type, joined }) =>
          type === 'presence' && (joined as Frame[]).some(({ nickname }) => nickname === 'Selma Lind'),
      )
      for (const each of [watching, socket]) each.close()
    })

    test('who was there when the database was away for longer than a lease lasts is in the room again, without a word', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const [socket, kicked] = [await enter(owner, id), await enter(bob, id)]
      await missRenewals(socket, kicked)
      await owner.browser.json(`/api/rooms/${id}/members/${bob.user.id}/remove`, { body: { action: 'kick' } })
      await advance(service, 5 * SECOND)
      expect(await kicked.of('room.removed')).toMatchObject({ reason: 'kicked' })
      await socket.settle()
      expect(socket.frames.some(({ type }) => type === 'room.removed')).toBe(false)
      const seen = await owner.browser.json<{ participants: { userId: string }[] }>(`/api/rooms/${id}`)
      expect(seen.participants.map(({ userId }) => userId)).toEqual([owner.user.id])
      for (const each of [socket, kicked]) each.close()
    })

    test('two looks that find the same lease run out at once keep who was there, whoever of them is first', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const [socket, other] = [await enter(owner, id), await enter(bob, id)]
      await missRenewals(socket, other)
      const { leases, registry } = service.rooms.hub
      const connections = [owner, bob].flatMap(({ user }) => [...registry.ofUser(user.id)])
      // While others are let in, these come to wait together.
      const taken = [1, 2, 3].flatMap(() => connections.map((each) => leases.take(each, id)))
      const looks = [1, 2, 3].map(() => leases.check([id]))
      await Promise.all([...taken, ...looks])
      for (const each of [socket, other]) {
        await each.settle()
        expect(each.frames.some(({ type }) => type === 'room.removed')).toBe(false)
        each.close()
      }
    })

    test('R18.8: typing is told to the others at most every three seconds, ends after six, and is off above fifty people', async () => {
      const { id } = await createRoom(owner, { maxParticipants: 100 })
      const bob = await member(service, 'Bob')
      const [watching, typing, tab] = [await enter(owner, id), await enter(bob, id), await enter(bob, id)]
      const told = () => watching.frames.filter(({ type }) => type === 'typing').map(({ active }) => active)
      const type = async (active: boolean) => {
        typing.send({ type: 'typing', roomId: id, active })
        await typing.settle()
        await watching.settle()
      }
      await type(true)
      await type(true)
      expect(told()).toEqual([true])
      expect(watching.frames.find(({ type: kind }) => kind === 'typing')).toEqual({
        type: 'typing',
        roomId: id,
        userId: bob.user.id,
        active: true,
      })
      await type(false)
      // Stopping is no way round the three seconds.
      await type(true)
      expect(told()).toEqual([true, false])
      await advance(service, 3 * SECOND)
      await type(true)
      await advance(service, 5 * SECOND)
      await watching.settle()
      expect(told()).toEqual([true, false, true])
      await advance(service, SECOND)
      await watching.settle()
      expect(told()).toEqual([true, false, true, false])
      for (const socket of [typing, tab])
        expect(socket.frames.some(({ type: kind }) => kind === 'typing')).toBe(false)
      const crowd = await Promise.all(Array.from({ length: 50 }, (_, i) => member(service, `Person ${i}`)))
      for (const each of crowd) await join(each, id)
      await watching.frame(({ type: kind, count }) => kind === 'presence' && count === 52)
      await advance(service, 10 * SECOND)
      await type(true)
      expect(told()).toEqual([true, false, true, false])
      for (const socket of [watching, typing, tab]) socket.close()
    })

    test('typing in a room that one is not in is told to nobody', async () => {
      const { id } = await createRoom(owner)
      const watching = await enter(owner, id)
      const stranger = live.connect((await member(service, 'Bob')).browser)
      await stranger.of('welcome')
      stranger.send({ type: 'typing', roomId: id, active: true })
      await stranger.settle()
      await watching.settle()
      expect(watching.frames.some(({ type }) => type === 'typing')).toBe(false)
      expect(stranger.frames.some(({ type }) => type === 'error')).toBe(false)
      for (const socket of [watching, stranger]) socket.close()
    })
  })

  describe('when the clock is set back by an hour', () => {
    /** Limits have a clock of their own, which only here is the same: by it, nobody has used any of them up. */
    const forgetRates = async ({ service, live }: Node) => {
      service.clock.ms += 20 * SECOND
      // So that nobody is asked for a sign of life, which counts.
      for (const each of service.rooms.hub.registry.all()) each.noteActivity(service.clock.ms)
      const socket = live.connect((await member(service)).browser)
      await socket.settle()
      socket.close()
      await socket.closed
    }

    test('R18.4 R18.6 R19.2: nobody who is there is taken to have gone, and what was said without a word from the bus is found', async () => {
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
      await carol.browser.json(`/api/rooms/${id}/messages`, { body: { content: 'one' } }, 201)
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

    test('who had just gone has left ten seconds later, who is silent within a minute, and who writes no more is told to have stopped', async () => {
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
      await watching.frame(({ type, active }) => type === 'typing' && active === false)
      await advance(service, 10 * SECOND)
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

  if (dialect === 'sqlite') return
  describe('on two nodes, with a bus that drops everything', () => {
    test('R19.2 R27.2 (2n) what is said reaches those on the other node within five seconds, and so does who came and went', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [owner, bob] = [await member(nodes[0].service, 'Olga'), await member(nodes[0].service, 'Bob')]
      const { id } = await createRoom(owner)
      const [here, there] = [nodes[0].live.connect(owner.browser), nodes[1].live.connect(bob.browser)]
      await here.subscribe(id)
      await there.subscribe(id)
      for (const content of ['one', 'two', 'three'])
        await owner.browser.json(`/api/rooms/${id}/messages`, { body: { content } }, 201)
      await advanceAll(nodes, 5 * SECOND)
      await there.frame(({ type, seq }) => type === 'event' && seq === 3)
      expect(there.frames.filter(({ type }) => type === 'event').map(({ seq }) => seq)).toEqual([1, 2, 3])
      await here.frame(({ type, count }) => type === 'presence' && count === 2)
      await closeNodes(nodes)
    })

    test('R19.3 R27.2 (2n) whoever was on a node that crashed is gone after 45 seconds, and everybody else stays', async () => {
      const bus = lossyBus(DROPS_EVERYTHING)
      const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
      const [owner, bob] = [await member(nodes[0].service, 'Olga'), await member(nodes[0].service, 'Bob')]
      const { id } = await createRoom(owner)
      const [here, there] = [nodes[0].live.connect(owner.browser), nodes[1].live.connect(bob.browser)]
      await here.subscribe(id)
      await there.subscribe(id)
      await advanceAll(nodes, 5 * SECOND)
      await here.frame(({ type, count }) => type === 'presence' && count === 2)
      // The second one does nothing any more, without a word.
      const left = [nodes[0]]
      for (let second = 0; second < 50; second += 5) {
        await advanceAll(left, 5 * SECOND)
        await here.settle()
      }
      await here.frame(({ type, left: gone }) => type === 'presence' && String(gone).includes(bob.user.id))
      // It is written down when no clock can be so far behind that the other one might renew them.
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

    test('nobody loses a room to a node whose clock is 40 seconds ahead', async () => {
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
      // The jobs of the one are to run between two renewals of the other.
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
