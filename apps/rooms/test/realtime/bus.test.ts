import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createLog } from '@latchkey/http/log'
import type { Notice, RemoteEvent, ClusterEvent } from '../../src/api/cluster-events.ts'
import { type Bus, createLocalBus } from '../../src/realtime/bus.ts'
import { createRedisBus } from '../../src/realtime/bus-redis.ts'
import { createRoom, member } from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { listen } from './live.ts'
import { ownRedis, redisServer } from './redis.ts'

const EVENT: ClusterEvent = { kind: 'presence', roomId: 'harbour' }

/** All kinds of notices, with their ids. */
const NOTICE_IDS: Record<Notice['notice'], Record<string, string>> = {
  read: { roomId: 'r' },
  preferences: { roomId: 'r' },
  draft: { roomId: 'r' },
  invitation: { id: 'i' },
  invitation_revoked: { id: 'i', roomId: 'r' },
  transfer: { roomId: 'r' },
  transfer_ended: { roomId: 'r', toUserId: 'bob' },
  call: { roomId: 'r' },
  call_ended: { roomId: 'r', callId: 'c', userId: 'ann', reason: 'missed' },
  blocked: { userId: 'bob' },
  unblocked: { userId: 'bob' },
}

/** All kinds of events that nodes publish. */
const REMOTE_EVENTS: { [Kind in RemoteEvent['kind']]: Extract<RemoteEvent, { kind: Kind }>[] } = {
  last_seq: [{ kind: 'last_seq', roomId: 'r', seq: 7 }],
  people: [{ kind: 'people', userIds: ['u'] }],
  removed: [
    { kind: 'removed', roomId: 'r', userIds: ['ann', 'bob'], reason: 'kicked', untilMs: 1_795_516_200_000 },
    { kind: 'removed', roomId: 'r', userIds: null, reason: 'deleted', untilMs: null },
    { kind: 'removed', roomId: 'r', userIds: [], reason: 'banned', untilMs: null },
    { kind: 'removed', roomId: 'r', userIds: [], reason: 'left', untilMs: null },
    { kind: 'removed', roomId: 'r', userIds: [], reason: 'access_lost', untilMs: null },
  ],
  access: [{ kind: 'access', roomId: 'r' }],
  voice: [
    { kind: 'voice', roomId: 'r' },
    { kind: 'voice', roomId: 'r', removal: { connectionIds: ['c'], reason: 'left' } },
    { kind: 'voice', roomId: 'r', removal: { connectionIds: [], reason: 'removed' } },
  ],
  person: [{ kind: 'person', userId: 'ann' }],
  presence: [{ kind: 'presence', roomId: 'r' }],
  typing: [{ kind: 'typing', roomId: 'r', userId: 'ann', active: true }],
  lobby: [
    { kind: 'lobby', roomId: 'r' },
    { kind: 'lobby', roomId: 'r', previousAudience: 'everyone' },
    { kind: 'lobby', roomId: 'r', previousAudience: ['ann'] },
  ],
  sessions: [{ kind: 'sessions', sessionIds: ['s'] }],
  rate_limit: [{ kind: 'rate_limit', limit: 'rooms_per_hour', key: 'ann' }],
  notice_ref: Object.entries(NOTICE_IDS).map(([notice, ids]) => ({
    kind: 'notice_ref',
    userId: 'ann',
    notice: notice as keyof typeof NOTICE_IDS,
    ids,
  })),
}

/** All kinds of events that nodes do not publish. */
const FORGED: readonly unknown[] = [
  'presence',
  {},
  { kind: 'toString', roomId: 'r' },
  // An event of a room is published only by the node that stored it.
  { kind: 'event', roomId: 'r', event: { seq: 8, at: '2026-11-22T12:00:00.000Z', event: 'x', data: {} } },
  { kind: 'notice', userId: 'ann', notice: 'transfer', data: {} },
  { ...REMOTE_EVENTS.removed[0], untilMs: 9e15 },
  { ...REMOTE_EVENTS.lobby[0], previousAudience: 5 },
  ...Object.keys(REMOTE_EVENTS).map((kind) => ({ kind })),
  // No member of an event may have this value.
  ...Object.values(REMOTE_EVENTS)
    .flat()
    .flatMap((event) =>
      Object.keys(event).flatMap((name) => (name === 'kind' ? [] : [{ ...event, [name]: [7] }])),
    ),
]

