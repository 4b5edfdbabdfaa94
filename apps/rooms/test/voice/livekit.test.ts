// Calls that a LiveKit server carries, with its own server and client.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type Live, cookiesOf, listen } from '../realtime/live.ts'
import { ORIGIN, type TestRooms, openRooms } from '../rooms.ts'
import { createHash } from 'node:crypto'
import { SignJWT, decodeJwt } from 'jose'
import { WEBHOOK_PATH } from '../../src/livekit-webhook.ts'
import { until } from '../until.ts'
import { changeSettings, guest, member, readEvents, refusal } from '../actions.ts'
import { type Caller, MESH, enter, leaveCall, moderate, sendJoin, setState, threeInCall } from './call.ts'
import { ENDS } from './ends.ts'
import { CallClient, type LiveKitJoined, asBrowser, joinLiveKit } from './livekit-client.ts'
import { type LiveKitServer, livekitProgram, livekitServer } from './livekit-server.ts'

describe.skipIf(!livekitProgram)('calls that LiveKit carries', () => {
  let server: LiveKitServer
  let rooms: TestRooms
  let live: Live
  let webhooks: Bun.Server<undefined>
  let clock: ReturnType<typeof setInterval>
  const closing: (() => unknown)[] = []
  beforeAll(async () => {
    webhooks = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => rooms.rooms.fetch(request, { requestIP: () => null }),
    })
    server = await livekitServer({ webhook: `${webhooks.url.origin}${WEBHOOK_PATH}` })
    rooms = await openRooms({
      settings: { voice: { ...MESH, mode: 'livekit', guests: 'speak', livekit: server.settings } },
      limits: { voice_joins_per_minute: 1000 },
    })
    // LiveKit has the time of the machine.
    rooms.clock.ms = Date.now()
    clock = setInterval(() => (rooms.clock.ms = Date.now()), 50)
    live = listen(rooms.rooms)
    rooms.rooms.hub.start()
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    await rooms.rooms.hub.stop()
    await live.stop()
    await rooms.close()
    clearInterval(clock)
    await server.kill()
    await webhooks.stop(true)
  })

  const identityOf = ({ user, connectionId }: Caller) => `${user.id}:${connectionId}`

  const roomOf = ({ token }: LiveKitJoined) => (decodeJwt(token)['video'] as { room: string }).room

  async function identitiesIn(joined: LiveKitJoined): Promise<string[]> {
    return (await server.api.listParticipants(roomOf(joined))).map(({ identity }) => identity)
  }

  /** Connects LiveKit's client past our gate, as where browsers reach LiveKit directly. */
  async function connectDirectly({ token }: Pick<LiveKitJoined, 'token'>): Promise<CallClient> {
    const client = await new CallClient().connect(server.settings.url.replace('http', 'ws'), token)
    closing.push(() => client.close())
    return client
  }

  /** Token for a program with any rights, as someone with the key of LiveKit can sign one. */
  function signAs(identity: string, video: Record<string, unknown>, claims: Record<string, unknown> = {}) {
    const exp = Math.floor(Date.now() / 1000) + 60
    return new SignJWT({ exp, ...claims, video: { roomJoin: true, ...video } })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(server.settings.key)
      .setSubject(identity)
      .sign(new TextEncoder().encode(server.settings.secret))
  }

  /** Connects LiveKit's client of someone in the call, through our gate. */
  async function connect(caller: Caller, roomId: string, joined?: LiveKitJoined): Promise<CallClient> {
    const { token } = joined ?? (await joinLiveKit(caller, roomId))
    const side = asBrowser(live.port, caller)
    closing.push(() => side.stop())
    const client = await new CallClient().connect(side.url, token)
    closing.push(() => client.close())
    return client
  }

  /** Owner, speaker and listener with connected clients; the speaker talks and the owner waitForSound it. */
  async function talking(settings: Record<string, unknown> = {}) {
    const call = await threeInCall(rooms, live, settings)
    const { roomId, owner, speaker, listener } = call
    const joined = await joinLiveKit(speaker, roomId)
    const ownerClient = await connect(owner, roomId)
    const speakerClient = await connect(speaker, roomId, joined)
    await speakerClient.speak()
    await ownerClient.waitForSound(identityOf(speaker))
    return { ...call, joined, ownerClient, speakerClient, listener }
  }

  test('R33.1b: LiveKit carries sound and pictures between people in a call', async () => {
    const { roomId, speaker, listener, speakerClient } = await talking()
    const hearing = await connect(listener, roomId)
    await hearing.waitForSound(identityOf(speaker))
    await setState(speaker, roomId, { audio: true, camera: true })
    await speakerClient.show()
    await until(() => (hearing.seen.get(identityOf(speaker)) ?? 0) > 5)
  })

  test('R33.4d: a token names the connection, lives a minute, and carries no other rights', async () => {
    const { roomId, speaker, listener } = await threeInCall(rooms, live)
    const claimsOf = async (caller: Caller) => decodeJwt((await joinLiveKit(caller, roomId)).token)
    const { sub, iat, exp, video, ...others } = await claimsOf(speaker)
    expect(sub).toBe(identityOf(speaker))
    expect(Number(exp) - Number(iat)).toBe(60)
    expect(Object.keys(others)).toEqual(['iss'])
    const rights = {
      room: expect.stringContaining(roomId),
      roomJoin: true,
      canSubscribe: true,
      canPublishData: false,
      canUpdateOwnMetadata: false,
    }
    const all = ['microphone', 'camera', 'screen_share', 'screen_share_audio']
    expect(video).toEqual({ ...rights, canPublish: true, canPublishSources: all })
    expect((await claimsOf(listener))['video']).toEqual({
      ...rights,
      canPublish: false,
      canPublishSources: [],
    })
  })

  test('R33.4: a listener cannot publish, whatever token they keep', async () => {
    const { roomId, speaker, owner, joined, ownerClient } = await talking()
    await manageRole(owner, roomId, speaker, 'listener')
    await speaker.socket.of('voice.removed')
    await until(() => !ownerClient.room.remoteParticipants.has(identityOf(speaker)))
    expect((await joinLiveKit(speaker, roomId)).grants.audio).toBe(false)
    // The token from the time as a speaker opens the gate, and gives the rights of a listener.
    const client = await connect(speaker, roomId, joined)
    const before = ownerClient.loudFrames.get(identityOf(speaker))
    const speaking = client.speak().catch(() => {})
    // Others see a participant when its media are connected, which may take seconds.
    await until(() => ownerClient.room.remoteParticipants.has(identityOf(speaker)))
    // LiveKit refuses the track, or never answers.
    await Promise.race([speaking, Bun.sleep(1_000)])
    expect(ownerClient.loudFrames.get(identityOf(speaker))).toBe(before ?? 0)
    expect(ownerClient.room.remoteParticipants.get(identityOf(speaker))?.trackPublications.size).toBe(0)
  })

  for (const { what, act } of ENDS)
    test(`R33.5b, R33.5e: ${what} ends the media within two seconds, and the token opens nothing`, async () => {
      const call = await talking()
      const { roomId, speaker, joined, ownerClient, speakerClient } = call
      await setState(speaker, roomId, { audio: true, camera: true })
      await act(rooms, call)
      const endedAt = performance.now()
      await until(() => speakerClient.isDisconnected)
      expect(performance.now() - endedAt).toBeLessThan(2_000)
      const before = ownerClient.loudFrames.get(identityOf(speaker)) ?? 0
      expect(await isRefused(connect(speaker, roomId, joined))).toBe(true)
      expect(await identitiesIn(joined)).not.toContain(identityOf(speaker))
      expect(ownerClient.loudFrames.get(identityOf(speaker)) ?? 0).toBeLessThan(before + 10)
    })

  test('R33.5: a room that becomes private, and one without guests, end the media of visitors', async () => {
    const changes = [{ voiceGuests: 'listen' }, { allowGuests: false }, { visibility: 'private' }]
    for (const change of changes) {
      const settings = { defaultRole: 'speaker', voiceGuests: 'speak' }
      const { roomId, owner, ownerClient } = await talking(settings)
      const visitor = await enter(live, await guest(rooms), roomId)
      const client = await connect(visitor, roomId)
      await client.speak()
      await ownerClient.waitForSound(identityOf(visitor))
      await changeSettings(owner, roomId, change)
      const endedAt = performance.now()
      await until(() => client.isDisconnected)
      expect(performance.now() - endedAt).toBeLessThan(2_000)
    }
  })

  test('R33.4c: two tabs of a person are two participants, and one leaves without the other', async () => {
    const { roomId, speaker, joined, ownerClient } = await talking()
    const tab = await enter(live, speaker, roomId)
    const client = await connect(tab, roomId)
    await client.speak()
    await ownerClient.waitForSound(identityOf(tab))
    await leaveCall(speaker, roomId, `?connectionId=${speaker.connectionId}`)
    await until(async () => !(await identitiesIn(joined)).includes(identityOf(speaker)))
    await ownerClient.waitForSound(identityOf(tab))
    expect(client.isDisconnected).toBe(false)
  })

  test('R33.5c: the gate takes the token where browsers put it, and says why it is closed', async () => {
    const { roomId, speaker, joined } = await talking()
    const origin = `http://127.0.0.1:${live.port}`
    const headers = { host: new URL(ORIGIN).host, cookie: cookiesOf(speaker.browser) }
    const ask = async (path: string, more: Record<string, string> = {}) =>
      (await fetch(`${origin}/api/livekit${path}`, { headers: { ...headers, ...more } })).status
    const query = `access_token=${joined.token}&protocol=16`
    expect(await ask(`/rtc/validate?${query}`)).toBe(200)
    expect(await ask(`/rtc/validate?${query}`, { cookie: '' })).toBe(401)
    expect(await ask(`/rtc/validate?${query}`, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await ask('/rtc/validate?access_token=x')).toBe(403)
    expect(await ask(`/rtc?${query}`)).toBe(400)
    // Other paths of LiveKit cannot be reached.
    expect(await ask(`/twirp/livekit.RoomService/ListRooms?${query}`)).toBe(404)
    const options = { headers: { ...headers, origin: ORIGIN } } as unknown as string[]
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/livekit/rtc?${query}`, options)
    const first = await new Promise((resolve) => {
      socket.addEventListener('message', () => resolve('a frame of LiveKit'))
      socket.addEventListener('close', () => resolve('closed'))
    })
    expect(first).toBe('a frame of LiveKit')
    socket.close()
    await leaveCall(speaker, roomId)
    expect(await ask(`/rtc/validate?${query}`)).toBe(409)
  })

  test('R33.5b: a kept token that reaches LiveKit directly is found within two seconds', async () => {
    const { roomId, speaker, joined, speakerClient } = await talking()
    await leaveCall(speaker, roomId)
    await until(() => speakerClient.isDisconnected)
    const client = await connectDirectly(joined)
    const connectedAt = performance.now()
    await until(() => client.isDisconnected)
    expect(performance.now() - connectedAt).toBeLessThan(2_500)
  })

  test('R33.5d: a kept token gives no more than the rights of this moment, directly at LiveKit either', async () => {
    const { roomId, owner, speaker, joined, ownerClient } = await talking()
    await manageRole(owner, roomId, speaker, 'listener')
    await speaker.socket.of('voice.removed')
    await joinLiveKit(speaker, roomId)
    const client = await connectDirectly(joined)
    // Accepted for a moment, or refused by silence.
    void client.speak().catch(() => {})
    await until(async () => {
      const [participant] = (await server.api.listParticipants(roomOf(joined))).filter(
        ({ identity }) => identity === identityOf(speaker),
      )
      return participant?.permission?.can_publish === false && participant.tracks.length === 0
    })
    const before = ownerClient.loudFrames.get(identityOf(speaker))
    await Bun.sleep(300)
    expect(ownerClient.loudFrames.get(identityOf(speaker))).toBe(before ?? 0)
    expect(client.isDisconnected).toBe(false)
  })

  test('R33.5c: the gate is open only to the session, the origin and the connection of the token', async () => {
    const { roomId, owner, speaker, joined } = await talking()
    const { token } = joined
    const gate = async (who: Caller, text: string, origin?: string) => {
      const side = asBrowser(live.port, who, origin)
      closing.push(() => side.stop())
      return isRefused(new CallClient().connect(side.url, text))
    }
    const video = { room: roomOf(joined), canPublish: true }
    const stranger = await enter(live, await member(rooms), roomId)
    for (const refused of [
      await gate(owner, token),
      await gate(speaker, token, 'https://evil.example'),
      await gate({ ...speaker, browser: rooms.browser() as Caller['browser'] }, token),
      await gate(speaker, `${token.slice(0, -4)}AAAA`),
      await gate(speaker, await signAs(identityOf(owner), video)),
      await gate(stranger, await signAs(identityOf(stranger), video)),
      await gate(speaker, await signAs(identityOf(speaker), { ...video, room: 'of-others' })),
      await gate(speaker, await signAs(identityOf(speaker), video, { exp: Date.now() / 1000 - 15 })),
    ])
      expect(refused).toBe(true)
    expect(await gate(speaker, token)).toBe(false)
  })

  test('R33.3: connections do not signal to each other, and moderators mute at LiveKit', async () => {
    const { roomId, owner, speaker, joined, ownerClient } = await talking()
    const description = { type: 'offer', sdp: 'v=0' }
    const signal = { type: 'voice.signal', roomId, to: speaker.connectionId, description }
    expect(await owner.socket.ask(signal)).toMatchObject({ type: 'error', code: 'forbidden' })
    await setState(speaker, roomId, { audio: true })
    await moderate(owner, roomId, speaker, 'mute')
    await until(async () =>
      (await server.api.listParticipants(roomOf(joined))).some(({ tracks }) => tracks[0]?.muted === true),
    )
    const before = ownerClient.loudFrames.get(identityOf(speaker)) ?? 0
    await Bun.sleep(300)
    expect(ownerClient.loudFrames.get(identityOf(speaker))).toBeLessThan(before + 10)
    expect(await identitiesIn(joined)).toContain(identityOf(speaker))
  })

  test('R33.4: a listener who becomes a speaker speaks without joining again', async () => {
    const { roomId, owner, listener, ownerClient, joined } = await talking()
    const client = await connect(listener, roomId)
    await manageRole(owner, roomId, listener, 'speaker')
    await listener.socket.frame(
      ({ type, peer }) => type === 'voice.changed' && JSON.stringify(peer).includes('"audio":true'),
    )
    await until(async () => {
      const participants = await server.api.listParticipants(roomOf(joined))
      return participants.every(({ permission }) => permission?.can_publish === true)
    })
    await client.speak()
    await ownerClient.waitForSound(identityOf(listener))
  })

  test('R33.2: a camera that was not announced is muted', async () => {
    const { joined, speakerClient, speaker } = await talking()
    await speakerClient.show()
    await until(async () => {
      const participants = await server.api.listParticipants(roomOf(joined))
      const own = participants.find(({ identity }) => identity === identityOf(speaker))
      return own?.tracks.some(({ source, muted }) => source === 'camera' && muted) === true
    })
  })

  test('R33.7: a recorder is removed, announced to all and audited; rooms of others are left alone', async () => {
    const { roomId, owner, joined } = await talking()
    const room = roomOf(joined)
    const rights = { canPublish: false, canSubscribe: true, hidden: true, recorder: true }
    const recorder = await connectDirectly({ token: await signAs('recorder', { room, ...rights }) })
    const agent = await connectDirectly({ token: await signAs('agent', { room }, { kind: 'agent' }) })
    const other = await connectDirectly({ token: await signAs('other', { room: 'of-others', ...rights }) })
    await until(() => recorder.isDisconnected && agent.isDisconnected)
    await owner.socket.of('voice.recorder')
    await until(async () => (await audited(roomId)).length === 2)
    expect(await audited(roomId)).toEqual([
      { participant: 'recorder', kind: 'STANDARD' },
      { participant: 'agent', kind: 'AGENT' },
    ])
    expect(other.isDisconnected).toBe(false)
    expect(await identitiesIn(joined)).toContain(identityOf(owner))
  })

  async function audited(roomId: string): Promise<unknown[]> {
    const rows = await rooms.rooms.database.read
      .selectFrom('audit_events')
      .select('metadata')
      .where('action', '=', 'room.call.remove_recorder')
      .where('target_id', '=', roomId)
      .orderBy('metadata', 'desc')
      .execute()
    // A client that comes back before it knows is removed, and audited, again.
    return [...new Set(rows.map(({ metadata }) => metadata))].map((text) => JSON.parse(text) as unknown)
  }

  test('R33.5f: webhooks cause a look; forged, doubled and late ones do nothing', async () => {
    const { joined } = await talking()
    const countOf = async (result: string) => {
      const line = new RegExp(`livekit_webhooks_total{result="${result}"} (\\d+)`).exec(
        await metricsOf(rooms),
      )
      return Number(line?.[1] ?? 0)
    }
    // LiveKit's own webhooks have arrived.
    await until(async () => (await countOf('applied')) > 0)
    const secret = new TextEncoder().encode(server.settings.secret)
    const send = async (
      event: Record<string, unknown>,
      forgery: { key?: Uint8Array; body?: string } = {},
    ) => {
      const body = JSON.stringify({ event: 'participant_joined', room: { name: roomOf(joined) }, ...event })
      const token = await new SignJWT({ sha256: createHash('sha256').update(body).digest('base64') })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(server.settings.key)
        .setExpirationTime('1m')
        .sign(forgery.key ?? secret)
      const headers = { authorization: token, 'content-type': 'application/webhook+json' }
      const request = { method: 'POST', headers, body: forgery.body ?? body }
      return (await fetch(`${webhooks.url.origin}${WEBHOOK_PATH}`, request)).status
    }
    const createdAt = String(Math.floor(Date.now() / 1000))
    await Bun.sleep(200)
    const [applied, refused, ignored] = [
      await countOf('applied'),
      await countOf('refused'),
      await countOf('ignored'),
    ]
    expect(await send({ id: 'EV_1', createdAt }, { key: new TextEncoder().encode('x'.repeat(40)) })).toBe(401)
    expect(await send({ id: 'EV_1', createdAt }, { body: '{"id":"EV_1"}' })).toBe(401)
    expect(await countOf('refused')).toBe(refused + 2)
    expect(await send({ id: 'EV_2', createdAt: String(Number(createdAt) - 120) })).toBe(200)
    expect(await send({ id: 'EV_3', createdAt, room: { name: 'of-others' } })).toBe(200)
    expect(await countOf('applied')).toBe(applied)
    expect(await send({ id: 'EV_1', createdAt })).toBe(200)
    expect(await send({ id: 'EV_1', createdAt })).toBe(200)
    expect(await countOf('applied')).toBe(applied + 1)
    expect(await countOf('ignored')).toBe(ignored + 3)
  })

  test('R33.3b: without LiveKit no one joins, and the chat goes on', async () => {
    const { roomId, owner, listener } = await threeInCall(rooms, live)
    await leaveCall(listener, roomId)
    await server.kill()
    const events = (await readEvents(owner, roomId)).length
    expect(await refusal(await sendJoin(listener, roomId))).toEqual([503, 'voice_unavailable'])
    expect((await readEvents(owner, roomId)).length).toBe(events)
    expect(
      (await owner.browser.send(`/api/rooms/${roomId}/messages`, { body: { content: 'Hello' } })).status,
    ).toBe(201)
    await until(async () => (await metricsOf(rooms)).includes('latchkey_rooms_livekit_up 0'))
    await server.start()
    expect((await joinLiveKit(listener, roomId)).mode).toBe('livekit')
    await until(async () => (await metricsOf(rooms)).includes('latchkey_rooms_livekit_up 1'))
  })
})

function metricsOf({ rooms }: TestRooms): Promise<string> {
  return rooms.metrics.registry.metrics()
}

/** Whether connecting failed. */
async function isRefused(connecting: Promise<unknown>): Promise<boolean> {
  return connecting.then(
    () => false,
    () => true,
  )
}

function manageRole({ browser }: Caller, roomId: string, target: Caller, role: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/members/${target.user.id}`, { method: 'PATCH', body: { role } })
}
