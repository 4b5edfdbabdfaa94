import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createLog } from '@latchkey/http/log'
import type { News } from '../../src/news.ts'
import type { Bus } from '../../src/realtime/bus.ts'
import { createRedisBus } from '../../src/realtime/bus-redis.ts'
import { createRoom, member } from '../rooms/rooms.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { ownRedis, redisServer, until } from './redis.ts'

const NEWS: News = { kind: 'presence', roomId: 'harbour' }

const BEAT_EVERY_MS = 200
const INSTANCE = { instanceId: 'harbour' }
const CHANNEL = 'latchkey:rooms:1:harbour'

describe.skipIf(!redisServer)('the bus between nodes', () => {
  let redis: Awaited<ReturnType<typeof ownRedis>>
  const logged: string[] = []
  const log = createLog({ write: (line) => void logged.push(line) })
  const heard: { here: News[]; there: News[] } = { here: [], there: [] }
  let here: Bus
  let there: Bus
  beforeAll(async () => {
    redis = await ownRedis()
    here = await createRedisBus(redis.url, { ...INSTANCE, nodeId: 'here' }, log, BEAT_EVERY_MS)
    there = await createRedisBus(redis.url, { ...INSTANCE, nodeId: 'there' }, log, BEAT_EVERY_MS)
    here.listen((news) => void heard.here.push(news))
    there.listen((news) => void heard.there.push(news))
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
  /** A client for as long as the test lasts. */
  const connect = async () => {
    const { createClient } = await import('@redis/client')
    const client = await createClient({ url: redis.url }).connect()
    closings.push(() => client.destroy())
    return client
  }
  /** One more node for as long as the test lasts. */
  const join = async (name: string) => {
    const bus = await createRedisBus(redis.url, { ...INSTANCE, nodeId: name }, log, BEAT_EVERY_MS)
    closings.push(() => bus.close())
    return bus
  }
  const forget = () => {
    heard.here.length = 0
    heard.there.length = 0
  }

  test('what one node tells, it hears at once and once, and the other hears it too', async () => {
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    here.publish(NEWS)
    expect(heard.here).toEqual([NEWS])
    await until(() => heard.there.length > 0)
    there.publish({ ...NEWS, roomId: 'lounge' })
    await until(() => heard.here.length > 1)
    expect(heard.here).toEqual([NEWS, { ...NEWS, roomId: 'lounge' }])
    expect(heard.there).toEqual([NEWS, { ...NEWS, roomId: 'lounge' }])
  })

  test('R19.1: what is said in a room does not pass through the server: other nodes are told its number', async () => {
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    forget()
    const client = await connect()
    const passed: string[] = []
    await client.subscribe(CHANNEL, (text) => void passed.push(text))
    const data = { message: { content: 'Between you and me' } }
    const event = { seq: 7, at: '2026-11-21T12:00:00.000Z', event: 'message.created' as const, data }
    here.publish({ kind: 'event', roomId: 'harbour', event })
    expect(heard.here).toEqual([{ kind: 'event', roomId: 'harbour', event }])
    await until(() => heard.there.length > 0 && passed.some((text) => text.includes('harbour')))
    expect(heard.there).toEqual([{ kind: 'grown', roomId: 'harbour', seq: 7 }])
    expect(passed.join()).not.toContain('Between')
  })

  test('what others put into the channel is passed over', async () => {
    const other = await join('other')
    await until(() => other.state() === 'ok')
    forget()
    const client = await connect()
    for (const text of ['', '{', 'null', '[]', '{"from":7}', '{"from":"x"}'])
      await client.publish(CHANNEL, text)
    other.listen(({ kind }) => {
      if (kind === 'grown') throw new TypeError('Of another version')
    })
    await client.publish(CHANNEL, '{"from":"x","news":{"kind":"grown"}}')
    await until(() => logged.some((line) => line.includes('news could not be understood')))
    // Each node has a connection of its own: that one has heard the last of it says nothing of the others.
    await until(() => [heard.here, heard.there].every((node) => node.some(({ kind }) => kind === 'grown')))
    forget()
    here.publish(NEWS)
    await until(() => heard.there.length > 0)
    expect(heard.there).toEqual([NEWS])
  })

  test('what others say was said in a room is not taken for it, but looked for in the database', async () => {
    forget()
    const client = await connect()
    const event = {
      seq: 8,
      at: '2026-11-22T12:00:00.000Z',
      event: 'message.created',
      data: { content: 'Forged' },
    }
    const letter = { from: 'x', news: { kind: 'event', roomId: 'harbour', event } }
    await client.publish(CHANNEL, JSON.stringify(letter))
    await until(() => heard.there.length > 0 && heard.here.length > 0)
    expect([heard.here, heard.there]).toEqual([
      [{ kind: 'grown', roomId: 'harbour', seq: 8 }],
      [{ kind: 'grown', roomId: 'harbour', seq: 8 }],
    ])
  })

  test('nodes hear what other nodes of their instance tell, and nothing of an instance with another database', async () => {
    const settings = { busUrl: redis.url }
    const [one, two] = [await openRooms({ settings }), await openRooms({ settings })]
    const nodes = [one, await one.node(), two, await two.node()]
    closings.push(async () => {
      for (const node of nodes.toReversed()) await node.close()
    })
    for (const node of nodes)
      await until(async () => {
        const { checks } = await node.browser().json<{ checks: { bus: string } }>('/api/ready')
        return checks.bus === 'ok'
      })
    const heardOf = (node: TestRooms | undefined) =>
      node?.told.flatMap((news) => (news.kind === 'lobby' ? [news.roomId] : []))
    const first = await createRoom(await member(one))
    await until(() => heardOf(nodes[1])?.includes(first.id) ?? false)
    // The server passes on what it is told in its order: by then, what was told before would have come.
    const second = await createRoom(await member(two))
    await until(() => heardOf(nodes[3])?.includes(second.id) ?? false)
    expect(nodes.map(heardOf)).toEqual([[first.id], [first.id], [second.id], [second.id]])
  })

  test('while the server is away a node hears itself, says that the bus is down, and is never thrown at', async () => {
    await redis.kill()
    forget()
    here.publish(NEWS)
    expect(heard.here).toEqual([NEWS])
    await until(() => here.state() === 'down')
    expect(heard.there).toEqual([])
    // One line of each node, as soon as it has noticed.
    await until(() => logged.filter((line) => line.includes('the bus is gone')).length === 2)
  })

  test('when the server is back, so are both connections and the subscription', async () => {
    await redis.restart()
    await until(() => here.state() === 'ok' && there.state() === 'ok')
    forget()
    here.publish(NEWS)
    await until(() => heard.there.length > 0)
    expect(heard.there).toEqual([NEWS])
    expect(logged.filter((line) => line.includes('the bus is back')).length).toBe(2)
  })

  test('a server that is connected but says nothing counts as down, and is found again', async () => {
    redis.freeze()
    here.publish(NEWS)
    await until(() => here.state() === 'down')
    redis.thaw()
    await until(() => here.state() === 'ok' && there.state() === 'ok')
  })

  test('a node that starts before the server finds it later', async () => {
    await redis.kill()
    const late = await join('late')
    const heardLate: News[] = []
    late.listen((news) => void heardLate.push(news))
    expect(late.state()).toBe('down')
    await redis.restart()
    await until(() => late.state() === 'ok' && here.state() === 'ok')
    here.publish(NEWS)
    await until(() => heardLate.length > 0)
  })
})
