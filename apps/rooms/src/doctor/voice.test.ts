import { afterAll, describe, expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@latchkey/http/free-port'
import { listen } from '../../test/realtime/live.ts'
import { ORIGIN, openRooms } from '../../test/rooms.ts'
import { MESH } from '../../test/voice/call.ts'
import { turnServer } from '../../test/voice/turn-server.ts'
import { livekitProgram, livekitServer } from '../../test/voice/livekit-server.ts'
import { readSettings } from '../settings/settings.ts'
import { iceServersFor } from '../voice/ice-servers.ts'
import { tryTurn } from './turn.ts'
import { checkVoice } from './voice.ts'

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

/** What the document has coturn deny. */
const denied = readFileSync(join(import.meta.dirname, '../../../../docs/operate/calls.md'), 'utf8')
  .split('\n')
  .filter((line) => /^(?:denied-peer-ip=|no-|user-quota=)/.test(line))
  .map((line) => `--${line}`)

async function check(env: Record<string, string>, now: () => number = Date.now): Promise<string[]> {
  const lines = []
  const settings = readSettings({
    AUTH_PROVIDER: 'oidc',
    AUTH_CLIENT_ID: 'rooms',
    OIDC_ISSUER: 'https://login.example.com',
    ALLOWED_HOSTS: ORIGIN,
    ...env,
  })
  for await (const { level, name, sentence } of checkVoice(settings, now))
    lines.push(`${level}: ${name}: ${sentence}`)
  return lines
}

test('R24.3: the doctor finds a LiveKit server that is missing, and ports that are in use', async () => {
  const udpPort = await freePort()
  const env = {
    ROOMS_VOICE: 'livekit',
    ROOMS_PORT: String(await freePort()),
    ROOMS_LIVEKIT_SERVER: '/no/such/server',
    ROOMS_VOICE_UDP_PORT: String(udpPort),
    ROOMS_VOICE_TCP_PORT: String(await freePort()),
  }
  const [program, ports] = await check(env)
  expect(program).toBe('fail: livekit: ROOMS_LIVEKIT_SERVER: /no/such/server is not a program')
  expect(ports).toStartWith('ok: livekit ports: ')
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => {
    socket.bind(udpPort, resolve)
  })
  expect(await check(env)).toContain(`fail: livekit ports: UDP ${udpPort} is in use by another program`)
  socket.close()
  expect(await check({})).toEqual([])
})

test('R24.3: the doctor proves a TURN server by a relay, over UDP and TCP, and names what is wrong', async () => {
  const server = await turnServer(denied)
  closing.push(() => server.stop())
  const { urls, secret } = server.turn
  const [udp = ''] = urls
  const tcp = udp.replace('udp', 'tcp')
  const env = {
    ROOMS_VOICE: 'mesh',
    ROOMS_TURN_URLS: `${udp},${tcp}`,
    ROOMS_TURN_SECRET: secret,
  }
  expect((await check(env)).slice(1)).toEqual(
    [udp, tcp].map((url) => `ok: turn: ${url} carries calls with ROOMS_TURN_SECRET`),
  )
  const refused = (await check({ ...env, ROOMS_TURN_SECRET: 'another-secret-of-a-turn-server' })).slice(1)
  for (const line of refused) expect(line).toContain('refuses credentials made with ROOMS_TURN_SECRET (401)')
  await server.stop()
  const away = (await check(env)).slice(1)
  expect(away.map((line) => line.split(' (')[0])).toEqual(
    [udp, tcp].map((url) => `fail: turn: ${url} does not answer`),
  )
})

test('R24.3: the doctor reports a TURN server that relays into the network of its own', async () => {
  const findings = async (settings: readonly string[]) => {
    const server = await turnServer(settings)
    closing.push(() => server.stop())
    const { urls, secret } = server.turn
    const [url = ''] = urls
    const env = { ROOMS_VOICE: 'mesh', ROOMS_TURN_URLS: url, ROOMS_TURN_SECRET: secret }
    const [, finding] = await check(env)
    return finding?.replace(url, 'URL')
  }
  const relays = 'turn: URL also relays to'
  expect(await findings([])).toStartWith(`fail: ${relays} 169.254.169.254, 10.0.0.1, for everyone`)
  expect(await findings([...denied, '--allowed-peer-ip=10.0.0.0-10.0.0.255'])).toStartWith(
    `warn: ${relays} 10.0.0.1, for everyone`,
  )
})

