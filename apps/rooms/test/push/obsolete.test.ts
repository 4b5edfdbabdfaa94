import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type TestUser,
  ban,
  createMessage,
  createRoom,
  deleteMessage,
  editMessage,
  makeMember,
  markRead,
  member,
  removeMember,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { type PushReceiver, pushReceiver } from './receiver.ts'

const MINUTE = 60_000
let rooms: TestRooms
let receiver: PushReceiver
let olga: TestUser
beforeAll(async () => {
  receiver = await pushReceiver(() => rooms.rooms.pusher.publicKey)
  const outbound = { ...receiver.outbound, retryAfterMs: [1], timeoutMs: 60_000 }
  rooms = await openRooms({ outbound, settings: { pushContent: 'text' } })
  olga = await member(rooms, 'Olga')
})
afterAll(async () => {
  await rooms.close()
  await receiver.stop()
})

interface Failed {
  mia: TestUser
  roomId: string
  messageId: string
  subscriptionId: string
}

/** Does this between the first attempt of a push to Mia, which fails, and the second one. */
async function between(act: (failed: Failed) => Promise<unknown>) {
  const mia = await member(rooms, 'Mia')
  const { id: roomId } = await createRoom(olga, { name: 'Garden' })
  await makeMember(rooms, roomId, mia)
  await succeed(mia.browser.send(`/api/rooms/${roomId}/notifications`, put({ level: 'all' })))
  const body = receiver.subscribe('mia')
  const { id: subscriptionId } = await mia.browser.json<{ id: string }>('/api/push', { body }, 201)
  Object.assign(receiver, { requests: 0, received: [] })
  const first = Promise.withResolvers<number>()
  receiver.answers = [first.promise]
  const { id: messageId } = await createMessage(olga, roomId, 'The first words')
  const flushed = rooms.rooms.pusher.flush()
  await until(() => receiver.requests === 1)
  await act({ mia, roomId, messageId, subscriptionId })
  first.resolve(500)
  await flushed
}

const put = (body: unknown) => ({ method: 'PUT', body })
const obsolete = async () => {
  const metric = rooms.rooms.metrics.registry.getSingleMetric('latchkey_rooms_pushes_total')
  const { values } = (await metric?.get()) ?? { values: [] }
  return values.find(({ labels }) => labels['result'] === 'obsolete')?.value ?? 0
}
const disable = ({ user }: TestUser) =>
  rooms.rooms.database.write((tx) =>
    tx.updateTable('users').set({ disabled: 1 }).where('id', '=', user.id).execute(),
  )

test.each<[string, (failed: Failed) => Promise<unknown>]>([
  ['a message that was deleted', ({ roomId, messageId }) => deleteMessage(olga, roomId, messageId)],
  ['what was read', ({ mia, roomId }) => markRead(mia, roomId)],
  [
    'the level none',
    ({ mia, roomId }) => mia.browser.send(`/api/rooms/${roomId}/notifications`, put({ level: 'none' })),
  ],
  [
    'the level of mentions',
    ({ mia, roomId }) => mia.browser.send(`/api/rooms/${roomId}/notifications`, put({ level: 'mentions' })),
  ],
  [
    'quiet hours',
    ({ mia }) => {
      const hour = (offset: number) =>
        new Date(rooms.clock.ms + offset * 60 * MINUTE).toISOString().slice(11, 16)
      const quiet = { from: hour(-1), to: hour(1), tz: 'UTC' }
      return mia.browser.send('/api/notifications', put({ quiet, sound: false }))
    },
  ],
  ['a ban', ({ mia, roomId }) => ban(rooms, roomId, mia)],
  ['a kick', ({ mia, roomId }) => removeMember(olga, roomId, mia, { action: 'kick', cooldownMinutes: 1 })],
  ['signing out', ({ mia }) => mia.browser.send('/api/auth/logout', { body: {} })],
  [
    'unsubscribing',
    ({ mia, subscriptionId }) => mia.browser.send(`/api/push/${subscriptionId}`, { method: 'DELETE' }),
  ],
  ['a disabled account', ({ mia }) => disable(mia)],
])('R30.3h: a push that is tried again is not sent after %s', async (_what, act) => {
  const before = await obsolete()
  await between(act)
  await until(async () => (await obsolete()) === before + 1)
  expect([receiver.requests, receiver.received]).toEqual([1, []])
})

test('R30.3h: a push that is tried again has the text that the message has by then', async () => {
  await between(async ({ roomId, messageId }) => succeed(editMessage(olga, roomId, messageId, 'Other words')))
  await until(() => receiver.received.length === 1)
  expect(receiver.received[0]?.payload).toMatchObject({ author: 'Olga', text: 'Other words' })
})
