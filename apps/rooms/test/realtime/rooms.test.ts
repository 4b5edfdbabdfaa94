import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createMessage, createRoom } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type Live, advance, listen } from './live.ts'

const BOB = { sub: 'bob', name: 'Bob Berg' }

eachDialect((dialect, newUrl) => {
  describe('a room over a socket', () => {
    let service: TestRooms
    let live: Live
    beforeAll(async () => {
      service = await openRooms({ url: await newUrl() })
      live = listen(service.rooms)
    })
    afterAll(async () => {
      await live.stop()
      await service.close()
    })

    test('a socket is welcomed, and messages reach all participants, once and numbered', async () => {
      const alice = await service.signedInBrowser(ALICE)
      const bob = await service.signedInBrowser(BOB)
      const { id: roomId } = await createRoom({ browser: alice })
      const [a, b] = [live.connect(alice), live.connect(bob)]
      expect(await a.of('welcome')).toMatchObject({ protocol: 'latchkey.v1', limits: { frameBytes: 16_384 } })
      expect(a.protocol).toBe('latchkey.v1')
      expect(await a.subscribe(roomId)).toMatchObject({
        type: 'subscribed',
        roomId,
        seq: 0,
        role: 'owner',
        count: 1,
      })
      expect(await b.subscribe(roomId)).toMatchObject({ role: 'listener', canPublish: false })
      await createMessage({ browser: alice }, roomId, 'Ahoy')
      await createMessage({ browser: bob }, roomId, 'Ahoy yourself')
      const messagesOf = (socket: typeof a) =>
        socket.frames
          .filter(({ type }) => type === 'event')
          .map(({ seq, event, data }) => [
            seq,
            event,
            (data as { message?: { content: string } }).message?.content,
          ])
      await b.frame(({ seq, type }) => type === 'event' && seq === 3)
      await a.settle()
      const expected = [
        [1, 'message.created', 'Ahoy'],
        [2, 'member.joined', undefined],
        [3, 'message.created', 'Ahoy yourself'],
      ]
      expect(messagesOf(a)).toEqual(expected)
      expect(messagesOf(b)).toEqual(expected)
      a.close()
      b.close()
    })

    if (dialect === 'postgres') return

    test('entering is sent to the participants, and leaving only after the grace period', async () => {
      const alice = await service.signedInBrowser(ALICE)
      const bob = await service.signedInBrowser(BOB)
      const { id: roomId } = await createRoom({ browser: alice })
      const a = live.connect(alice)
      await a.subscribe(roomId)
      const b = live.connect(bob)
      await b.subscribe(roomId)
      const came = await a.frame(({ type, count }) => type === 'presence' && count === 2)
      expect(came['joined']).toMatchObject([{ nickname: 'Bob Berg', guest: false, role: 'listener' }])
      b.close()
      await b.closed
      await advance(service, 1_000)
      await a.settle()
      expect(a.frames.some(({ type, left }) => type === 'presence' && (left as string[]).length > 0)).toBe(
        false,
      )
      await advance(service, 10_000)
      const went = await a.frame(({ type, count }) => type === 'presence' && count === 1)
      expect(went['left']).toHaveLength(1)
      a.close()
    })

    test('a room that becomes private is removed at once for users who are not members, and stays for members', async () => {
      const alice = await service.signedInBrowser(ALICE)
      const bob = await service.signedInBrowser(BOB)
      const { id: roomId } = await createRoom({ browser: alice })
      const [a, b] = [live.connect(alice), live.connect(bob)]
      await a.subscribe(roomId)
      await b.subscribe(roomId)
      await alice.json(`/api/rooms/${roomId}/settings`, { method: 'PATCH', body: { visibility: 'private' } })
      expect(await b.of('room.removed')).toMatchObject({ roomId, reason: 'access_lost', until: null })
      await createMessage({ browser: alice }, roomId, 'Among ourselves')
      await a.frame(({ event }) => event === 'message.created')
      await b.settle()
      expect(JSON.stringify(b.frames)).not.toContain('Among ourselves')
      expect(await b.subscribe(roomId)).toMatchObject({ type: 'error', code: 'not_found' })
      a.close()
      b.close()
    })

    test('a session that ends closes its sockets with the reason, and no others', async () => {
      const alice = await service.signedInBrowser(ALICE)
      const elsewhere = await service.signedInBrowser(ALICE)
      const [a, b] = [live.connect(alice), live.connect(elsewhere)]
      await a.of('welcome')
      await b.of('welcome')
      await alice.json('/api/auth/logout', { body: {} })
      await advance(service, 1_000)
      expect(await a.closed).toEqual({ code: 4401, reason: 'signed_out' })
      await b.settle()
      b.close()
    })
  })
})
