import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createLog } from '@latchkey/http/log'
import type { News } from '../../src/news.ts'
import type { Bus } from '../../src/realtime/bus.ts'
import { createRedisBus } from '../../src/realtime/bus-redis.ts'
import { ownRedis, redisServer, until } from './redis.ts'

const NEWS: News = { kind: 'presence', roomId: 'harbour' }

const BEAT_EVERY_MS = 200

describe.skipIf(!redisServer)('the bus between nodes', () => {
  let redis: Awaited<ReturnType<typeof ownRedis>>
  const logged: string[] = []
  const log = createLog({ write: (line) => void logged.push(line) })
  const heard: { here: News[]; there: News[] } = { here: [], there: [] }
  let here: Bus
  let there: Bus
  beforeAll(async () => {
    redis = await ownRedis()
    here = await createRedisBus(redis.url, 'here', log, BEAT_EVERY_MS)
    there = await createRedisBus(redis.url, 'there', log, BEAT_EVERY_MS)
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
    const bus = await createRedisBus(redis.url, name, log, BEAT_EVERY_MS)
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
    await client.subscribe('latchkey:rooms:1', (text) => void passed.push(text))
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
      await client.publish('latchkey:rooms:1', text)
    other.listen(({ kind }) => {
      if (kind === 'grown') throw new TypeError('Of another version')
    })
    await client.publish('latchkey:rooms:1', '{"from":"x","news":{"kind":"grown"}}')
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
    await client.publish('latchkey:rooms:1', JSON.stringify(letter))
    await until(() => heard.there.length > 0 && heard.here.length > 0)
    expect([heard.here, heard.there]).toEqual([
      [{ kind: 'grown', roomId: 'harbour', seq: 8 }],
      [{ kind: 'grown', roomId: 'harbour', seq: 8 }],
    ])
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
