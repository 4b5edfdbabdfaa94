// npx bun bench/calls/run.ts [--seconds 30]
// Measures what calls cost the server: 96 people in 12 calls of a mesh. Each person pings as a page
// does, and turns the microphone on or off every ten seconds; each joins by exchanging as many
// descriptions and candidates with all others as browsers do. Media never pass through the server.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { api } from '../fanout/client.ts'
import { HOST, type Person, seedPeople } from '../fanout/people.ts'
import { type Running, start } from '../fanout/server.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } })
const seconds = Number(values.seconds)

const ROOMS = 12
const PEOPLE_PER_CALL = 8
const PING_MS = 700
const TOGGLE_MS = 10_000
/** Batches of candidates for each connection. */
const CANDIDATES = 3
/** About as long as what Chromium writes with the codecs of our pages. */
const SDP = [
  'v=0',
  ...Array.from({ length: 120 }, (_, at) => `a=extmap:${at} urn:ietf:params:rtp-hdrext:sdes:mid`),
].join('\r\n')

interface Caller {
  socket: WebSocket
  person: Person
  connectionId: string
  roomId: string
  isOn: boolean
}

async function connect(server: Running, person: Person, roomId: string): Promise<Caller> {
  const { cookie = '', origin = '' } = person.headers
  const options = { headers: { host: HOST, origin, cookie }, protocols: ['latchkey.v1'] }
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/ws`, options as unknown as string[])
  const { promise, resolve } = Promise.withResolvers<string>()
  const { promise: subscribed, resolve: onSubscribed } = Promise.withResolvers<unknown>()
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as { type: string; connectionId?: string }
    if (frame.type === 'welcome') resolve(frame.connectionId ?? '')
    if (frame.type === 'subscribed') onSubscribed(frame)
    if (frame.type === 'error') throw new Error(String(data))
  })
  const connectionId = await promise
  socket.send(JSON.stringify({ type: 'subscribe', id: 's', roomId }))
  await subscribed
  return { socket, person, connectionId, roomId, isOn: false }
}

const send = ({ socket, roomId }: Caller, frame: object) =>
  socket.send(JSON.stringify({ id: 'x', roomId, ...frame }))

async function enterCall(server: Running, caller: Caller, others: readonly Caller[]): Promise<void> {
  const { connectionId } = caller
  await api(server.port, caller.person).json(`/api/rooms/${caller.roomId}/voice`, { connectionId })
  for (const other of others) {
    const exchange = [
      [caller, other, 'offer'],
      [other, caller, 'answer'],
    ] as const
    for (const [from, to, type] of exchange) {
      send(from, { type: 'voice.signal', to: to.connectionId, description: { type, sdp: SDP } })
      for (let count = 0; count < CANDIDATES; count++)
        send(from, {
          type: 'voice.signal',
          to: to.connectionId,
          candidates: [{ candidate: 'candidate:1 1 udp 2122260223 192.0.2.1 54400 typ host', sdpMid: '0' }],
        })
    }
  }
}

function toggle(caller: Caller): void {
  caller.isOn = !caller.isOn
  send(caller, { type: 'voice.state', audio: caller.isOn, camera: false, screen: false, hand: false })
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-calls-'))
const url = `sqlite:${join(folder, 'rooms.db')}`
const people = await seedPeople(url, ROOMS * PEOPLE_PER_CALL)
const server = await start('rooms.ts', {
  ROOMS_DATABASE_URL: url,
  ROOMS_FILES: join(folder, 'files'),
  ROOMS_VOICE: 'mesh',
  ALLOWED_HOSTS: `https://${HOST}`,
  AUTH_PROVIDER: 'oidc',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  AUTH_CLIENT_ID: 'bench',
  ROOMS_LIMITS: 'socket_messages_per_10s=1000,http_per_minute=100000',
})
const callers: Caller[] = []
const beforeUs = server.cpuUs()
for (let room = 0; room < ROOMS; room++) {
  const members = people.slice(room * PEOPLE_PER_CALL, (room + 1) * PEOPLE_PER_CALL)
  const owner = api(server.port, members[0] as Person)
  const body = { name: `Call ${room}`, defaultRole: 'speaker' }
  const { id } = (await owner.json<{ room: { id: string } }>('/api/rooms', body)).room
  const others: Caller[] = []
  for (const person of members) {
    const caller = await connect(server, person, id)
    await enterCall(server, caller, others)
    others.push(caller)
  }
  callers.push(...others)
}
await Bun.sleep(2_000)
const joiningMs = (server.cpuUs() - beforeUs) / 1000 / callers.length
const timers = callers.flatMap((caller, at) => [
  setInterval(() => caller.socket.send('{"type":"ping","id":"p"}'), PING_MS),
  setTimeout(() => setInterval(() => toggle(caller), TOGGLE_MS), (at * TOGGLE_MS) / callers.length),
])
await Bun.sleep(15_000)
const load = loadavg()[0]?.toFixed(1)
const fromUs = server.cpuUs()
await Bun.sleep(seconds * 1000)
const percent = ((server.cpuUs() - fromUs) / 10_000 / seconds / callers.length) * 100
for (const timer of timers) clearInterval(timer)
console.log(`| People | CPU ms to join | CPU % of a core per 100 people | load |\n| --- | --- | --- | --- |`)
console.log(`| ${callers.length} | ${joiningMs.toFixed(1)} | ${percent.toFixed(2)} | ${load} |`)
console.log(`\n${cpus()[0]?.model} x ${cpus().length}, Bun ${Bun.version}`)
for (const { socket } of callers) socket.close()
await server.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