function untilOnBus(node: TestRooms): Promise<void> {
  return until(async () => {
    const { checks } = await node.browser().json<{ checks: { bus: string } }>('/api/ready')
    return checks.bus === 'ok'
  })
}

const HEARTBEAT_EVERY_MS = 200
const INSTANCE = { instanceId: 'harbour' }
const CHANNEL = 'latchkey:rooms:1:harbour'

describe.skipIf(!redisServer)('the bus between nodes', () => {
  let redis: Awaited<ReturnType<typeof ownRedis>>
  const logged: string[] = []
  const log = createLog({ write: (line) => void logged.push(line) })
  const received: { here: ClusterEvent[]; there: ClusterEvent[] } = { here: [], there: [] }
  let here: Bus
  let there: Bus
  beforeAll(async () => {
    redis = await ownRedis()
    here = await createRedisBus(redis.url, { ...INSTANCE, nodeId: 'here' }, log, HEARTBEAT_EVERY_MS)
    there = await createRedisBus(redis.url, { ...INSTANCE, nodeId: 'there' }, log, HEARTBEAT_EVERY_MS)
    here.listen((event) => void received.here.push(event))
    there.listen((event) => void received.there.push(event))
  })
  const closings: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closings.splice(0)) await close()
  })
  afterAll(async () => {
    await here.close()
    await there.close()
    await redis.kill()
  })
  /** A client for the duration of the test. */
  const connect = async () => {
    const { createClient } = await import('@redis/client')
    const client = await createClient({ url: redis.url }).connect()
    closings.push(() => client.destroy())
    return client
  }
  /** Another node for the duration of the test. */
  const join = async (name: string) => {
    const bus = await createRedisBus(redis.url, { ...INSTANCE, nodeId: name }, log, HEARTBEAT_EVERY_MS)
    closings.push(() => bus.close())
    return bus
  }
  const forget = () => {
    received.here.length = 0
    received.there.length = 0
  }

  test('an event published by a node is applied there at once and once, and also by the other node', async () => {
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    here.publish(EVENT)
    expect(received.here).toEqual([EVENT])
    await until(() => received.there.length > 0)
    there.publish({ ...EVENT, roomId: 'lounge' })
    await until(() => received.here.length > 1)
    expect(received.here).toEqual([EVENT, { ...EVENT, roomId: 'lounge' }])
    expect(received.there).toEqual([EVENT, { ...EVENT, roomId: 'lounge' }])
  })

  test('R19.1: the content of room events does not pass through the bus: other nodes get only the number', async () => {
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    forget()
    const client = await connect()
    const passed: string[] = []
    await client.subscribe(CHANNEL, (text) => void passed.push(text))
    const data = { message: { content: 'Between you and me' } }
    const event = { seq: 7, at: '2026-11-21T12:00:00.000Z', event: 'message.created' as const, data }
    here.publish({ kind: 'event', roomId: 'harbour', event })
    expect(received.here).toEqual([{ kind: 'event', roomId: 'harbour', event }])
    await until(() => received.there.length > 0 && passed.some((text) => text.includes('harbour')))
    expect(received.there).toEqual([{ kind: 'last_seq', roomId: 'harbour', seq: 7 }])
    expect(passed.join()).not.toContain('Between')
  })

  test('foreign messages on the channel are ignored', async () => {
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    forget()
    const client = await connect()
    for (const text of ['', '{', 'null', '[]', '{"from":7}', '{"from":"x"}', '{"from":"x","event":null}'])
      await client.publish(CHANNEL, text)
    for (const event of FORGED) await client.publish(CHANNEL, JSON.stringify({ from: 'x', event }))
    await client.publish(CHANNEL, JSON.stringify({ from: 'x', event: { ...EVENT, text: 'Hello' } }))
    // Sent last: when it has arrived, the others would have too.
    await until(() => received.here.length > 0 && received.there.length > 0)
    expect(received).toEqual({ here: [EVENT], there: [EVENT] })
  })

  test('events of every kind reach other nodes unchanged', async () => {
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    forget()
    const events = Object.values(REMOTE_EVENTS).flat()
    for (const event of events) here.publish(event)
    await until(() => received.there.length === events.length)
    expect([received.here, received.there]).toEqual([events, events])
  })

  test('R28.24: a handler that throws affects neither the publisher nor the other handlers', async () => {
    const local = createLocalBus(log)
    const other = await join('other')
    await until(() => other.state() === 'ok' && there.state() === 'ok')
    for (const bus of [local, other]) {
      forget()
      logged.length = 0
      bus.listen(() => {
        throw new TypeError('Not to be taken')
      })
      bus.listen((event) => void received.here.push(event))
      bus.publish({ ...EVENT, roomId: 'lounge' })
      expect(received.here).toEqual([{ ...EVENT, roomId: 'lounge' }])
      expect(logged.filter((line) => line.includes('Not to be taken')).length).toBe(1)
    }
    await until(() => received.there.length > 0)
    expect(received.there).toEqual([{ ...EVENT, roomId: 'lounge' }])
  })

  test('R28.24: foreign messages about a room on the channel do not break changes of that room', async () => {
    const service = await openRooms({ settings: { busUrl: redis.url } })
    const live = listen(service.rooms)
    closings.push(async () => {
      await live.stop()
      await service.close()
    })
    const owner = await member(service)
    const socket = live.connect(owner.browser)
    await socket.of('welcome')
    await socket.ask({ type: 'subscribe_lobby' })
    const { id: roomId } = await createRoom(owner, { visibility: 'private' })
    // The injected message is the first one that the lobby receives.
    await service.rooms.hub.lobby.flush()
    await untilOnBus(service)
    const client = await connect()
    const channels = await client.pubSubChannels()
    const own = channels.find((channel) => channel !== CHANNEL) ?? ''
    for (const event of [{ kind: 'lobby', roomId, previousAudience: 5 }, EVENT])
      await client.publish(own, JSON.stringify({ from: 'x', event }))
    await until(() => service.publishedEvents.some(({ kind }) => kind === EVENT.kind))
    const settings = { method: 'PATCH', body: { name: 'Cellar' } }
    await owner.browser.json(`/api/rooms/${roomId}/settings`, settings, 200)
    expect(service.logLines.join()).not.toContain('bus: cannot apply an event')
  })

  test('nodes receive the events of their own instance, and none of an instance with another database', async () => {
    const settings = { busUrl: redis.url }
    const [one, two] = [await openRooms({ settings }), await openRooms({ settings })]
    const nodes = [one, await one.node(), two, await two.node()]
    closings.push(async () => {
      for (const node of nodes.toReversed()) await node.close()
    })
    for (const node of nodes) await untilOnBus(node)
    const roomIdsOf = (node: TestRooms | undefined) =>
      node?.publishedEvents.flatMap((event) => (event.kind === 'lobby' ? [event.roomId] : []))
    const first = await createRoom(await member(one))
    await until(() => roomIdsOf(nodes[1])?.includes(first.id) ?? false)
    // The server keeps the order of messages: earlier ones would have arrived by then.
    const second = await createRoom(await member(two))
    await until(() => roomIdsOf(nodes[3])?.includes(second.id) ?? false)
    expect(nodes.map(roomIdsOf)).toEqual([[first.id], [first.id], [second.id], [second.id]])
  })

  test('while the server is unreachable a node applies its own events, reports the bus as down, and publishing never throws', async () => {
    await redis.kill()
    forget()
    here.publish(EVENT)
    expect(received.here).toEqual([EVENT])
    await until(() => here.state() === 'down')
    expect(received.there).toEqual([])
    // One line per node, as soon as it has noticed.
    await until(() => logged.filter((line) => line.includes('bus: disconnected')).length === 2)
  })

  test('when the server is back, both connections and the subscription are restored', async () => {
    await redis.restart()
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    forget()
    here.publish(EVENT)
    await until(() => received.there.length > 0)
    expect(received.there).toEqual([EVENT])
    expect(logged.filter((line) => line.includes('bus: connected again')).length).toBe(2)
  })

  test('a server that is connected but does not respond counts as down, and is detected again', async () => {
    redis.freeze()
    here.publish(EVENT)
    await until(() => here.state() === 'down')
    redis.thaw()
    await until(() => here.state() === 'ok' && there.state() === 'ok')
  })

  test('a node that starts before the server connects later', async () => {
    await redis.kill()
    const late = await join('late')
    const receivedLate: ClusterEvent[] = []
    late.listen((event) => void receivedLate.push(event))
    expect(late.state()).toBe('down')
    await redis.restart()
    await until(() => late.state() === 'ok' && here.state() === 'ok')
    here.publish(EVENT)
    await until(() => receivedLate.length > 0)
  })
})
