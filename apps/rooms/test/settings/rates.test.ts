import { expect, test } from 'bun:test'
import { apiOperations } from '../../src/operations.ts'
import { createRoom, member, refusal } from '../actions.ts'
import { listen } from '../realtime/live.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { ALL_OFF, MESH, enter, sendJoin } from '../voice/call.ts'

const ID = '11111111-2222-4333-8444-555555555555'

/** Requests of all operations that change a room and do not have their own limit. */
const ROOM_WRITES: readonly [method: string, path: string, body?: unknown][] = [
  ['POST', '/join'],
  ['DELETE', '/leave'],
  ['PATCH', '/settings', { name: 'Mine' }],
  ['PUT', '/archive'],
  ['DELETE', '/archive'],
  ['PUT', '/read', { seq: 1 }],
  ['PUT', '/notifications', { level: 'all' }],
  ['DELETE', ''],
  ['PUT', '/membership'],
  ['DELETE', '/membership'],
  ['PUT', '/preferences', { starred: true }],
  ['PUT', '/draft', { content: 'Hello' }],
  ['DELETE', '/draft'],
  ['PUT', '/groups', { groups: [] }],
  ['DELETE', `/messages/${ID}`],
  ['PATCH', `/messages/${ID}`, { content: 'Hello' }],
  ['PUT', `/messages/${ID}/pin`],
  ['DELETE', `/messages/${ID}/pin`],
  ['PATCH', `/members/${ID}`, { role: 'speaker' }],
  ['POST', `/members/${ID}/remove`, { action: 'ban' }],
  ['DELETE', `/bans/${ID}`],
  ['DELETE', `/invitations/${ID}`],
  ['POST', '/ownership-transfer', { userId: ID }],
  ['DELETE', '/ownership-transfer'],
  ['POST', '/ownership-transfer/decline'],
  ['POST', '/ownership-transfer/confirm'],
  ['POST', '/voice', { connectionId: 'c' }],
  ['DELETE', '/voice'],
  ['POST', '/voice/decline', { callId: 'c' }],
  ['POST', `/voice/people/${ID}`, { action: 'mute' }],
  ['POST', `/api/room-invitations/${ID}/accept`],
  ['POST', `/api/room-invitations/${ID}/decline`],
]

/** Sends until a request is refused, and returns the number of earlier ones. */
async function untilRefused(send: () => Promise<Response>): Promise<number> {
  for (let passed = 0; ; passed++) {
    const response = await send()
    if (response.status !== 429) continue
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusal(response)).toEqual([429, 'rate_limited'])
    return passed
  }
}

async function withRooms(
  limits: NonNullable<Parameters<typeof openRooms>[0]>['limits'] & {},
  work: (rooms: TestRooms) => Promise<void>,
): Promise<void> {
  const rooms = await openRooms({ limits, settings: { voice: MESH } })
  await work(rooms)
  await rooms.close()
}

const ask = (browser: Browser) => () => browser.send('/api/config')

test('R22, R22.1: http_per_minute counts requests per session', () =>
  withRooms({ http_per_minute: 12, http_anonymous_per_minute: 5 }, async (rooms) => {
    const one = await rooms.signedInBrowser({ sub: 'one', name: 'One' })
    const two = await rooms.signedInBrowser({ sub: 'one', name: 'One' })
    expect(await untilRefused(ask(one))).toBe(12)
    expect(await untilRefused(ask(two))).toBe(12)
    rooms.clock.ms += 60_000
    expect(await untilRefused(ask(one))).toBe(12)
  }))

test('R22: http_anonymous_per_minute counts requests without a live session per prefix, whatever cookies and addresses they invent', () =>
  withRooms({ http_anonymous_per_minute: 7 }, async (rooms) => {
    let n = 0
    const send = () => {
      const browser = rooms.browser({ ip: '2001:db8::1' })
      browser.cookies.set('__Host-latchkey_session', Buffer.alloc(32, ++n).toString('base64url'))
      return browser.send('/api/config', { headers: { 'x-forwarded-for': `10.0.0.${n}` } })
    }
    expect(await untilRefused(send)).toBe(7)
    expect(await untilRefused(ask(rooms.browser({ ip: '2001:db8::2' })))).toBe(0)
    expect(await untilRefused(ask(rooms.browser({ ip: '2001:db8:0:1::1' })))).toBe(7)
    // Members at the same address are not counted with them.
    const user = await rooms.signedInBrowser(undefined, { ip: '2001:db8::1' })
    expect((await user.send('/api/config')).status).toBe(200)
  }))

test('R22: http_anonymous_per_minute also counts addresses that do not exist', () =>
  withRooms({ http_anonymous_per_minute: 3 }, async (rooms) => {
    expect(await untilRefused(() => rooms.browser().send('/api/nothing-here'))).toBe(3)
  }))

test('R22: exports_per_hour counts per user, on all devices', () =>
  withRooms({ exports_per_hour: 3 }, async (rooms) => {
    const one = await rooms.signedInBrowser({ sub: 'one', name: 'One' })
    const two = await rooms.signedInBrowser({ sub: 'one', name: 'One' })
    const other = await rooms.signedInBrowser({ sub: 'two', name: 'Two' })
    const read = (browser: Browser) => () => browser.send('/api/account/export')
    expect(await untilRefused(read(one))).toBe(3)
    expect(await untilRefused(read(two))).toBe(0)
    expect(await untilRefused(read(other))).toBe(3)
  }))

