import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  changeSettings,
  createRoom,
  guest,
  join as joinRoom,
  listedRoom,
  makeMember,
  member,
  readEvents,
  refusal,
} from '../actions.ts'
import { type Live, advance, listen } from '../realtime/live.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { SOURCES } from '../../src/voice/sources.ts'
import { until } from '../until.ts'
import {
  MESH,
  type PeerJson,
  description,
  enter,
  isJoined,
  isLeft,
  joinCall,
  leaveCall,
  moderate,
  sendJoin,
  setState,
  threeInCall,
} from './call.ts'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let live: Live
  beforeAll(async () => {
    rooms = await openRooms({
      url: await newUrl(),
      settings: {
        voice: {
          ...MESH,
          stunUrls: ['stun:stun.example:3478'],
          turn: { urls: ['turn:turn.example'], secret: 'shared' },
        },
      },
      limits: { voice_people_mesh: 3, voice_cameras_mesh: 1, voice_joins_per_minute: 1000 },
    })
    live = listen(rooms.rooms)
  })
  afterAll(async () => {
    await live.stop()
    await rooms.close()
  })

  test('R33.3: a call is over when its last connection has left, and both are in the event log', async () => {
    const { roomId, owner, speaker, listener } = await threeInCall(rooms, live)
    expect((await listedRoom(owner, roomId))?.['call']).toMatchObject({ count: 3 })
    await leaveCall(listener, roomId)
    await leaveCall(speaker, roomId, `?connectionId=${speaker.connectionId}`)
    await owner.socket.frame(isLeft(speaker))
    expect(await listener.socket.of('voice.removed')).toMatchObject({ roomId, reason: 'left' })
    expect((await listedRoom(owner, roomId))?.['call']).toMatchObject({ count: 1 })
    await advance(rooms, 30_000)
    await leaveCall(owner, roomId)
    expect((await listedRoom(owner, roomId))?.['call']).toBeNull()
    const events = (await readEvents(owner, roomId)).filter(({ event }) => event.startsWith('call.'))
    expect(events.map(({ event }) => event)).toEqual(['call.started', 'call.ended'])
    expect(events[0]?.data).toMatchObject({ person: { userId: owner.user.id, nickname: 'Olga' } })
    expect(events[1]?.data).toEqual({ callId: events[0]?.data['callId'], seconds: 30 })
  })

  test('R33.3: a moderator mutes people, lowers their hands and removes them; others may not', async () => {
    const { roomId, owner, speaker, listener } = await threeInCall(rooms, live)
    await setState(speaker, roomId, { audio: true, hand: true })
    expect(await refusal(await moderate(listener, roomId, speaker, 'mute'))).toEqual([403, 'forbidden'])
    await moderate(owner, roomId, speaker, 'mute')
    const isMuted = ({ type, peer }: { type: string; [name: string]: unknown }) =>
      type === 'voice.changed' && (peer as PeerJson).muted
    const notified = await speaker.socket.frame(isMuted)
    expect(notified['peer']).toMatchObject({ connectionId: speaker.connectionId, audio: false })
    await listener.socket.frame(isMuted)
    await moderate(owner, roomId, speaker, 'lower_hand')
    await listener.socket.frame(({ type, hand }) => type === 'voice.hand' && hand === null)
    expect(await setState(speaker, roomId, { audio: true })).toMatchObject({ audio: true })
    await moderate(owner, roomId, speaker, 'remove')
    expect(await speaker.socket.of('voice.removed')).toMatchObject({ reason: 'removed' })
    await listener.socket.frame(isLeft(speaker))
    expect(await refusal(await moderate(owner, roomId, speaker, 'mute'))).toEqual([404, 'not_found'])
    const moderator = await enter(live, await member(rooms, 'Mo'), roomId)
    await makeMember(rooms, roomId, moderator, 'moderator')
    expect(await refusal(await moderate(moderator, roomId, owner, 'remove'))).toEqual([
      409,
      'target_is_owner',
    ])
  })

  if (dialect === 'postgres') return

  test('R33.3: the first to join starts the call, and each of the others gets all who are in it', async () => {
    const owner = await member(rooms)
    const { id: roomId } = await createRoom(owner)
    const first = await enter(live, owner, roomId)
    const started = await joinCall(first, roomId)
    expect(started).toMatchObject({
      mode: 'mesh',
      peers: [],
      grants: { audio: true, camera: true, screen: true },
    })
    const second = await enter(live, await member(rooms, 'Ben'), roomId)
    const joined = await joinCall(second, roomId)
    expect(joined.call).toEqual(started.call)
    expect(joined.peers).toMatchObject([
      { connectionId: first.connectionId, userId: owner.user.id, audio: false, muted: false, hand: null },
    ])
    // The default role of a public room is that of a listener.
    expect(joined.grants).toEqual({ audio: false, camera: false, screen: false })
    const { peer } = await first.socket.frame(isJoined(second))
    expect(peer).toMatchObject({ userId: second.user.id, grants: { audio: false } })
    expect(second.socket.frames.filter(isJoined(second))).toEqual([])
  })

  test('R33.3a: joining needs a socket of this session in this room', async () => {
    const owner = await member(rooms)
    const { id: roomId } = await createRoom(owner)
    const other = await enter(live, await member(rooms, 'Ben'), roomId)
    const elsewhere = await enter(live, owner, (await createRoom(owner)).id)
    const join = (connectionId: string) => sendJoin({ ...elsewhere, connectionId }, roomId)
    const expected: [number, string] = [409, 'not_present']
    expect(await refusal(await join(elsewhere.connectionId))).toEqual(expected)
    expect(await refusal(await join(other.connectionId))).toEqual(expected)
    await joinRoom(owner, roomId)
    expect(await refusal(await join(`http:${owner.browser.sessionId}`))).toEqual(expected)
    expect((await listedRoom(owner, roomId))?.['call']).toBeNull()
  })

  test('R33.3: a call goes on for ten seconds while its only user is disconnected', async () => {
    const owner = await member(rooms)
    const { id: roomId } = await createRoom(owner)
    const before = await enter(live, owner, roomId)
    const { call } = await joinCall(before, roomId)
    before.socket.terminate()
    await until(async () => (await listedRoom(owner, roomId))?.['call'] === null)
    await advance(rooms, 1_000)
    const after = await enter(live, owner, roomId)
    expect((await joinCall(after, roomId)).call).toEqual(call)
    after.socket.terminate()
    await until(async () => (await listedRoom(owner, roomId))?.['call'] === null)
    await advance(rooms, 1_000)
    await advance(rooms, 15_000)
    await rooms.rooms.jobs.runDue()
    const last = (await readEvents(owner, roomId)).at(-1)
    expect(last).toMatchObject({ event: 'call.ended', data: { callId: call.id } })
  })

  test('R33.2: one connection more than allowed is refused, and one that is in the call may join again', async () => {
    const { roomId, owner } = await threeInCall(rooms, live)
    const fourth = await enter(live, await member(rooms, 'Dora'), roomId)
    expect(await refusal(await sendJoin(fourth, roomId))).toEqual([409, 'voice_full'])
    expect((await joinCall(owner, roomId)).peers).toHaveLength(2)
  })

  test('R33.2: one camera more than allowed is refused until another one is off', async () => {
    const { roomId, owner, speaker } = await threeInCall(rooms, live)
    expect(await setState(owner, roomId, { camera: true })).toMatchObject({
      type: 'voice.state',
      camera: true,
    })
    expect(await setState(speaker, roomId, { camera: true })).toMatchObject({
      type: 'error',
      code: 'voice_full',
    })
    await setState(owner, roomId, {})
    expect(await setState(speaker, roomId, { camera: true })).toMatchObject({ type: 'voice.state' })
  })

  test('R33.3: what one does reaches the others in the call, and everyone in the room by presence', async () => {
    const { roomId, owner, listener } = await threeInCall(rooms, live)
    const bystander = await enter(live, await member(rooms, 'Dora'), roomId)
    await setState(owner, roomId, { audio: true })
    const isOwner = (value: unknown) => (value as PeerJson).connectionId === owner.connectionId
    const changed = await listener.socket.frame(({ type, peer }) => type === 'voice.changed' && isOwner(peer))
    expect(changed['peer']).toMatchObject({ audio: true, camera: false, screen: false })
    expect(await setState(listener, roomId, { hand: true })).toMatchObject({ hand: true })
    const { userId: raisedBy, hand } = await owner.socket.of('voice.hand')
    expect([raisedBy, String(hand).slice(0, 3)]).toEqual([listener.user.id, '202'])
    type PresentJson = { userId: string; voice: Partial<PeerJson> | null }
    const shows =
      (userId: string, isIt: (voice: Partial<PeerJson>) => boolean) => (frame: { type: string }) =>
        frame.type === 'presence' &&
        (frame as unknown as { joined: PresentJson[] }).joined.some(
          ({ userId: id, voice }) => id === userId && voice !== null && isIt(voice),
        )
    await bystander.socket.frame(shows(owner.user.id, ({ audio }) => audio === true))
    await bystander.socket.frame(shows(listener.user.id, (voice) => voice.hand === hand))
    const { participants } = await owner.browser.json<{ participants: { userId: string; voice: unknown }[] }>(
      `/api/rooms/${roomId}`,
    )
    const voices = new Map(participants.map(({ userId, voice }) => [userId, voice]))
    expect(voices.get(owner.user.id)).toMatchObject({ audio: true })
    expect(voices.get(bystander.user.id)).toBeNull()
    await bystander.socket.settle()
    expect(bystander.socket.frames.filter(({ type }) => type.startsWith('voice.'))).toEqual([])
  })

  test('R33.4a: a listener may not turn on a microphone, a camera or a screen', async () => {
    const { roomId, listener, owner } = await threeInCall(rooms, live)
    for (const wanted of [{ audio: true }, { camera: true }, { screen: true }])
      expect(await setState(listener, roomId, wanted)).toMatchObject({ type: 'error', code: 'forbidden' })
    await owner.socket.settle()
    expect(owner.socket.frames.filter(({ type }) => type === 'voice.changed')).toEqual([])
  })

  test('R33.4b R34: guests listen at most, if the room and the instance let them', async () => {
    const owner = await member(rooms)
    const { id: roomId } = await createRoom(owner, { defaultRole: 'speaker', voiceGuests: 'speak' })
    const visitor = await enter(live, await guest(rooms), roomId)
    expect((await joinCall(visitor, roomId)).grants).toEqual({ audio: false, camera: false, screen: false })
    await changeSettings(owner, roomId, { voiceGuests: 'off' })
    expect(await visitor.socket.of('voice.removed')).toMatchObject({ reason: 'off' })
    expect(await refusal(await sendJoin(visitor, roomId))).toEqual([403, 'forbidden'])
  })

  test('R33.3: a room without calls refuses to join, and one without cameras grants none', async () => {
    const owner = await member(rooms)
    const { id: roomId } = await createRoom(owner, { voice: 'off' })
    const caller = await enter(live, owner, roomId)
    expect(await refusal(await sendJoin(caller, roomId))).toEqual([403, 'voice_off'])
    await changeSettings(owner, roomId, { voice: 'voice', voiceScreen: false })
    expect((await joinCall(caller, roomId)).grants).toEqual({ audio: true, camera: false, screen: false })
  })

  test('R33.3: descriptions and candidates reach only the other connection, with their sender', async () => {
    const { roomId, owner, speaker, listener } = await threeInCall(rooms, live)
    const offer = description('offer', { microphone: 'sendrecv' })
    const candidate = 'candidate:1 1 udp 1 192.168.1.20 40526 typ host'
    const addressed = { candidate, sdpMid: '0', sdpMLineIndex: 0, usernameFragment: 'abcd' }
    const refused = { ...addressed, candidate: candidate.replace('192.168.1.20', '169.254.169.254') }
    const signal = { type: 'voice.signal', roomId, to: speaker.connectionId }
    owner.socket.send({ ...signal, id: 'o', description: offer })
    owner.socket.send({ ...signal, id: 'r', candidates: [refused] })
    owner.socket.send({ ...signal, id: 'c', candidates: [refused, addressed] })
    const isSignal = ({ type }: { type: string }) => type === 'voice.signal'
    await speaker.socket.frame((frame) => isSignal(frame) && frame['candidates'] !== undefined)
    expect(speaker.socket.frames.filter(isSignal)).toEqual([
      { type: 'voice.signal', roomId, from: owner.connectionId, description: offer },
      {
        type: 'voice.signal',
        roomId,
        from: owner.connectionId,
        candidates: [addressed],
      },
    ])
    await listener.socket.settle()
    expect(listener.socket.frames.filter(isSignal)).toEqual([])
  })

  test('R33.3: a signal is refused unless both ends are in the call of the room', async () => {
    const { roomId, owner, speaker } = await threeInCall(rooms, live)
    const bystander = await enter(live, await member(rooms, 'Dora'), roomId)
    const candidates = [{ candidate: 'candidate:1' }]
    const refused = { type: 'error', code: 'not_present' }
    const send = (from: typeof owner, to: string, room = roomId) =>
      from.socket.ask({ type: 'voice.signal', roomId: room, to, candidates })
    expect(await send(bystander, owner.connectionId)).toMatchObject(refused)
    expect(await send(owner, bystander.connectionId)).toMatchObject(refused)
    expect(await send(owner, owner.connectionId)).toMatchObject(refused)
    expect(await send(owner, speaker.connectionId, crypto.randomUUID())).toMatchObject(refused)
    await leaveCall(owner, roomId)
    await owner.socket.of('voice.removed')
    expect(await send(owner, speaker.connectionId)).toMatchObject(refused)
    await speaker.socket.settle()
    expect(speaker.socket.frames.filter(({ type }) => type === 'voice.signal')).toEqual([])
  })

  test('R33.4: a description that sends more than its sender may, or is malformed, is refused', async () => {
    const { roomId, owner, speaker, listener } = await threeInCall(rooms, live)
    const send = (from: typeof owner, { type, sdp }: ReturnType<typeof description>) =>
      from.socket.ask({
        type: 'voice.signal',
        roomId,
        to: (from === owner ? speaker : owner).connectionId,
        description: { type, sdp },
      })
    const refused = { type: 'error', code: 'forbidden' }
    for (const source of SOURCES)
      expect(await send(listener, description('answer', { [source]: 'sendonly' }))).toMatchObject(refused)
    const { sdp } = description('offer', {})
    for (const hidden of ['a=recvonly\r\na=sendrecv:x', 'a=sendonly x'])
      expect(await send(listener, { type: 'offer', sdp: sdp.replace('a=recvonly', hidden) })).toMatchObject(
        refused,
      )
    await setState(owner, roomId, { screen: true })
    expect(await send(owner, description('offer', { camera: 'sendrecv' }))).toMatchObject(refused)
    for (const { socket } of [owner, speaker])
      expect(socket.frames.filter(({ type }) => type === 'voice.signal')).toEqual([])
    const permitted = description('offer', {
      microphone: 'sendrecv',
      screen: 'sendonly',
      screenSound: 'sendonly',
    })
    owner.socket.send({
      type: 'voice.signal',
      id: 's',
      roomId,
      to: speaker.connectionId,
      description: permitted,
    })
    expect(await speaker.socket.of('voice.signal')).toMatchObject({ description: permitted })
  })

  test('R33.2: TURN credentials are those of the session and last ten minutes', async () => {
    const owner = await member(rooms)
    const { id: roomId } = await createRoom(owner)
    const { iceServers } = await joinCall(await enter(live, owner, roomId), roomId)
    expect(iceServers).toMatchObject([{ urls: ['stun:stun.example:3478'] }, { urls: ['turn:turn.example'] }])
    const { username = '', credential = '' } = iceServers[1] ?? {}
    const [expiry, session] = username.split(':')
    expect(Number(expiry)).toBe(Math.floor(rooms.clock.ms / 1000) + 600)
    const hmac = new Bun.CryptoHasher('sha1', 'shared')
    expect(credential).toBe(hmac.update(username).digest('base64'))
    expect(JSON.stringify(iceServers)).not.toContain(owner.browser.sessionId)
    const again = await enter(live, await member(rooms, 'Ben'), roomId)
    const other = (await joinCall(again, roomId)).iceServers[1]?.username?.split(':')[1]
    expect(other).not.toBe(session)
  })
})
