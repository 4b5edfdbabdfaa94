import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { LimitName } from '../../src/api/limits.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { admin, createRoom, guest, member } from '../actions.ts'
import { roomsPerTest } from '../per-test.ts'
import { type Browser, ORIGIN, type TestRooms, openRooms } from '../rooms.ts'
import { browserOf } from '../sessions/people.ts'
import { until } from '../until.ts'
import { type Live, advance, cookiesOf, listen } from './live.ts'
import { RawSocket } from './raw-socket.ts'

const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
]
const { rooms, alsoClose } = roomsPerTest()

eachDialect((dialect, newUrl) => {
  describe('opening a socket', () => {
    let service: TestRooms
    let live: Live
    let ada: Browser
    const opened: RawSocket[] = []
    beforeAll(async () => {
      service = await openRooms({
        url: await newUrl(),
        limits: { socket_connects_per_minute: 1_000, socket_messages_per_10s: 200 },
      })
      live = listen(service.rooms)
      ada = (await member(service)).browser
    })
    afterEach(() => {
      for (const socket of opened.splice(0)) socket.destroy()
      for (const connection of service.rooms.hub.registry.all()) connection.close(1000)
    })
    afterAll(async () => {
      await live.stop()
      await service.close()
    })

    interface Handshake {
      host?: string
      origins?: string[]
      cookie?: string | null
      protocol?: string | null
      more?: string[]
    }
    const raw = ({
      host = 'rooms.example.com',
      origins = [ORIGIN],
      cookie = cookiesOf(ada),
      protocol = 'latchkey.v1',
      more = [],
    }: Handshake = {}) => {
      const socket = new RawSocket(live.port, [
        `Host: ${host}`,
        ...HANDSHAKE,
        ...origins.map((origin) => `Origin: ${origin}`),
        ...(cookie === null ? [] : [`Cookie: ${cookie}`]),
        ...(protocol === null ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
        ...more,
      ])
      opened.push(socket)
      return socket
    }
    const statusOf = async (socket: RawSocket) => Number(/^HTTP\/1.1 (\d+)/.exec(await socket.head)?.[1])
    const ticketFor = async (browser: Browser) =>
      (await browser.json<{ ticket: string }>('/api/ws-ticket', { body: {} }, 201)).ticket
    const byTicket = (ticket: string, more: Handshake = {}) =>
      raw({ origins: [], cookie: null, protocol: `latchkey.v1, latchkey.ticket.${ticket}`, ...more })
    const welcome = async (socket: RawSocket) => {
      await until(() => socket.texts.length > 0)
      return JSON.parse(socket.texts[0] ?? '') as Record<string, unknown>
    }

    test('R18.2a C130: a ticket works once, for a minute, for its own session, and only while that session lasts', async () => {
      const bob = await member(service, 'Bob')
      const used = await ticketFor(bob.browser)
      expect(await welcome(byTicket(used))).toMatchObject({ type: 'welcome', userId: bob.user.id })
      expect(await byTicket(used).closed).toBe(4401)
      // A cookie in addition does not help, and a ticket never opens a socket of another session.
      expect(await byTicket(used, { cookie: cookiesOf(ada) }).closed).toBe(4401)
      const bobs = byTicket(await ticketFor(bob.browser), { cookie: cookiesOf(ada) })
      expect(await welcome(bobs)).toMatchObject({ userId: bob.user.id })
      const late = await ticketFor(bob.browser)
      service.clock.ms += 60_000
      expect(await byTicket(late).closed).toBe(4401)
      const orphan = await ticketFor(bob.browser)
      await bob.browser.json('/api/auth/logout', { body: {} })
      expect(await byTicket(orphan).closed).toBe(4401)
      for (const nonsense of ['', 'x', 'A'.repeat(43)]) expect(await byTicket(nonsense).closed).toBe(4401)
    })

    test('fifty sockets with the same ticket open one', async () => {
      const ticket = await ticketFor(ada)
      const sockets = Array.from({ length: 50 }, () => byTicket(ticket))
      const welcomed = await Promise.all(
        sockets.map((socket) => Promise.race([socket.closed, welcome(socket).then(() => 'welcome')])),
      )
      expect(welcomed.filter((each) => each === 'welcome')).toHaveLength(1)
      expect(welcomed.filter((each) => each === 4401)).toHaveLength(49)
    })

    test('a socket that disconnects while it enters a room is not left in it', async () => {
      const bob = await member(service, 'Bob')
      const owner = await member(service)
      const { id } = await createRoom(owner)
      for (let i = 0; i < 5; i++) {
        const socket = live.connect(bob.browser)
        await socket.of('welcome')
        socket.send({ type: 'subscribe', id: 's', roomId: id })
        socket.terminate()
      }
      const { registry, rooms: here } = service.rooms.hub
      await until(() => registry.ofUser(bob.user.id).length === 0 && !here.find(id))
      await advance(service, 1_000)
      await advance(service, 11_000)
      const { participantCount } = (
        await owner.browser.json<{ room: { participantCount: number } }>(`/api/rooms/${id}`)
      ).room
      expect(participantCount).toBe(0)
    })

    test('R24.2: socket requests are counted by status like all others', async () => {
      const requestCount = async (status: number) => {
        const metric = await service.rooms.metrics.registry
          .getSingleMetric('latchkey_rooms_requests_total')
          ?.get()
        const isMeant = ({ labels }: { labels: object }) =>
          Bun.deepEquals(labels, { route: '/api/ws', status })
        return metric?.values.find(isMeant)?.value ?? 0
      }
      const before = [await requestCount(101), await requestCount(403)]
      expect(await statusOf(raw())).toBe(101)
      expect(await statusOf(raw({ origins: ['null'] }))).toBe(403)
      expect([await requestCount(101), await requestCount(403)]).toEqual(before.map((count) => count + 1))
    })

    if (dialect === 'postgres') return

    test('R18.2, C130 R28.19: an Origin with a foreign suffix, another port or scheme, null, repeated, empty or missing is refused before the upgrade', async () => {
      const origins = [
        [`${ORIGIN}.evil.example`],
        [`${ORIGIN}:444`],
        ['http://rooms.example.com'],
        ['https://evil.example'],
        ['null'],
        [''],
        [ORIGIN, ORIGIN],
        [],
      ]
      for (const value of origins)
        expect([value, await statusOf(raw({ origins: value }))]).toEqual([value, 403])
      expect(await statusOf(raw())).toBe(101)
      for (const site of ['cross-site', 'same-site', 'none'])
        expect(await statusOf(raw({ more: [`Sec-Fetch-Site: ${site}`] }))).toBe(403)
      expect(await statusOf(raw({ more: ['Sec-Fetch-Site: same-origin'] }))).toBe(101)
    })

    test('an invented ticket opens nothing and keeps no writer from the database', async () => {
      let writes = 0
      service.rooms.database.afterWrite(() => void writes++)
      for (const ticket of ['A'.repeat(43), 'short', 'A'.repeat(4_000)]) {
        const socket = byTicket(ticket)
        expect(await statusOf(socket)).toBe(101)
        expect(await socket.closed).toBe(4401)
      }
      expect(writes).toBe(0)
      expect(await welcome(byTicket(await ticketFor(ada)))).toMatchObject({ type: 'welcome' })
    })

    test('C130: a wrong Origin is refused with a ticket too', async () => {
      const ticket = await ticketFor(ada)
      expect(await statusOf(byTicket(ticket, { origins: ['https://evil.example'] }))).toBe(403)
      expect(await welcome(byTicket(ticket))).toMatchObject({ type: 'welcome' })
    })

    test('an unknown host, another method, and a request without an upgrade are refused', async () => {
      expect(await statusOf(raw({ host: 'evil.example' }))).toBe(421)
      expect((await ada.send('/api/ws')).status).toBe(404)
      const plain = await fetch(`http://127.0.0.1:${live.port}/api/ws`, {
        headers: { host: 'rooms.example.com', origin: ORIGIN, cookie: cookiesOf(ada) },
      })
      expect(plain.status).toBe(400)
      const posted = await fetch(`http://127.0.0.1:${live.port}/api/ws`, {
        method: 'POST',
        headers: { host: 'rooms.example.com', origin: ORIGIN },
      })
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
      expect(await statusOf(raw({ cookie: `${cookiesOf(ada)}; ${cookiesOf(ada)}` }))).toBe(400)
    })

    test('R18.1: an unknown subprotocol is closed with 4400 and consumes no ticket', async () => {
      for (const protocol of ['latchkey.v2', 'graphql-ws', null]) {
        const socket = raw({ protocol })
        expect(await statusOf(socket)).toBe(101)
        expect(await socket.closed).toBe(4400)
        expect(socket.texts).toEqual([])
      }
      const ticket = await ticketFor(ada)
      expect(await byTicket(ticket, { protocol: `latchkey.ticket.${ticket}` }).closed).toBe(4400)
      expect(await welcome(byTicket(ticket))).toMatchObject({ protocol: 'latchkey.v1' })
    })

    test('R18.2b: the response names the subprotocol and never the ticket', async () => {
      const head = await byTicket(await ticketFor(ada)).head
      expect(head).toMatch(/sec-websocket-protocol: latchkey\.v1\r?$/im)
      expect(head).not.toContain('latchkey.ticket')
    })

    test('R18.2c: a client without a session, or with an ended one, gets the reason on the socket, and nothing else', async () => {
      const bob = await member(service, 'Bob')
      const cases: [string | null, string][] = [
        [null, 'signed_out'],
        [`__Host-latchkey_session=${'A'.repeat(43)}`, 'signed_out'],
        ['__Host-latchkey_session=nonsense', 'signed_out'],
      ]
      for (const [cookie, reason] of cases) {
        const socket = live.connect(ada, { cookie: cookie ?? '' })
        expect(await socket.closed).toEqual({ code: 4401, reason })
        expect(socket.frames).toEqual([])
      }
      const cookie = cookiesOf(bob.browser)
      await bob.browser.json('/api/auth/logout', { body: {} })
      expect(await live.connect(bob.browser, { cookie }).closed).toEqual({ code: 4401, reason: 'signed_out' })
    })

    test('R18.8: an invalid ticket is answered with the reason of its own session, whatever cookie is sent with it', async () => {
      const readCloseReason = async (ticket: string, cookie?: string) => {
        const protocols = ['latchkey.v1', `latchkey.ticket.${ticket}`]
        const socket = live.connect(ada, { origin: null, protocols, cookie: cookie ?? '' })
        return (await socket.closed).reason
      }
      const [root, bob] = [await admin(service), await member(service, 'Bob')]
      const used = await ticketFor(bob.browser)
      await welcome(byTicket(used))
      for (const nothing of [used, 'A'.repeat(43), 'x'])
        for (const cookie of ['', cookiesOf(ada)])
          expect(await readCloseReason(nothing, cookie)).toBe('signed_out')
      const orphan = await ticketFor(bob.browser)
      const address = `/api/admin/users/${bob.user.id}/status`
      await root.browser.json(address, { method: 'PATCH', body: { disabled: true } })
      expect(await readCloseReason(orphan, cookiesOf(ada))).toBe('disabled')
      const carol = await member(service, 'Carol')
      const revoked = await ticketFor(carol.browser)
      await root.browser.json(`/api/admin/users/${carol.user.id}/revoke-sessions`, { method: 'POST' })
      expect(await readCloseReason(revoked)).toBe('revoked')
      const dan = await member(service, 'Dan')
      const [shut, cookie] = [await ticketFor(dan.browser), cookiesOf(dan.browser)]
      await service.rooms.database.write((tx) =>
        tx.updateTable('users').set({ disabled: 1 }).where('id', '=', dan.user.id).execute(),
      )
      expect(await readCloseReason(shut)).toBe('disabled')
      expect(await live.connect(dan.browser, { cookie }).closed).toEqual({ code: 4401, reason: 'disabled' })
    })

    test('R28.19: a subscribe that is sent as the socket opens is answered', async () => {
      const owner = await member(service)
      const { id } = await createRoom(owner)
      const socket = live.connect(owner.browser)
      await socket.opened
      socket.send({ type: 'subscribe', id: 'first', roomId: id })
      expect(await socket.of('subscribed')).toMatchObject({ id: 'first', roomId: id, role: 'owner' })
      expect(socket.frames[0]).toMatchObject({ type: 'welcome' })
    })

    test('R18.1a, R28.19: sockets that disconnect during the session lookup leave no trace', async () => {
      const { hub } = service.rooms
      await until(() => hub.registry.size === 0)
      const sockets = Array.from({ length: 30 }, () => raw())
      for (const [i, socket] of sockets.entries()) setTimeout(() => socket.destroy(), i % 6)
      await until(() => sockets.every((socket) => socket.isDestroyed))
      // A later socket is served as usual, and is the only one left after all lookups.
      expect(await welcome(raw())).toMatchObject({ type: 'welcome' })
      await until(() => hub.registry.size === 1)
    })

    test('C130: a frame over 16 KiB is closed with 4413, a much larger one with 1009, and neither is processed', async () => {
      const over = raw()
      await welcome(over)
      over.write(RawSocket.frame(JSON.stringify({ type: 'ping', id: 'x'.repeat(16_384) })))
      expect(await over.closed).toBe(4413)
      // The limit is in bytes, not characters.
      const wide = raw()
      await welcome(wide)
      wide.write(RawSocket.frame(JSON.stringify({ type: 'ping', id: '€'.repeat(6_000) })))
      expect(await wide.closed).toBe(4413)
      const huge = raw()
      await welcome(huge)
      huge.write(RawSocket.frame('x'.repeat(1024 * 1024)))
      expect([1009, 1006]).toContain(await huge.closed)
      const fits = raw()
      await welcome(fits)
      fits.write(RawSocket.frame(JSON.stringify({ type: 'ping', id: '1', x: 'x'.repeat(16_000) })))
      await until(() => fits.texts.length > 1)
      expect(JSON.parse(fits.texts[1] ?? '')).toEqual({ type: 'error', id: '1', code: 'invalid_request' })
    })

    test('C130: endless fragments are closed or have no effect', async () => {
      const full = raw()
      await welcome(full)
      full.write(RawSocket.frame('x'.repeat(1000), { isLast: false }))
      for (let i = 0; i < 100; i++)
        full.write(RawSocket.frame('x'.repeat(1000), { opcode: 0, isLast: false }))
      expect([1009, 1006]).toContain(await full.closed)
      const empty = raw()
      await welcome(empty)
      empty.write(RawSocket.frame('', { isLast: false }))
      empty.write(
        Buffer.concat(
          Array.from({ length: 10_000 }, () => RawSocket.frame('', { opcode: 0, isLast: false })),
        ),
      )
      expect(await welcome(raw())).toMatchObject({ type: 'welcome' })
      expect(empty.texts).toHaveLength(1)
    })

    test('C130: a flood of pings or pongs is closed with 4429', async () => {
      for (const opcode of [0x9, 0xa]) {
        const socket = raw()
        await welcome(socket)
        for (let i = 0; i < 300; i++) socket.write(RawSocket.frame('', { opcode }))
        expect(await socket.closed).toBe(4429)
      }
    })

    test('C130: JSON that is nested 8,000 levels deep is malformed and does no harm', async () => {
      const socket = raw()
      await welcome(socket)
      socket.write(RawSocket.frame('['.repeat(8_000) + ']'.repeat(8_000)))
      socket.write(
        RawSocket.frame(`{"type":"ping","id":"1","x":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`),
      )
      socket.write(RawSocket.frame('['.repeat(16_000)))
      await until(() => socket.texts.length === 4)
      expect(socket.texts.slice(1).map((text) => (JSON.parse(text) as { code: string }).code)).toEqual(
        Array.from({ length: 3 }, () => 'invalid_request'),
      )
    })
  })

  describe('limits of sockets', () => {
    const open = async (limits: Partial<Record<LimitName, number>>, settings: Partial<Settings> = {}) => {
      const service = await rooms({ url: await newUrl(), limits, settings })
      const live = listen(service.rooms)
      alsoClose(() => live.stop())
      return { service, live }
    }

    test('R22 R28.9: concurrent connects exceed neither the limit of guests nor the limit of sockets', async () => {
      const { service, live } = await open({ guest_sockets_prefix: 2, sockets_total: 5 })
      const ip = '203.0.113.9'
      const guests = await Promise.all(Array.from({ length: 8 }, (_, i) => guest(service, `Guest ${i}`, ip)))
      const openOf = async (browsers: readonly Browser[]) => {
        // Their sessions must be extended, in one batch: all are admitted by the same response.
        service.clock.ms += 600_000
        const opened = await Promise.all(browsers.map((browser) => live.connect(browser).opened))
        return opened.filter(Boolean).length
      }
      expect(await openOf(guests.map(({ browser }) => browser))).toBe(2)
      const members = await Promise.all(Array.from({ length: 8 }, (_, i) => member(service, `Member ${i}`)))
      expect(await openOf(members.map(({ browser }) => browser))).toBe(3)
      expect(service.rooms.hub.registry.size).toBe(5)
    })

    if (dialect === 'postgres') return

    test('R22: the oldest sockets over the limit of a session or a user are closed with 4409', async () => {
      const { service, live } = await open({ sockets_session: 2, sockets_user: 3 })
      const ada = await member(service)
      const other = await browserOf(service, ada.user)
      const first = live.connect(ada.browser)
      await first.of('welcome')
      const second = live.connect(ada.browser)
      await second.of('welcome')
      const third = live.connect(ada.browser)
      await third.of('welcome')
      expect((await first.closed).code).toBe(4409)
      const fourth = live.connect(other)
      await fourth.of('welcome')
      await Promise.all([second, third, fourth].map((socket) => socket.settle()))
      const fifth = live.connect(other)
      await fifth.of('welcome')
      expect((await second.closed).code).toBe(4409)
      await Promise.all([third, fourth, fifth].map((socket) => socket.settle()))
    })

    test('R22: connects over the rate of a session, guests over the limit of an address, and sockets over the limit of the service are refused before the upgrade', async () => {
      const { service, live } = await open({
        socket_connects_per_minute: 2,
        guest_sockets_prefix: 1,
        sockets_total: 4,
      })
      const status = async (browser: Browser, ip?: string) => {
        const answer = await fetch(`http://127.0.0.1:${live.port}/api/ws`, {
          headers: {
            host: 'rooms.example.com',
            origin: ORIGIN,
            cookie: cookiesOf(browser),
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-protocol': 'latchkey.v1',
            ...(ip && { 'x-forwarded-for': ip }),
          },
        })
        return [answer.status, answer.headers.get('retry-after') !== null]
      }
      const ada = await member(service)
      for (let i = 0; i < 2; i++) await live.connect(ada.browser).of('welcome')
      expect(await status(ada.browser)).toEqual([429, true])
      service.clock.ms += 60_000
      const [gus, gil] = [await guest(service, 'Gus'), await guest(service, 'Gil')]
      await live.connect(gus.browser).of('welcome')
      expect(await status(gil.browser)).toEqual([429, true])
      const bob = await member(service, 'Bob')
      await live.connect(bob.browser).of('welcome')
      expect(await status(bob.browser)).toEqual([503, true])
    })

    test('R22.3: guests of one network leave half of the remaining sockets to others', async () => {
      const { service, live } = await open({ sockets_total: 8 }, { proxyHeader: 'x-forwarded-for' })
      const opens = async ({ browser }: { browser: Browser }, ip: string) => {
        const { opened } = live.connect(browser, { headers: { 'x-forwarded-for': ip } })
        return opened
      }
      const line = []
      for (let n = 0; n < 6; n++) line.push(await opens(await guest(service), `2001:db8:0:${n}::1`))
      // The limit is eight. A /56 stops at a quarter of the remainder.
      expect(line).toEqual([true, true, false, false, false, false])
      expect(await opens(await guest(service), '2001:db8:1::1')).toBe(true)
      expect(await opens(await guest(service), '192.0.2.1')).toBe(true)
      for (let n = 0; n < 4; n++) expect(await opens(await member(service), '2001:db8:0:1::1')).toBe(true)
      expect(service.rooms.hub.registry.size).toBe(8)
    })

    test('R28.9: invented cookies do not have their own limit', async () => {
      const { service, live } = await open({ socket_connects_per_minute: 3 })
      const codes: number[] = []
      for (let i = 0; i < 5; i++) {
        const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
        const socket = live.connect(service.browser(), { cookie: `__Host-latchkey_session=${token}` })
        codes.push((await socket.closed).code)
      }
      expect(codes.slice(0, 3)).toEqual([4401, 4401, 4401])
      expect(codes.slice(3)).not.toContain(4401)
    })

    test('R19.3: a node that stops closes its sockets with 1012 and refuses new ones', async () => {
      const { service, live } = await open({})
      const ada = await member(service)
      const socket = live.connect(ada.browser)
      await socket.of('welcome')
      await service.rooms.hub.stop()
      expect(await socket.closed).toEqual({ code: 1012, reason: 'restarting' })
      const late = live.connect(ada.browser)
      expect(await late.opened).toBe(false)
    })
  })
})
