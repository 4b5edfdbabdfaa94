// LATCHKEY_TEST_LIVEKIT=/path/to/livekit-server npx bun bench/calls/livekit.ts [--people 50] [--seconds 30]
// Measures a call through LiveKit in which 5 people talk: the CPU time of LiveKit and of Rooms, which
// carries the signal sockets, and the time from joining to hearing. Each person pings as a page does,
// and turns the microphone on or off every ten seconds. No more people join after 90 seconds.
import type { EventEmitter } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '@latchkey/http/free-port'
import { AudioSource, AudioStream, type RemoteTrack, Room, RoomEvent } from '@livekit/rtc-node'
import { asBrowser, publishTone } from '../../apps/rooms/test/voice/livekit-client.ts'
import { api } from '../fanout/client.ts'
import { HOST, type Person, seedPeople } from '../fanout/people.ts'
import { start } from '../fanout/server.ts'

const { values } = parseArgs({
  options: { people: { type: 'string', default: '50' }, seconds: { type: 'string', default: '30' } },
})
const [maxPeople, seconds] = [Number(values.people), Number(values.seconds)]

/** Time after which no more people join. */
const JOINING_MS = 90_000
const TALKING = 5
const PING_MS = 700
const TOGGLE_MS = 10_000
const TICK_US = 10_000

/** CPU time of a process since its start, in microseconds. */
function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
}

const folder = mkdtempSync(joinPath(tmpdir(), 'latchkey-calls-'))
const url = `sqlite:${joinPath(folder, 'rooms.db')}`
const people = await seedPeople(url, maxPeople)
const server = await start('rooms.ts', {
  ROOMS_DATABASE_URL: url,
  ROOMS_FILES: joinPath(folder, 'files'),
  ROOMS_VOICE: 'livekit',
  ROOMS_LIVEKIT_SERVER: process.env['LATCHKEY_TEST_LIVEKIT'] || Bun.which('livekit-server') || 'auto',
  ROOMS_VOICE_ADDRESS: '127.0.0.1',
  ROOMS_VOICE_UDP_PORT: String(await freePort()),
  ROOMS_VOICE_TCP_PORT: String(await freePort()),
  ALLOWED_HOSTS: `https://${HOST}`,
  AUTH_PROVIDER: 'oidc',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  AUTH_CLIENT_ID: 'bench',
  ROOMS_LIMITS: 'socket_messages_per_10s=1000,http_per_minute=100000',
})

const owner = api(server.port, people[0] as Person)
const settings = { name: 'Call', defaultRole: 'speaker', maxParticipants: 100 }
const { id: roomId } = (await owner.json<{ room: { id: string } }>('/api/rooms', settings)).room

