import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { generateVAPIDKeys } from 'web-push'
import { Delivery, type DeliveryOptions, type PushOutcome } from '../../src/notifications/push/delivery.ts'
import type { Push } from '../../src/notifications/push/push.ts'
import { sendPush } from '../../src/notifications/push/outbound.ts'
import { until } from '../until.ts'
import { type PushBrowser, type PushReceiver, pushReceiver } from './receiver.ts'

const keys = generateVAPIDKeys()
let receiver: PushReceiver
let browser: PushBrowser
beforeAll(async () => {
  receiver = await pushReceiver(() => keys.publicKey)
  browser = receiver.subscribe('browser')
})
afterAll(() => receiver.stop())
beforeEach(() => {
  receiver.received.length = 0
  receiver.requests = 0
})

const host = 'idp.example'
const push = (userId: string, name: string, changes: Partial<Push> = {}): Push => ({
  subscriptionId: `${userId}'s`,
  host,
  userId,
  roomId: name,
  fromSeq: 1,
  ...changes,
})

function delivery(changes: Partial<DeliveryOptions> = {}) {
  const outcomes: PushOutcome[] = []
  const started = new Delivery({
    ...receiver.outbound,
    keys,
    contact: 'https://rooms.example',
    log: { info() {}, warn() {}, error() {} },
    count: (outcome) => void outcomes.push(outcome),
    compose: async ({ userId, roomId, fromSeq }) => ({
      subscription: {
        id: `${userId}'s`,
        session_id: userId,
        endpoint: browser.endpoint,
        ...browser.keys,
        created_at: 0,
      },
      payload: JSON.stringify({ userId, roomId, fromSeq }),
    }),
    onGone: async () => {},
    ...changes,
  })
  return { started, outcomes }
}

test('R30.3i: one person whose push service hangs has four pushes on their way and a hundred pending, and delays no one', async () => {
  const { started, outcomes } = delivery({ timeoutMs: 60_000 })
  receiver.answers = Array.from({ length: 4 }, () => 'hang' as const)
  for (let number = 0; number < 150; number++) void started.send(push('mallory', `room ${number}`))
  expect(outcomes).toEqual(Array.from({ length: 50 }, () => 'dropped'))
  await until(() => receiver.requests === 4)
  await started.send(push('olga', 'garden'))
  expect(receiver.received.map(({ payload }) => payload['userId'])).toEqual(['olga'])
  expect([receiver.requests, outcomes.at(-1)]).toEqual([5, 'delivered'])
  started.stop()
})

test('R30.3i: when very many pushes are pending, everyone may still have one', async () => {
  const hanging = new Promise<never>(() => {})
  const { started, outcomes } = delivery({ compose: () => hanging })
  for (let person = 0; person < 100; person++)
    for (let number = 0; number < 100; number++) void started.send(push(`person ${person}`, `room ${number}`))
  expect(outcomes).toEqual([])
  void started.send(push('olga', 'garden'))
  expect(outcomes).toEqual([])
  void started.send(push('olga', 'cellar'))
  expect(outcomes).toEqual(['dropped'])
})

test('R30.3g: Retry-After of a push service delays one push only, and by ten minutes at most', async () => {
  const { started, outcomes } = delivery({ retryAfterMs: [1] })
  receiver.answers = [429]
  receiver.retryAfter = '999999999'
  await started.send(push('mallory', 'room'))
  await started.send(push('mallory', 'another room'))
  await started.send(push('olga', 'garden'))
  expect(outcomes).toEqual(['delivered', 'delivered'])
  started.stop()
  receiver.answers = [503]
  const request = { endpoint: browser.endpoint, headers: {}, body: Buffer.from('x') }
  expect(await sendPush(request, receiver.outbound)).toEqual({ status: 503, retryAfterMs: 600_000 })
  receiver.retryAfter = null
})

test('R30.3: a push replaces one about the same room that waits for a further attempt, with its messages', async () => {
  const { started, outcomes } = delivery({ retryAfterMs: [3_600_000] })
  receiver.answers = [500]
  await started.send(push('olga', 'garden', { fromSeq: 3 }))
  await started.send(push('olga', 'garden', { fromSeq: 8 }))
  expect(receiver.received.map(({ payload }) => payload)).toEqual([
    { userId: 'olga', roomId: 'garden', fromSeq: 3 },
  ])
  expect(outcomes).toEqual(['delivered'])
})

test('R30.3: a name that is not looked up in time is no answer', async () => {
  const { started, outcomes } = delivery({
    resolve: () => new Promise(() => {}),
    timeoutMs: 1,
    retryAfterMs: [],
  })
  await started.send(push('mallory', 'room'))
  expect(outcomes).toEqual(['unanswered'])
  expect(await started.canReach(new URL(browser.endpoint))).toBe(false)
})
