// Every message of a client, from every kind of sender (R27.4).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type TestUser,
  admin,
  ban,
  createMessage,
  createRoom,
  guest,
  makeMember,
  member,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type Live, type LiveSocket, listen } from './live.ts'

const PEOPLE = [
  'guest',
  'visitor',
  'listener',
  'speaker',
  'moderator',
  'owner',
  'outsider',
  'banned',
  'cooling',
  'admin',
] as const
type Name = (typeof PEOPLE)[number]

/** The outcome of subscribing: role and right of the client, or the error code. */
type Outcome = [role: string, canPublish: boolean] | string

const PUBLIC: Record<Name, Outcome> = {
  guest: ['listener', false],
  visitor: ['listener', false],
  listener: ['listener', false],
  speaker: ['speaker', true],
  moderator: ['moderator', true],
  owner: ['owner', true],
  outsider: ['listener', false],
  banned: 'banned',
  cooling: 'cooldown',
  admin: ['listener', false],
}
const ROOMS: { name: string; settings: Record<string, unknown>; expected: Record<Name, Outcome> }[] = [
  { name: 'public', settings: {}, expected: PUBLIC },
  { name: 'unlisted', settings: { visibility: 'unlisted' }, expected: PUBLIC },
  {
    name: 'public without guests, where visitors may speak',
    settings: { allowGuests: false, defaultRole: 'speaker' },
    expected: {
      ...PUBLIC,
      guest: 'guests_not_allowed',
      visitor: ['speaker', true],
      outsider: ['speaker', true],
      admin: ['speaker', true],
    },
  },
  {
    name: 'private',
    settings: { visibility: 'private' },
    expected: {
      ...PUBLIC,
      guest: 'not_found',
      visitor: 'not_found',
      outsider: 'not_found',
      banned: 'not_found',
      cooling: 'not_found',
      // Visitors of a private room are speakers by default.
      admin: ['speaker', true],
    },
  },
]

describe('every message of a client', () => {
  let service: TestRooms
  let live: Live
  const cast = new Map<Name, TestUser>()
  beforeAll(async () => {
    service = await openRooms({
      limits: { socket_connects_per_minute: 1_000, messages_per_10s: 1_000 },
    })
    live = listen(service.rooms)
    for (const name of PEOPLE)
      cast.set(
        name,
        name === 'guest'
          ? await guest(service)
          : name === 'admin'
            ? await admin(service)
            : await member(service, `The ${name}`),
      )
  })
  afterAll(async () => {
    await live.stop()
    await service.close()
  })
  const the = (name: Name) => cast.get(name) as TestUser
  const roomWith = async (settings: Record<string, unknown>) => {
    const { id } = await createRoom(the('owner'), settings)
    for (const role of ['listener', 'speaker', 'moderator'] as const)
      await makeMember(service, id, the(role), role)
    await ban(service, id, the('banned'))
    await ban(service, id, the('cooling'), { untilMs: service.clock.ms + 600_000 })
    return id
  }
  const connect = async (name: Name): Promise<LiveSocket> => {
    const socket = live.connect(the(name).browser)
    expect(await socket.of('welcome')).toMatchObject({ userId: the(name).user.id })
    return socket
  }

  test('a client without a session cannot send any', async () => {
    const socket = live.connect(service.browser())
    expect(await socket.closed).toEqual({ code: 4401, reason: 'signed_out' })
    expect(socket.frames).toEqual([])
  })

  for (const { name: kind, settings, expected } of ROOMS)
    test(`R27.4: subscribe, typing and unsubscribe in a room that is ${kind} follow the matrix, and only participants get frames`, async () => {
      const id = await roomWith(settings)
      const watching = await connect('owner')
      await watching.subscribe(id)
      for (const name of PEOPLE) {
        const outcome = expected[name]
        const socket = await connect(name)
        const answer = await socket.subscribe(id)
        const seen = answer.type === 'error' ? answer['code'] : [answer['role'], answer['canPublish']]
        expect([name, seen]).toEqual([name, outcome])
        socket.send({ type: 'typing', roomId: id, active: true })
        await socket.settle()
        await watching.settle()
        const isTyping = watching.frames.some(
          ({ type, userId }) => type === 'typing' && userId === the(name).user.id,
        )
        // The sender does not get their own typing frame.
        expect([name, isTyping]).toEqual([name, typeof outcome !== 'string' && name !== 'owner'])
        socket.frames.length = 0
        const text = `For those inside, ${name}`
        await createMessage(the('owner'), id, text)
        await watching.frame((frame) => JSON.stringify(frame).includes(text))
        await socket.settle()
        expect([name, JSON.stringify(socket.frames).includes(text)]).toEqual([
          name,
          typeof outcome !== 'string',
        ])
        expect(await socket.ask({ type: 'unsubscribe', roomId: id })).toMatchObject({
          type: 'unsubscribed',
        })
        socket.close()
      }
      watching.close()
    })

  test('R27.4: any session may subscribe to the lobby and ping, and none may send voice messages', async () => {
    for (const name of PEOPLE) {
      const socket = await connect(name)
      expect(await socket.ask({ type: 'subscribe_lobby' })).toMatchObject({ type: 'subscribed_lobby' })
      expect(await socket.ask({ type: 'unsubscribe_lobby' })).toMatchObject({ type: 'unsubscribed_lobby' })
      expect(await socket.ask({ type: 'ping' })).toMatchObject({ type: 'pong' })
      for (const type of ['voice.join', 'voice.offer', 'event', 'welcome'])
        expect(await socket.ask({ type, roomId: 'x' })).toMatchObject({
          type: 'error',
          code: 'invalid_request',
        })
      socket.close()
    }
  })

  test('R28.20: settings are sent to each user with their own role and right, and the event equals the one in the list', async () => {
    const id = await roomWith({ defaultRole: 'speaker' })
    const sockets: [Name, LiveSocket][] = []
    for (const name of ['visitor', 'listener', 'moderator', 'owner', 'admin'] as const) {
      const socket = await connect(name)
      await socket.subscribe(id)
      sockets.push([name, socket])
    }
    const body = { defaultRole: 'listener', name: 'Quay' }
    await the('owner').browser.json(`/api/rooms/${id}/settings`, { method: 'PATCH', body })
    const own: Record<string, unknown> = {}
    for (const [name, socket] of sockets) {
      const {
        type: _type,
        roomId: _roomId,
        ...settingsEvent
      } = await socket.frame(({ event }) => event === 'room.settings')
      const data = settingsEvent['data'] as { room: { role: string | null; canPublish: boolean } }
      const { room } = data
      own[name] = [room.role, room.canPublish]
      const { events } = await the(name).browser.json<{ events: unknown[] }>(
        `/api/rooms/${id}/events?after=0`,
      )
      expect(events).toContainEqual({
        ...settingsEvent,
        data: { ...data, room: { ...room, participantCount: expect.any(Number) } },
      })
      socket.close()
    }
    expect(own).toEqual({
      visitor: [null, false],
      listener: ['listener', false],
      moderator: ['moderator', true],
      owner: ['owner', true],
      admin: [null, false],
    })
  })
})