/** Opens a socket in the room. Returns it with the id of its connection. */
async function enterRoom({ headers }: Person): Promise<[WebSocket, string]> {
  const { cookie = '', origin = '' } = headers
  const options = { headers: { host: HOST, origin, cookie }, protocols: ['latchkey.v1'] }
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/ws`, options as unknown as string[])
  const { promise, resolve } = Promise.withResolvers<string>()
  let id = ''
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as { type: string; connectionId?: string }
    if (frame.type === 'subscribed') resolve(id)
    if (frame.type !== 'welcome') return
    id = frame.connectionId ?? ''
    socket.send(JSON.stringify({ type: 'subscribe', id: 's', roomId }))
  })
  return [socket, await promise]
}

/** Joins the call. Returns the URL and the token for LiveKit's client. */
async function joinCall(person: Person, connectionId: string): Promise<[string, string]> {
  const pairs = (person.headers['cookie'] ?? '').split('; ').map((pair) => pair.split('='))
  const browser = { cookies: new Map(pairs as [string, string][]) }
  const path = `/api/rooms/${roomId}/voice`
  const { token } = await api(server.port, person).json<{ token: string }>(path, { connectionId })
  return [asBrowser(server.port, { browser }).url, token]
}

interface Bindings {
  livekitInitialize: (onEvent: (data: Uint8Array) => void, withLogs: boolean, version: string) => void
  FfiEvent: { fromBinary: (data: Uint8Array) => unknown }
}

/**
 * LiveKit's client passes each event to all clients of this process, and with them its log of some
 * 10,000 lines a second: from 30 clients on, a whole core is not enough. Starts it again without.
 */
function dropLogs(): void {
  const requireOfClient = createRequire(Bun.resolveSync('@livekit/rtc-node', import.meta.dir))
  const { livekitInitialize, FfiEvent } = requireOfClient('@livekit/rtc-ffi-bindings') as Bindings
  // Started by the first source.
  void new AudioSource(48_000, 1)
  const { _ffiClientInstance: events } = globalThis as unknown as { _ffiClientInstance: EventEmitter }
  livekitInitialize((data) => events.emit('ffi_event', FfiEvent.fromBinary(data)), false, '')
}

/**
 * Connects and subscribes to everyone, as a page does; `subscribed` is the track that arrives first.
 * Nothing reads the sound for longer than it must, because each frame is an event, too.
 */
async function connect(
  address: string,
  token: string,
): Promise<{ room: Room; subscribed: Promise<RemoteTrack> }> {
  const room = new Room()
  const { promise: subscribed, resolve } = Promise.withResolvers<RemoteTrack>()
  room.once(RoomEvent.TrackSubscribed, (track) => resolve(track))
  await room.connect(address, token, { autoSubscribe: true, dynacast: false })
  return { room, subscribed }
}

/** Waits for the first sound. */
async function waitForSound(track: RemoteTrack): Promise<void> {
  for await (const { data } of new AudioStream(track))
    if (data.some((sample) => Math.abs(sample) > 1000)) return
}

dropLogs()
const sockets: WebSocket[] = []
const hearingMs: number[] = []

/** Joins with this person. The first ones talk, and the others listen. */
async function join(person: Person): Promise<void> {
  const [socket, connectionId] = await enterRoom(person)
  const startedAt = performance.now()
  const { room, subscribed } = await connect(...(await joinCall(person, connectionId)))
  if (sockets.length < TALKING) await publishTone(room).published
  else {
    await waitForSound(await subscribed)
    hearingMs.push(performance.now() - startedAt)
  }
  sockets.push(socket)
}

const isTime = Bun.sleep(JOINING_MS).then(() => false)
for (const person of people) if (!(await Promise.race([join(person).then(() => true), isTime]))) break
const timers = sockets.flatMap((socket, at) => {
  let audio = false
  const toggle = () => {
    audio = !audio
    const state = { audio, camera: false, screen: false, hand: false }
    socket.send(JSON.stringify({ type: 'voice.state', id: 'x', roomId, ...state }))
  }
  return [
    setInterval(() => socket.send('{"type":"ping","id":"p"}'), PING_MS),
    setTimeout(() => setInterval(toggle, TOGGLE_MS), (at * TOGGLE_MS) / sockets.length),
  ]
})
await Bun.sleep(15_000)
const load = loadavg()[0]?.toFixed(1)
const livekit = childOf(server.pid)
const [fromUs, livekitFromUs] = [server.cpuUs(), cpuUs(livekit)]
await Bun.sleep(seconds * 1000)
/** Percent of a core for each person. */
const percentOf = (us: number) => us / 10_000 / seconds / sockets.length
const [own, theirs] = [percentOf(server.cpuUs() - fromUs), percentOf(cpuUs(livekit) - livekitFromUs)]
for (const timer of timers) clearInterval(timer)
const sorted = hearingMs.toSorted((a, b) => a - b)
const quantile = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
const row = {
  People: sockets.length,
  talking: TALKING,
  'LiveKit: CPU % of a core per person': theirs.toFixed(2),
  'for all of them': (theirs * sockets.length).toFixed(1),
  'Rooms: CPU % of a core per 100 people': (own * 100).toFixed(1),
  'Rooms / LiveKit': (own / theirs).toFixed(2),
  'ms from joining to hearing, p50': quantile(0.5),
  p95: quantile(0.95),
  load,
}
for (const cells of [Object.keys(row), Object.keys(row).map(() => '---'), Object.values(row)])
  console.log(`| ${cells.join(' | ')} |`)
console.log(`\n${cpus()[0]?.model} x ${cpus().length}, Bun ${Bun.version}`)
await server.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
