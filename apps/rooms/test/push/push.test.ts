import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  ban,
  createMessage,
  createRoom,
  deleteMessage,
  deleteRoom,
  guest,
  makeMember,
  markRead,
  member,
  refusal,
  removeMember,
  succeed,
} from '../actions.ts'
import type { PushKeys } from '../../src/notifications/push/keys.ts'
import { deleteGone, putSubscription } from '../../src/notifications/push/store.ts'
import { createDirect } from '../directs/actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type PushReceiver, pushReceiver } from './receiver.ts'

const MINUTE = 60_000

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let receiver: PushReceiver
  let olga: TestUser
  let mia: TestUser
  beforeAll(async () => {
    receiver = await pushReceiver(() => rooms.rooms.pusher.publicKey)
    const outbound = { ...receiver.outbound, retryAfterMs: [1, 1], timeoutMs: 1_000 }
    rooms = await openRooms({ url: await newUrl(), outbound })
    olga = await member(rooms, 'Olga')
    mia = await member(rooms, 'Mia')
    await subscribe(mia, 'mia')
    await subscribe(olga, 'olga')
  })
  afterAll(async () => {
    await rooms.close()
    await receiver.stop()
  })
  beforeEach(async () => {
    await rooms.rooms.pusher.flush()
    receiver.received.length = 0
    receiver.requests = 0
    rooms.clock.ms += MINUTE
  })

  const subscribe = async ({ browser }: TestUser, name: string) =>
    (await browser.json<{ id: string }>('/api/push', { body: receiver.subscribe(name) }, 201)).id
  const setLevel = ({ browser }: TestUser, roomId: string, level: string) =>
    succeed(browser.send(`/api/rooms/${roomId}/notifications`, { method: 'PUT', body: { level } }))
  /** The pushes of everything until now, by recipient. */
  async function pushes(): Promise<[to: string, payload: Record<string, unknown>][]> {
    await rooms.rooms.pusher.flush()
    return receiver.received.splice(0).map(({ to, payload }) => [to, payload])
  }
  const recipients = async () => (await pushes()).map(([to]) => to)
  /** A room of Olga's of which Mia is a member, with its messages pushed to her. */
  async function roomOfMia(settings: Record<string, unknown> = {}, level = 'all'): Promise<string> {
    const { id } = await createRoom(olga, { name: 'Garden', ...settings })
    await makeMember(rooms, id, mia)
    await setLevel(mia, id, level)
    return id
  }

  test('R30.3b: pushes end with the session, with the subscription, and with another user of the browser', async () => {
    const id = await roomOfMia()
    const visitor = await member(rooms, 'Vera')
    await makeMember(rooms, id, visitor)
    await setLevel(visitor, id, 'all')
    const next = async () => {
      rooms.clock.ms += MINUTE
      await createMessage(olga, id)
      return (await recipients()).toSorted()
    }
    await subscribe(visitor, 'vera')
    expect(await next()).toEqual(['mia', 'vera'])
    const subscription = await subscribe(visitor, 'vera')
    expect(await refusal(await mia.browser.send(`/api/push/${subscription}`, { method: 'DELETE' }))).toEqual([
      404,
      'not_found',
    ])
    await succeed(visitor.browser.send(`/api/push/${subscription}`, { method: 'DELETE' }))
    expect(await next()).toEqual(['mia'])
    const { endpoint, keys } = receiver.subscribe('shared')
    await visitor.browser.json('/api/push', { body: { endpoint, keys } }, 201)
    const later = await member(rooms, 'Later')
    await later.browser.json('/api/push', { body: { endpoint, keys } }, 201)
    expect(await next()).toEqual(['mia'])
    await subscribe(visitor, 'vera')
    await succeed(visitor.browser.send('/api/auth/logout', { body: {} }))
    expect(await next()).toEqual(['mia'])
    rooms.clock.ms += 61 * MINUTE
    await rooms.rooms.jobs.runDue()
    const left = await rooms.rooms.database.read.selectFrom('push_subscriptions').select('endpoint').execute()
    expect(left.map((row) => new URL(row.endpoint).pathname).toSorted()).toEqual(['/mia', '/olga', '/shared'])
  })

  test('R30.3f: 404 and 410 end a subscription; 429, 500 and silence are tried again, other answers are not', async () => {
    const id = await roomOfMia()
    const attempt = async (...answers: number[]) => {
      rooms.clock.ms += MINUTE
      receiver.requests = 0
      receiver.received.length = 0
      receiver.answers = answers
      await createMessage(olga, id)
      await rooms.rooms.pusher.flush()
      await settle(() => receiver.answers.length === 0)
      return receiver.requests
    }
    const settle = async (isDone: () => boolean) => {
      while (!isDone()) await Bun.sleep(5)
    }
    await attempt(429, 500)
    await settle(() => receiver.received.length === 1)
    expect(receiver.requests).toBe(3)
    expect(await attempt(500, 500, 500)).toBe(3)
    expect(await attempt(400)).toBe(1)
    for (const status of [404, 410]) {
      await subscribe(mia, 'mia')
      expect(await attempt(status)).toBe(1)
      await settle(() => true)
      expect(await attempt()).toBe(0)
    }
    await subscribe(mia, 'mia')
  })

  test('R30.3: two nodes that store messages of a room at once send one push together', async () => {
    const id = await roomOfMia()
    const { seq } = await createMessage(olga, id)
    const other = await rooms.node()
    other.rooms.pusher.announce(id, seq)
    await Promise.all([rooms.rooms.pusher.flush(), other.rooms.pusher.flush()])
    expect(receiver.received).toHaveLength(1)
    await other.close()
  })

  test('R22, R30.3: a person subscribes a limited number of times', async () => {
    const limited = await openRooms({
      url: await newUrl(),
      outbound: receiver.outbound,
      limits: { push_subscriptions_per_hour: 1 },
    })
    const { browser } = await member(limited)
    const body = receiver.subscribe('limited')
    await browser.json('/api/push', { body }, 201)
    expect(await refusal(await browser.send('/api/push', { body }))).toEqual([429, 'rate_limited'])
    await limited.close()
  })

  if (dialect === 'postgres') return

  test('R30.3: a push is encrypted, signed, names the room only, and replaces an older one', async () => {
    const id = await roomOfMia()
    await createMessage(olga, id, 'The secret plan')
    await rooms.rooms.pusher.flush()
    const [push] = receiver.received
    expect([push?.to, push?.payload]).toEqual(['mia', { roomId: id, isMention: false, room: 'Garden' }])
    const headers = ['content-encoding', 'ttl', 'topic'].map((name) => push?.headers.get(name))
    expect(headers).toEqual(['aes128gcm', '86400', expect.stringMatching(/^[\w-]{32}$/)])
    expect(receiver.received).toHaveLength(1)
  })

  test('R30.2, R30.3d: only messages of the chosen level are pushed, and none of one’s own', async () => {
    const id = await roomOfMia({}, 'mentions')
    await createMessage(olga, id, 'For all')
    await createMessage(mia, id, 'By Mia')
    expect(await recipients()).toEqual([])
    await createMessage(olga, id, `For <@${mia.user.id}>`)
    expect(await pushes()).toEqual([['mia', { roomId: id, isMention: true, room: 'Garden' }]])
    rooms.clock.ms += MINUTE
    // The earlier mention is still unread, but not new.
    await createMessage(olga, id, 'For all')
    expect(await recipients()).toEqual([])
    await setLevel(mia, id, 'none')
    await createMessage(olga, id, `Again for <@${mia.user.id}>`)
    expect(await recipients()).toEqual([])
  })

  test('R30.3d: there is one push a minute per room, and none for what is read', async () => {
    const [id, other] = [await roomOfMia(), await roomOfMia()]
    await createMessage(olga, id)
    await createMessage(olga, id)
    await createMessage(olga, other)
    expect(await recipients()).toEqual(['mia', 'mia'])
    rooms.clock.ms += MINUTE - 1
    await createMessage(olga, id)
    expect(await recipients()).toEqual([])
    rooms.clock.ms += 1
    const { seq } = await createMessage(olga, id)
    await markRead(mia, id, seq)
    expect(await recipients()).toEqual([])
    await createMessage(olga, id)
    expect(await recipients()).toEqual(['mia'])
  })

  test('R30.2, R30.3d: nothing is pushed in the quiet hours of a person', async () => {
    const id = await roomOfMia()
    const at = new Date(rooms.clock.ms)
    const hour = (offset: number) => `${String((at.getUTCHours() + 24 + offset) % 24).padStart(2, '0')}:00`
    const setQuiet = (from: string, to: string) =>
      succeed(
        mia.browser.send('/api/notifications', {
          method: 'PUT',
          body: { quiet: { from, to, tz: 'UTC' }, sound: false },
        }),
      )
    await setQuiet(hour(-1), hour(2))
    await createMessage(olga, id)
    expect(await recipients()).toEqual([])
    await setQuiet(hour(3), hour(4))
    await createMessage(olga, id)
    expect(await recipients()).toEqual(['mia'])
  })

  test('R17.8, R30.3: nothing is pushed of what a person may not read, or no longer', async () => {
    for (const lose of [
      (id: string) => removeMember(olga, id, mia, { action: 'kick', cooldownMinutes: 1 }),
      (id: string) => ban(rooms, id, mia),
      (id: string) => deleteRoom(olga, id),
    ]) {
      const id = await roomOfMia({ visibility: 'private' })
      await createMessage(olga, id)
      await lose(id)
      expect(await recipients()).toEqual([])
    }
    const id = await roomOfMia()
    const { id: messageId } = await createMessage(olga, id)
    await succeed(deleteMessage(olga, id, messageId))
    expect(await recipients()).toEqual([])
    // Without membership, a level is enough in a public room, and not in a private one.
    const { id: open } = await createRoom(olga)
    await setLevel(mia, open, 'all')
    await createMessage(olga, open)
    await succeed(
      olga.browser.send(`/api/rooms/${open}/settings`, { method: 'PATCH', body: { visibility: 'private' } }),
    )
    expect(await recipients()).toEqual([])
  })

  test('R30.3: a push service that hangs delays neither messages nor others', async () => {
    const [id, other] = [await roomOfMia(), await roomOfMia()]
    receiver.answers = ['hang']
    await createMessage(olga, id)
    void rooms.rooms.pusher.flush()
    while (receiver.requests === 0) await Bun.sleep(5)
    await createMessage(olga, other)
    void rooms.rooms.pusher.flush()
    while (receiver.received.length < 2) await Bun.sleep(5)
    expect(receiver.received.map(({ payload }) => payload['roomId'])).toEqual([other, id])
  })

  test('R30.3e: ROOMS_PUSH_CONTENT leaves out the room, or adds author and text as the person may read them', async () => {
    const id = await roomOfMia({ historyVisibility: 'since_membership' })
    const node = (pushContent: 'none' | 'text') => rooms.node({ pushContent })
    const [none, text] = [await node('none'), await node('text')]
    const push = async (sender: TestRooms, content: string) => {
      rooms.clock.ms += MINUTE
      const { seq } = await createMessage(olga, id, content)
      sender.rooms.pusher.announce(id, seq)
      await sender.rooms.pusher.flush()
      return receiver.received.splice(0).map(({ payload }) => payload)
    }
    expect(await push(none, 'A plan')).toEqual([{ roomId: id, isMention: false }])
    const named = { roomId: id, room: 'Garden', author: 'Olga' }
    expect(await push(text, `A **plan** for <@${mia.user.id}>`)).toEqual([
      { ...named, isMention: true, text: 'A **plan** for @Mia' },
    ])
    await Promise.all([none.close(), text.close()])
  })

  test('R30.3, R30.3a: the private key is sealed, equal on all nodes, and replaced with the client secret', async () => {
    const { read } = rooms.rooms.database
    const state = read.selectFrom('platform_state').select('value').where('key', '=', 'push-keys')
    const { publicKey, privateKey } = JSON.parse((await state.executeTakeFirstOrThrow()).value) as PushKeys
    expect(Buffer.from(privateKey, 'base64url').length).toBeGreaterThan(32)
    const other = await rooms.node()
    const config = await other.browser().json<{ pushKey: string }>('/api/config')
    expect([config.pushKey, other.rooms.pusher.publicKey]).toEqual([publicKey, publicKey])
    await other.close()
  })

  test('R30.3b, R34: guests have no push, not even from an existing subscription', async () => {
    const id = await roomOfMia({ allowGuests: true })
    const gustav = await guest(rooms)
    await setLevel(gustav, id, 'all')
    const body = receiver.subscribe('gustav')
    expect(await refusal(await gustav.browser.send('/api/push', { body }))).toEqual([
      403,
      'guest_not_permitted',
    ])
    const { endpoint, keys } = body
    const { sessionId } = gustav.browser
    await rooms.rooms.database.write((tx) =>
      putSubscription(tx, { id: 'old', session_id: sessionId, endpoint, ...keys, created_at: 0 }),
    )
    await createMessage(olga, id)
    expect(await recipients()).toEqual(['mia'])
    await rooms.rooms.database.write((tx) => deleteGone(tx, 'old'))
  })

  test('R37.2f, R30.3e: a direct message is pushed without a mention, and names its author as the room', async () => {
    const { id } = await createDirect(olga, mia)
    await createMessage(olga, id)
    expect(await pushes()).toEqual([['mia', { roomId: id, isMention: false, room: 'Olga' }]])
    rooms.clock.ms += MINUTE
    await setLevel(mia, id, 'none')
    await createMessage(olga, id)
    expect(await pushes()).toEqual([])
  })

  test('R4.6, R30.3c: an endpoint must be https on a public host', async () => {
    const guarded = await openRooms()
    const { browser } = await member(guarded)
    const { keys } = receiver.subscribe('mia')
    for (const endpoint of [
      'http://push.example/x',
      'https://127.0.0.1/x',
      'https://[::1]/x',
      'https://10.1.2.3/x',
      'https://localhost/x',
      'mailto:x',
      'https:1.1.1.1',
      'https://u:p@push.example/x',
      'https://push.example:22/x',
    ])
      expect(await refusal(await browser.send('/api/push', { body: { endpoint, keys } }))).toEqual([
        400,
        'invalid_request',
      ])
    expect(await guarded.rooms.database.read.selectFrom('push_subscriptions').select('id').execute()).toEqual(
      [],
    )
    await guarded.close()
  })
})