test('R22: body_bytes limits the body of a request', () =>
  withRooms({ body_bytes: 100 }, async (rooms) => {
    const send = (nickname: string) => rooms.browser().send('/api/session', { body: { nickname } })
    expect(await refusal(await send('x'.repeat(90)))).toEqual([413, 'too_large'])
    expect(await refusal(await send(`Gustav${' '.repeat(79)}`))).toEqual([201, undefined])
  }))

test('R22: admin_writes_per_minute counts writes per user, not reads', () =>
  withRooms({ admin_writes_per_minute: 4 }, async (rooms) => {
    const admin = await rooms.signedInBrowser()
    const again = await rooms.signedInBrowser()
    const write = (browser: Browser) => () =>
      browser.send('/api/admin/settings', { method: 'PATCH', body: {} })
    for (let n = 0; n < 10; n++) expect((await admin.send('/api/admin/settings')).status).toBe(200)
    expect(await untilRefused(write(admin))).toBe(4)
    expect(await untilRefused(write(again))).toBe(0)
    expect((await admin.send('/api/admin/settings')).status).toBe(200)
  }))

test('R22: search_per_minute counts searches per user, but not lists and their pages', () =>
  withRooms({ search_per_minute: 3 }, async (rooms) => {
    const admin = await rooms.signedInBrowser()
    for (let n = 0; n < 10; n++) expect((await admin.send('/api/admin/users')).status).toBe(200)
    expect(await untilRefused(() => admin.send('/api/admin/users?q=alice'))).toBe(3)
    expect((await admin.send('/api/admin/users')).status).toBe(200)
  }))

const MISSING_ROOM = `/api/rooms/${ID}`

test('R22: room_writes_per_minute counts changes of rooms per user, on all devices, and refuses before the room is looked up', () =>
  withRooms({ room_writes_per_minute: 6 }, async (rooms) => {
    const one = await rooms.signedInBrowser({ sub: 'one', name: 'One' })
    const other = await rooms.signedInBrowser({ sub: 'one', name: 'One' })
    for (const [method, path, body] of ROOM_WRITES) {
      const sent = { method, ...(body !== undefined && { body }) }
      const send = () => one.send(path.startsWith('/api') ? path : MISSING_ROOM + path, sent)
      expect([path, await untilRefused(send)]).toEqual([path, 6])
      expect((await other.send(`${MISSING_ROOM}/join`, { method: 'POST' })).status).toBe(429)
      // Reads, and operations with their own limits, are still allowed.
      expect((await one.send('/api/rooms')).status).toBe(200)
      expect((await one.send(`${MISSING_ROOM}/messages`, { body: { content: 'Hello' } })).status).toBe(404)
      rooms.clock.ms += 60_000
    }
    const two = await rooms.signedInBrowser({ sub: 'two', name: 'Two' })
    expect((await two.send(`${MISSING_ROOM}/join`, { method: 'POST' })).status).toBe(404)
  }))

test('R22: room_writes_per_minute counts rooms entered over a socket together with those entered over HTTP', () =>
  withRooms({ room_writes_per_minute: 3 }, async (rooms) => {
    const live = listen(rooms.rooms)
    const one = await rooms.signedInBrowser({ sub: 'one', name: 'One' })
    const { id: roomId } = await createRoom({ browser: one })
    const socket = live.connect(one)
    expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
    expect((await one.send(`/api/rooms/${roomId}/join`, { method: 'POST' })).status).toBe(200)
    expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
    expect(await socket.subscribe(roomId)).toMatchObject({ type: 'error', code: 'rate_limited' })
    expect((await one.send(`/api/rooms/${roomId}/join`, { method: 'POST' })).status).toBe(429)
    expect(await socket.ask({ type: 'voice.state', roomId, ...ALL_OFF })).toMatchObject({
      code: 'rate_limited',
    })
    // Leaving over the socket is not counted, nor are pings.
    expect(await socket.ask({ type: 'unsubscribe', roomId })).toMatchObject({ type: 'unsubscribed' })
    rooms.clock.ms += 60_000
    expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
    socket.close()
    await live.stop()
  }))

test('R22: voice_joins_per_minute counts the joins of a person, and voice_signals_per_10s the frames of a socket in a call', () =>
  withRooms(
    { voice_joins_per_minute: 2, voice_signals_per_10s: 90, socket_messages_per_10s: 60 },
    async (rooms) => {
      const live = listen(rooms.rooms)
      const owner = await member(rooms)
      const { id: roomId } = await createRoom(owner)
      const caller = await enter(live, owner, roomId)
      for (let joins = 0; joins < 2; joins++) expect((await sendJoin(caller, roomId)).status).toBe(200)
      expect((await sendJoin(caller, roomId)).status).toBe(429)
      const socket = caller.socket
      for (let frames = 0; frames < 70; frames++) socket.send({ type: 'typing', roomId, active: true })
      await socket.settle()
      for (let frames = 0; frames < 30; frames++) socket.send({ type: 'typing', roomId, active: true })
      expect((await socket.closed).code).toBe(4429)
      await live.stop()
    },
  ))

test('every operation that changes a room has its own limit or the common one', () => {
  const writes = apiOperations.filter(
    ({ methods, path }) => methods[0] !== 'GET' && /\{id\}|^\/room-/.test(path),
  )
  const inRooms = writes.filter(({ path }) => path.startsWith('/room')).map(({ id }) => id)
  expect(inRooms.length).toBe(
    ROOM_WRITES.length +
      ['postMessage', 'uploadFile', 'addReaction', 'removeReaction', 'inviteUser', 'createInvitationLink']
        .length,
  )
})