test('R33.2: coturn as docs/operate/calls.md sets it up relays to public addresses only', async () => {
  const server = await turnServer(denied)
  closing.push(() => server.stop())
  const [url = ''] = server.turn.urls
  const [credentials = {}] = iceServersFor({ stunUrls: [], turn: server.turn }, 'doctor', Date.now())
  const inner = [
    '0.0.0.1 10.255.255.254 100.64.0.1 100.100.100.200 100.127.255.254 127.0.0.1',
    '127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.254',
    '192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.254',
    '198.51.100.1 203.0.113.1 224.0.0.251 239.255.255.250 240.0.0.1 255.255.255.255',
  ].flatMap((addresses) => addresses.split(' '))
  const outer = ['8.8.8.8', '100.63.255.254', '100.128.0.1', '172.32.0.1', '198.20.0.1', '223.255.255.254']
  expect(await tryTurn(url, credentials, [...inner, ...outer])).toEqual({ permittedPeers: outer })
})

test('R24.3: the doctor proves a TURN server over TLS, and names a certificate that is not trusted', async () => {
  const server = await turnServer(denied)
  closing.push(() => server.stop())
  const { url, certificate } = server.tls
  const { secret } = server.turn
  const env = { ROOMS_VOICE: 'mesh', ROOMS_TURN_URLS: url, ROOMS_TURN_SECRET: secret }
  const [, untrusted = ''] = await check(env)
  expect(untrusted).toStartWith(`fail: turn: ${url} does not answer (`)
  expect(untrusted).toContain('certificate')
  // Certificates are read once, at the start of a process.
  const script = `import { tryTurn } from ${JSON.stringify(join(import.meta.dir, 'turn.ts'))}
    console.log(JSON.stringify(await tryTurn(${JSON.stringify(url)}, ${JSON.stringify(
      iceServersFor({ stunUrls: [], turn: { urls: [url], secret } }, 'doctor', Date.now())[0],
    )})))`
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
  })
  expect((await new Response(child.stdout).text()).trim()).toBe('{"permittedPeers":[]}')
})

describe.skipIf(!livekitProgram)('the doctor', () => {
  test('R24.3: proves server, key, clock and webhook of LiveKit, and names what is wrong', async () => {
    const server = await livekitServer()
    closing.push(() => server.kill())
    const rooms = await openRooms({
      settings: { voice: { ...MESH, mode: 'livekit', livekit: server.settings } },
    })
    closing.push(() => rooms.close())
    rooms.clock.ms = Date.now()
    const live = listen(rooms.rooms)
    closing.push(() => live.stop())
    const { url, key, secret } = server.settings
    const env = {
      ROOMS_VOICE: 'livekit',
      ROOMS_LIVEKIT_URL: url,
      ROOMS_LIVEKIT_KEY: key,
      ROOMS_LIVEKIT_SECRET: secret,
      ROOMS_PORT: String(live.port),
    }
    expect(await check(env)).toEqual([
      `ok: livekit: ${url} answers and accepts the key`,
      expect.stringMatching(/^ok: livekit clock: agrees with that of LiveKit to within [01] s$/),
      `ok: livekit webhook: http://127.0.0.1:${live.port}/api/livekit/webhook accepts what this key signs`,
    ])
    const [refused, , webhook] = await check({ ...env, ROOMS_LIVEKIT_SECRET: 'x'.repeat(32) })
    expect(refused).toStartWith(`fail: livekit: ${url} refuses ROOMS_LIVEKIT_KEY`)
    expect(webhook).toStartWith('fail: livekit webhook: ')
    const [, clock] = await check(env, () => Date.now() + 300_000)
    expect(clock).toMatch(/^fail: livekit clock: differs from that of LiveKit by (299|300|301) s/)
    await server.kill()
    const [away, ...others] = await check({ ...env, ROOMS_PORT: String(await freePort()) })
    expect(away).toStartWith(`fail: livekit: ${url} does not answer`)
    expect(others).toEqual([expect.stringContaining('warn: livekit webhook: not tried')])
  })
})
