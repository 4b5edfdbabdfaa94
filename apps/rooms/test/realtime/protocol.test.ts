import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type TestUser, ban, createMessage, createRoom, guest, member } from '../actions.ts'
import { roomsPerTest } from '../per-test.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { type Live, advance, cookiesOf, listen } from './live.ts'
import { RawSocket } from './raw-socket.ts'

const NOWHERE = '11111111-2222-4333-8444-555555555555'
const { rooms } = roomsPerTest()

/** A raw socket of a user who has been welcomed. */
async function connectWelcomed({ port }: Live, { browser }: TestUser): Promise<RawSocket> {
  const raw = new RawSocket(port, [
    'Host: rooms.example.com',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol: latchkey.v1',
    'Origin: https://rooms.example.com',
    `Cookie: ${cookiesOf(browser)}`,
  ])
  await until(() => raw.texts.length > 0)
  return raw
}

eachDialect((dialect, newUrl) => {
  afterEach(() => mock.restore())
  describe('frames on a socket', () => {
    let service: TestRooms
    let live: Live
    let owner: TestUser
    beforeAll(async () => {
      service = await openRooms({
        url: await newUrl(),
        limits: {
          rooms_per_hour: 1_000,
          socket_connects_per_minute: 1_000,
          socket_subscriptions: 3,
          messages_per_10s: 1_000,
        },
      })
      live = listen(service.rooms)
      owner = await member(service, 'Olga')
    })
    afterAll(async () => {
      await live.stop()
      await service.close()
    })
    const connect = async (testUser = owner) => {
      const socket = live.connect(testUser.browser)
      await socket.of('welcome')
      return socket
    }
    const rawly = (testUser = owner) => connectWelcomed(live, testUser)

    test('while users enter a room and others post, each gets every event after their number, in order, once', async () => {
      const { id } = await createRoom(owner, { maxParticipants: 100 })
      const people = await Promise.all(Array.from({ length: 8 }, (_, i) => member(service, `Person ${i}`)))
      const sockets = await Promise.all(people.map((each) => connect(each)))
      const speaking = (async () => {
        for (let i = 0; i < 18; i++) await createMessage(owner, id, `Message ${i}`)
      })()
      const answers: number[] = []
      for (const [i, socket] of sockets.entries()) {
        await until(async () => (await seqOf(id)) >= i)
        answers.push(Number((await socket.subscribe(id))['seq']))
      }
      await speaking
      for (const [i, socket] of sockets.entries()) {
        const from = answers[i] ?? 0
        if (from < 18) await socket.frame(({ type, seq }) => type === 'event' && seq === 18)
        const seqs = socket.frames.filter(({ type }) => type === 'event').map(({ seq }) => seq)
        expect(seqs).toEqual(Array.from({ length: 18 - from }, (_, at) => from + at + 1))
        const order = socket.frames.map(({ type }) => type)
        expect(order.indexOf('subscribed')).toBeLessThan(
          order.includes('event') ? order.indexOf('event') : Infinity,
        )
        socket.close()
      }
    })
    const seqOf = async (id: string) =>
      (await owner.browser.json<{ room: { lastSeq: number } }>(`/api/rooms/${id}`)).room.lastSeq

    test('catching up continues after a failure: missed events come once, before later ones', async () => {
      const { id } = await createRoom(owner)
      const socket = await connect()
      await socket.subscribe(id)
      const room = service.rooms.hub.rooms.find(id)
      const { writer } = service.rooms.database
      // Posted through another node, without an event here.
      await insertMessages(id, 3)
      await writer.schema.alterTable('room_events').renameTo('room_events_away').execute()
      try {
        room?.catchUp()
        await until(() => service.logLines.some((line) => line.includes('cannot catch up')))
      } finally {
        await writer.schema.alterTable('room_events_away').renameTo('room_events').execute()
      }
      await createMessage(owner, id, 'after')
      await socket.frame(({ type, seq }) => type === 'event' && seq === 4)
      expect(socket.frames.filter(({ type }) => type === 'event').map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
      socket.close()
    })

    test('a socket more than a page behind catches up with all that is left, even if old messages were deleted in between', async () => {
      const { id } = await createRoom(owner)
      const socket = await connect()
      await socket.subscribe(id)
      await insertMessages(id, 450)
      // Their events still exist: the job has not run yet.
      await service.rooms.database.write((tx) =>
        tx.deleteFrom('room_messages').where('room_id', '=', id).where('seq', 'in', [5, 199, 201]).execute(),
      )
      await advance(service, 5_000)
      await socket.frame(({ type, seq }) => type === 'event' && seq === 450)
      const seqs = socket.frames.filter(({ type }) => type === 'event').map(({ seq }) => Number(seq))
      expect(seqs).toEqual(
        Array.from({ length: 450 }, (_, i) => i + 1).filter((seq) => ![5, 199, 201].includes(seq)),
      )
      socket.close()
    })

    /** As another node stores them. */
    const insertMessages = async (roomId: string, count: number) => {
      const { appendEvent } = await import('../../src/rooms/room-events.ts')
      const { insertMessage } = await import('../../src/messages/store.ts')
      const nowMs = service.clock.ms
      await service.rooms.database.write(async (tx) => {
        for (let i = 0; i < count; i++) {
          const messageId = crypto.randomUUID()
          const data = { messageId }
          const { seq } = await appendEvent(tx, { roomId, event: 'message.created', data, nowMs })
          await insertMessage(tx, {
            id: messageId,
            room_id: roomId,
            seq,
            user_id: owner.user.id,
            author_name: 'Olga',
            author_guest: 0,
            content: `Message ${i}`,
            client_id: null,
            created_at: nowMs,
            reply_to: null,
            group_mention: null,
            file_count: null,
          })
        }
      })
    }

    test('after unsubscribing no frame of the room is sent, and a new subscription begins after the events in between', async () => {
      const { id } = await createRoom(owner)
      const socket = await connect()
      await socket.subscribe(id)
      expect(await socket.ask({ type: 'unsubscribe', roomId: id })).toMatchObject({
        type: 'unsubscribed',
        roomId: id,
      })
      // A repeated unsubscribe changes nothing.
      expect(await socket.ask({ type: 'unsubscribe', roomId: id })).toMatchObject({ type: 'unsubscribed' })
      await createMessage(owner, id, 'unheard')
      expect(await socket.subscribe(id)).toMatchObject({ type: 'subscribed', seq: 1 })
      await createMessage(owner, id, 'heard')
      await socket.frame(({ type }) => type === 'event')
      expect(socket.frames.filter(({ type }) => type === 'event').map(({ seq }) => seq)).toEqual([2])
      socket.close()
    })

    if (dialect === 'postgres') return

    test('R18.8a, R25: an invalid frame is answered with invalid_request, and with its id if that can be read; voice frames too', async () => {
      const socket = await connect()
      const wrong: [unknown, string | null][] = [
        ['no JSON', null],
        ['null', null],
        ['7', null],
        [[], null],
        [{}, null],
        [{ type: 'voice.join', id: 'v', roomId: NOWHERE }, 'v'],
        [{ type: 'subscribe', id: 's' }, 's'],
        [{ type: 'subscribe', id: 's', roomId: 7 }, 's'],
        [{ type: 'ping', id: '1', more: true }, '1'],
      ]
      for (const [frame] of wrong) socket.send(frame)
      await socket.settle()
      const answers = socket.frames.filter(({ type }) => type === 'error')
      expect(answers).toEqual(wrong.map(([, id]) => ({ type: 'error', id, code: 'invalid_request' })))
      socket.close()
    })

    test('the tenth malformed frame is closed with 4400, even with valid ones in between', async () => {
      const socket = await connect()
      for (let i = 0; i < 9; i++) {
        socket.send('nonsense')
        await socket.settle()
      }
      socket.send({ type: 'ping' })
      expect((await socket.closed).code).toBe(4400)
    })

    test('binary frames are malformed', async () => {
      const raw = await rawly()
      raw.write(RawSocket.frame(JSON.stringify({ type: 'ping', id: '1' }), { opcode: 2 }))
      await until(() => raw.texts.length > 1)
      expect(JSON.parse(raw.texts[1] ?? '')).toEqual({ type: 'error', id: null, code: 'invalid_request' })
      raw.destroy()
    })

    test('R18.8c: a room that is missing, hidden, or not a valid id gets the same not_found', async () => {
      const bob = await member(service, 'Bob')
      const { id: hidden } = await createRoom(owner, { visibility: 'private' })
      const socket = await connect(bob)
      for (const roomId of [NOWHERE, hidden, 'x', '', '../..'])
        expect(await socket.subscribe(roomId)).toMatchObject({ type: 'error', code: 'not_found' })
      const { id } = await createRoom(owner)
      await ban(service, id, bob)
      expect(await socket.subscribe(id)).toMatchObject({ type: 'error', code: 'banned' })
      const { id: members } = await createRoom(owner, { allowGuests: false })
      const gus = await connect(await guest(service))
      expect(await gus.subscribe(members)).toMatchObject({ type: 'error', code: 'guests_not_allowed' })
      expect(service.rooms.hub.rooms.all()).toEqual([])
      for (const each of [socket, gus]) each.close()
    })

    test('R22: a socket has a limited number of rooms, and subscribing again to one of them does not count', async () => {
      const socket = await connect()
      const ids: string[] = []
      for (let i = 0; i < 4; i++) ids.push((await createRoom(owner)).id)
      const [a = '', b = '', c = '', d = ''] = ids
      for (const id of [a, b, c]) expect(await socket.subscribe(id)).toMatchObject({ type: 'subscribed' })
      expect(await socket.subscribe(d)).toMatchObject({ type: 'error', code: 'limit_reached' })
      expect(await socket.subscribe(a)).toMatchObject({ type: 'subscribed' })
      expect(await socket.ask({ type: 'unsubscribe', roomId: b })).toMatchObject({ roomId: b })
      expect(await socket.subscribe(d)).toMatchObject({ type: 'subscribed' })
      socket.close()
    })

    test('R28.20: a client that subscribes twice to a room gets everything once', async () => {
      const { id } = await createRoom(owner)
      const socket = await connect()
      await socket.subscribe(id)
      await createMessage(owner, id, 'one')
      expect(await socket.subscribe(id)).toMatchObject({ type: 'subscribed', seq: 1 })
      await createMessage(owner, id, 'two')
      await socket.frame(({ seq, type }) => type === 'event' && seq === 2)
      await socket.settle()
      expect(socket.frames.filter(({ type }) => type === 'event').map(({ seq }) => seq)).toEqual([1, 2])
      socket.close()
    })

    test('frames are answered in their order, however long each takes', async () => {
      const { id } = await createRoom(owner)
      const socket = await connect()
      for (let i = 0; i < 8; i++) {
        socket.send({ type: 'subscribe', id: `s${i}`, roomId: id })
        socket.send({ type: 'unsubscribe', id: `u${i}`, roomId: id })
      }
      await socket.settle()
      const answers = socket.frames.filter((frame) => 'id' in frame).map((frame) => frame['id'])
      expect(answers.slice(0, -1)).toEqual(
        Array.from({ length: 16 }, (_, i) => `${i % 2 ? 'u' : 's'}${i >> 1}`),
      )
      expect(service.rooms.hub.rooms.find(id)).toBeUndefined()
      socket.close()
    })

    test('R18.7a: a client that does not read is closed with 1013, and no other client is affected', async () => {
      const { id } = await createRoom(owner)
      const bob = await member(service, 'Bob')
      const [well, slow] = [await connect(), await rawly(bob)]
      await well.subscribe(id)
      slow.write(RawSocket.frame(JSON.stringify({ type: 'subscribe', id: 's', roomId: id })))
      await until(() => slow.texts.some((text) => text.includes('"subscribed"')))
      slow.pause()
      const { hub } = service.rooms
      // The tick would send pings as soon as the clock has moved, or miss the replies.
      spyOn(hub, 'tick').mockResolvedValue(undefined)
      const room = hub.rooms.find(id)
      const [connection] = hub.registry.ofUser(bob.user.id)
      const at = new Date(service.clock.ms).toISOString()
      for (let seq = 1; seq < 5_000; seq++) {
        room?.applyEvent({
          seq,
          at,
          event: 'message.created',
          data: { message: { content: 'x'.repeat(8_000) } },
        })
        if (connection?.isClosed) break
        if (seq % 20 === 0) await well.settle()
        if (seq % 20 === 0) service.clock.ms += 10_000
      }
      expect(connection?.isClosed).toBe(true)
      expect(hub.registry.ofUser(bob.user.id)).toEqual([])
      // At once: the client of this runtime may discard unread data of a connection that ends while
      // it is paused.
      slow.resume()
      expect(await slow.closed).toBe(1013)
      await well.settle()
      const seqs = well.frames.filter(({ type }) => type === 'event').map(({ seq }) => seq)
      expect(seqs).toEqual(seqs.map((_, i) => i + 1))
      well.close()
    })

    test('R18.7: a silent socket is pinged every 20 seconds, and closed with 4408 after 45 seconds without a reply', async () => {
      const bob = await member(service, 'Bob')
      const [raw, dead] = [await rawly(), await rawly(bob)]
      dead.beSilent()
      await advance(service, 19_000)
      expect([raw.pings, dead.pings]).toEqual([0, 0])
      await advance(service, 2_000)
      await until(() => raw.pings === 1 && dead.pings === 1)
      const { registry } = service.rooms.hub
      // The pong has arrived, because a later request has been answered.
      raw.write(RawSocket.frame(JSON.stringify({ type: 'ping', id: '1' })))
      await until(() => raw.texts.some((text) => text.includes('pong')))
      await advance(service, 21_000)
      await until(() => raw.pings === 2 && dead.pings === 2)
      raw.write(RawSocket.frame(JSON.stringify({ type: 'ping', id: '2' })))
      await until(() => raw.texts.filter((text) => text.includes('pong')).length === 2)
      await advance(service, 4_000)
      expect(await dead.closed).toBe(4408)
      expect(registry.ofUser(bob.user.id)).toEqual([])
      raw.write(RawSocket.frame(JSON.stringify({ type: 'ping', id: '3' })))
      await until(() => raw.texts.filter((text) => text.includes('pong')).length === 3)
      raw.destroy()
    })

    test('pings do not extend the session, other frames do', async () => {
      const bob = await member(service, 'Bob')
      const socket = await connect(bob)
      const idleEnd = async () =>
        (
          await service.rooms.database.read
            .selectFrom('sessions')
            .select('idle_expires_at')
            .where('id', '=', bob.browser.sessionId)
            .executeTakeFirstOrThrow()
        ).idle_expires_at
      const before = await idleEnd()
      for (let i = 0; i < 4; i++) {
        service.clock.ms += 40_000
        await socket.settle()
      }
      expect(await idleEnd()).toBe(before)
      await socket.ask({ type: 'subscribe_lobby' })
      expect(await idleEnd()).toBe(before + 160_000)
      socket.close()
    })
  })

  if (dialect === 'postgres') return

  test('R22: a socket that sends more frames than the limit is closed with 4429, after its earlier requests were answered', async () => {
    const service = await rooms({ url: await newUrl(), limits: { socket_messages_per_10s: 5 } })
    const live = listen(service.rooms)
    const socket = await connectWelcomed(live, await member(service))
    // All at once, as a fast client sends them.
    const frames = Array.from({ length: 6 }, (_, i) => RawSocket.frame(`{"type":"ping","id":"${i}"}`))
    socket.write(Buffer.concat(frames))
    expect(await socket.closed).toBe(4429)
    const pongs = Array.from({ length: 5 }, (_, i) => ({ type: 'pong', id: String(i) }))
    expect(socket.texts.slice(1).map((text) => JSON.parse(text) as unknown)).toEqual(pongs)
    const again = live.connect((await member(service)).browser)
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 2; j++) await again.settle()
      service.clock.ms += 5_000
    }
    expect(again.isClosed).toBe(false)
    await live.stop()
  })
})
