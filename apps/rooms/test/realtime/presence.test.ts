import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  changeSettings,
  createRoom,
  guest,
  join,
  leave,
  member,
  removeMember,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { type Frame, type Live, type LiveSocket, advance, listen } from './live.ts'
import { type Presence, presenceFrames, participantsOf, enterRoom, closeSocketOf } from './presence.ts'

const SECOND = 1_000

eachDialect((dialect, newUrl) => {
  describe('presence in a room', () => {
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
    const ids = (...people: TestUser[]) => people.map(({ user }) => user.id).toSorted()
    const close = (socket: LiveSocket, user: TestUser) => closeSocketOf(service, user, socket)

    /** Publishes presence of this room without waiting for further changes. */
    const publishNow = (roomId: string) => service.rooms.hub.rooms.find(roomId)?.presence.refresh()

    test('R18.8b, R18.6d, R18.8: the response to a subscription includes the new participant, and equals the list over HTTP', async () => {
      const { id } = await createRoom(owner)
      const [sven, namesake] = [await member(service, 'Sven'), await guest(service, 'Sven')]
      const sockets: LiveSocket[] = []
      const coming = [owner, sven, namesake, await member(service, 'Mona')]
      for (const [index, participant] of coming.entries()) {
        const socket = live.connect(participant.browser)
        sockets.push(socket)
        const answer = await socket.subscribe(id)
        const { room, participants } = await participant.browser.json<{
          room: { participantCount: number }
          participants: Record<string, unknown>[]
        }>(`/api/rooms/${id}`)
        const people = participants.map(({ joinedAt: _joinedAt, ...person }) => person)
        expect([answer['count'], room.participantCount]).toEqual([index + 1, index + 1])
        const byId = (a: { userId?: unknown }, b: { userId?: unknown }) =>
          String(a.userId).localeCompare(String(b.userId))
        const present = answer['present'] as Record<string, unknown>[]
        expect(present.toSorted(byId)).toEqual(people.toSorted(byId))
        // Earlier participants have been notified.
        if (index > 0)
          await sockets[0]?.frame(
            (frame) =>
              frame.type === 'presence' &&
              (frame as Presence).joined.some(({ userId }) => userId === participant.user.id),
          )
        // A second tab of the same user adds no participant.
        const tab = live.connect(participant.browser)
        expect((await tab.subscribe(id))['count']).toBe(index + 1)
        sockets.push(tab)
      }
      for (const socket of sockets) socket.close()
    })

    test('R17.7: a user whose session ends is reported as absent at once, with and without a socket, in the lobby too', async () => {
      const { id } = await createRoom(owner)
      const [bob, carol] = [await member(service, 'Bob'), await member(service, 'Carol')]
      const watching = await enter(owner, id)
      await watching.ask({ type: 'subscribe_lobby' })
      const logOut = ({ browser }: TestUser) => browser.json('/api/auth/logout', { body: {} })
      const countInLobby = async () => {
        await service.rooms.hub.lobby.flush()
        await watching.settle()
        const lobbyChanges = watching.frames
          .filter(({ type }) => type === 'lobby')
          .map((frame) => frame['upsert'])
        const ours = (lobbyChanges as { id: string; participantCount: number }[]).filter(
          (room) => room?.id === id,
        )
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

    if (dialect === 'postgres') return

    test('R18.6a R28.18: two tabs are one participant, who is reported once on entering and once when the last tab is closed', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const watching = await enter(owner, id)
      const [one, two] = [await enter(bob, id), await enter(bob, id)]
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      one.close()
      await until(() => service.rooms.hub.registry.ofUser(bob.user.id).length === 1)
      await advance(service, SECOND)
      await advance(service, 12 * SECOND)
      await publishNow(id)
      await watching.settle()
      expect(presenceFrames(watching).flatMap(({ left }) => left)).toEqual([])
      await two.settle()
      await close(two, bob)
      await advance(service, SECOND)
      await advance(service, 11 * SECOND)
      await watching.frame(({ type, left }) => type === 'presence' && (left as string[]).length > 0)
      expect(presenceFrames(watching).map(({ count }) => count)).toEqual(
        [1, 2, 1].slice(-presenceFrames(watching).length),
      )
      expect(presenceFrames(watching).flatMap(({ left }) => left)).toEqual([bob.user.id])
      watching.close()
    })

    test('R28.18: a user who returns within ten seconds has never left, and no count has changed', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const watching = await enter(owner, id)
      const first = await enter(bob, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      const before = presenceFrames(watching).length
      await close(first, bob)
      await advance(service, SECOND)
      const again = await enter(bob, id)
      await advance(service, 12 * SECOND)
      await publishNow(id)
      await watching.settle()
      expect(presenceFrames(watching)).toHaveLength(before)
      expect(participantsOf(watching)).toEqual(ids(owner, bob))
      for (const socket of [watching, again]) socket.close()
    })

    test('R18.6b: a kick, a ban and leaving are sent at once, and leaving a room that was never entered sends nothing', async () => {
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
      await succeed(removeMember(owner, id, bob, { action: 'kick' }))
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(bob.user.id))
      await succeed(removeMember(owner, id, carol, { action: 'ban' }))
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(carol.user.id))
      await leave(dan, id)
      await watching.frame(({ type, left }) => type === 'presence' && String(left).includes(dan.user.id))
      const before = presenceFrames(watching).length
      await leave(await member(service, 'Eve'), id)
      await publishNow(id)
      await watching.settle()
      expect(presenceFrames(watching)).toHaveLength(before)
      expect(participantsOf(watching)).toEqual(ids(owner))
      watching.close()
    })

    test('R18.8d R28.20: a changed role of visitors is sent to all participants, including themselves and later ones', async () => {
      const { id } = await createRoom(owner, { defaultRole: 'speaker' })
      const watching = await enter(owner, id)
      const [bob, carol] = [await member(service, 'Bob'), await member(service, 'Carol')]
      const visiting = await enter(bob, id)
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      const body = { defaultRole: 'listener' }
      await succeed(changeSettings(owner, id, body))
      const isNow = ({ type, joined }: Frame) =>
        type === 'presence' &&
        (joined as Frame[]).some(({ userId, role }) => userId === bob.user.id && role === 'listener')
      for (const socket of [watching, visiting]) await socket.frame(isNow)
      const { present } = (await live.connect(carol.browser).subscribe(id)) as Frame & { present: Frame[] }
      expect(present.find(({ userId }) => userId === bob.user.id)).toMatchObject({ role: 'listener' })
      watching.close()
    })

    test('R18.6c: entries within a quarter of a second are sent together, with names, marks and roles and no other data', async () => {
      const { id } = await createRoom(owner, { defaultRole: 'speaker' })
      const watching = await enter(owner, id)
      const before = presenceFrames(watching).length
      const [bob, gus] = [await member(service, 'Bob'), await guest(service, 'Gus')]
      await Promise.all([join(bob, id), join(gus, id)])
      await watching.frame(({ type, count }) => type === 'presence' && count === 3)
      const after = presenceFrames(watching).slice(before)
      expect(after.length).toBeLessThanOrEqual(2)
      const rest = { avatarColor: '#1565c0', avatarUrl: null, role: 'speaker', voice: null }
      expect(after.flatMap(({ joined }) => joined)).toEqual(
        expect.arrayContaining([
          { userId: bob.user.id, nickname: 'Bob', guest: false, ...rest },
          { userId: gus.user.id, nickname: 'Gus', guest: true, ...rest },
        ]),
      )
      const { presence } = service.rooms.hub.rooms.find(id)!
      // Leaves no refresh pending.
      await publishNow(id)
      const read = spyOn(presence, 'refresh')
      const timers = spyOn(globalThis, 'setTimeout')
      for (let comings = 0; comings < 10; comings++) presence.scheduleRefresh()
      expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([250])
      await until(() => read.mock.calls.length > 0)
      expect(read).toHaveBeenCalledTimes(1)
      watching.close()
    })

    test('R18.6b: a user who left is reported ten seconds later, even if others keep leaving', async () => {
      const { id } = await createRoom(owner)
      const watching = await enter(owner, id)
      const leaving = [
        await member(service, 'Bob'),
        await member(service, 'Carol'),
        await member(service, 'Dan'),
      ]
      const sockets: LiveSocket[] = []
      for (const each of leaving) sockets.push(await enter(each, id))
      const handleSpy = spyOn(service.rooms.hub, 'handle')
      const isPublished = () =>
        handleSpy.mock.calls.some(([event]) => event.kind === 'lobby' && event.roomId === id)
      for (const [index, socket] of sockets.entries()) {
        await close(socket, leaving[index]!)
        await advance(service, SECOND)
        expect(isPublished()).toBe(index === 2)
        await advance(service, 8 * SECOND)
      }
      watching.close()
    })

    test('a guest’s new name is sent to all participants', async () => {
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

    test('a member’s name that changes at the next login is sent to all participants', async () => {
      const { id } = await createRoom(owner)
      const watching = await enter(owner, id)
      const before = await service.signedInBrowser({ sub: 'selma', name: 'Selma' })
      await before.json(`/api/rooms/${id}/join`, { method: 'POST' })
      const socket = live.connect(before)
      expect(await socket.subscribe(id)).toMatchObject({ type: 'subscribed' })
      await watching.frame(({ type, count }) => type === 'presence' && count === 2)
      const handleSpy = spyOn(service.rooms.hub, 'handle')
      await service.signedInBrowser({ sub: 'selma', name: 'Selma' })
      expect(handleSpy.mock.calls.filter(([{ kind }]) => kind === 'person')).toEqual([])
      await service.signedInBrowser({ sub: 'selma', name: 'Selma Lind' })
      await watching.frame(
        ({ type, joined }) =>
          type === 'presence' && (joined as Frame[]).some(({ nickname }) => nickname === 'Selma Lind'),
      )
      for (const each of [watching, socket]) each.close()
    })
  })
})
