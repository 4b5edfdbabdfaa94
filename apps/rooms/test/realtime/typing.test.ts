import { afterAll, afterEach, beforeAll, describe, expect, mock, test } from 'bun:test'
import { type TestUser, createRoom, join, member } from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type Live, advance, listen } from './live.ts'
import { enterRoom } from './presence.ts'

const SECOND = 1_000

describe('typing', () => {
  let service: TestRooms
  let live: Live
  let owner: TestUser
  beforeAll(async () => {
    service = await openRooms({
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

  test('R18.8: typing is sent to the others at most every three seconds, ends after six, and is off above fifty participants', async () => {
    const { id } = await createRoom(owner, { maxParticipants: 100 })
    const bob = await member(service, 'Bob')
    const [watching, typing, tab] = [await enter(owner, id), await enter(bob, id), await enter(bob, id)]
    const typingStates = () =>
      watching.frames.filter(({ type }) => type === 'typing').map(({ active }) => active)
    const type = async (active: boolean) => {
      typing.send({ type: 'typing', roomId: id, active })
      await typing.settle()
      await watching.settle()
    }
    await type(true)
    await type(true)
    expect(typingStates()).toEqual([true])
    expect(watching.frames.find(({ type: kind }) => kind === 'typing')).toEqual({
      type: 'typing',
      roomId: id,
      userId: bob.user.id,
      active: true,
    })
    await type(false)
    // Stopping does not reset the three seconds.
    await type(true)
    expect(typingStates()).toEqual([true, false])
    await advance(service, 3 * SECOND)
    await type(true)
    await advance(service, 5 * SECOND)
    await watching.settle()
    expect(typingStates()).toEqual([true, false, true])
    await advance(service, SECOND)
    await watching.settle()
    expect(typingStates()).toEqual([true, false, true, false])
    for (const socket of [typing, tab])
      expect(socket.frames.some(({ type: kind }) => kind === 'typing')).toBe(false)
    const crowd = await Promise.all(Array.from({ length: 50 }, (_, i) => member(service, `Person ${i}`)))
    for (const each of crowd) await join(each, id)
    await watching.frame(({ type: kind, count }) => kind === 'presence' && count === 52)
    await advance(service, 10 * SECOND)
    await type(true)
    expect(typingStates()).toEqual([true, false, true, false])
    for (const socket of [watching, typing, tab]) socket.close()
  })

  test('typing in a room that the sender is not in is not sent', async () => {
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
