import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { type Finding, fail, ok, warn } from '@latchkey/doctor/finding'
import { WEBHOOK_PATH } from '../livekit-webhook.ts'
import type { Settings } from '../settings/settings.ts'
import type { LiveKitSettings, LocalServerSettings, VoiceSettings } from '../settings/voice.ts'
import { iceServersFor } from '../voice/ice-servers.ts'
import { LiveKitApi, LiveKitFailure } from '../voice/livekit/api.ts'
import { LocalServerMissing, findServer } from '../voice/livekit/local-server.ts'
import { signWebhookToken } from '../voice/livekit/tokens.ts'
import type { IceServer } from '../voice/schema.ts'
import { tryTurn } from './turn.ts'

const TIMEOUT_MS = 5_000
/** The machine of a TURN server, and the metadata of a cloud, which no call needs. */
const INNER_PEERS = ['127.0.0.1', '169.254.169.254']
/** A machine in a network that people may share. */
const PRIVATE_PEER = '10.0.0.1'
/** LiveKit accepts tokens of a clock that differs by less. */
const TOLERANCE_S = 10

/** Checks what calls depend on. */
export async function* checkVoice(
  { voice, host, port }: Settings,
  now: () => number,
): AsyncGenerator<Finding> {
  const { mode, livekit, localServer } = voice
  if (mode === 'mesh') yield ok('calls', 'between browsers (mesh), which see the addresses of each other')
  // LiveKit has settings of its own for it.
  if (mode === 'mesh') yield* checkTurn(voice, now)
  if (localServer) yield* checkLocalServer(localServer, await isListening(host, port))
  if (!livekit) return
  yield* await checkServer(livekit, now)
  yield await checkWebhook(livekit, `http://${host}:${port}${WEBHOOK_PATH}`, now)
}

async function* checkTurn(voice: VoiceSettings, now: () => number): AsyncGenerator<Finding> {
  const credentials = iceServersFor({ stunUrls: [], turn: voice.turn }, 'doctor', now())[0] ?? {}
  for (const url of voice.turn?.urls ?? []) yield await checkTurnServer(url, credentials)
}

async function checkTurnServer(url: string, credentials: Partial<IceServer>): Promise<Finding> {
  const name = 'turn'
  try {
    const result = await tryTurn(url, credentials, [...INNER_PEERS, PRIVATE_PEER])
    if (result === 'open') return warn(name, `${url} needs no credentials: anyone may use it as a relay`)
    if ('permittedPeers' in result) return examinePeers(url, result.permittedPeers)
    const help = 'compare the secret with its static-auth-secret, and the clocks'
    return fail(name, `${url} refuses credentials made with ROOMS_TURN_SECRET (${result.code}): ${help}`)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail(name, `${url} does not answer (${why}): calls that need it have no sound`)
  }
}

function examinePeers(url: string, permitted: readonly string[]): Finding {
  const name = 'turn'
  if (permitted.length === 0) return ok(name, `${url} carries calls with ROOMS_TURN_SECRET`)
  const sentence = `${url} also relays to ${permitted.join(', ')}, for everyone in a call: add denied-peer-ip as in docs/operate/calls.md`
  return INNER_PEERS.some((peer) => permitted.includes(peer))
    ? fail(name, sentence)
    : warn(name, `${sentence}, unless people are there`)
}

async function checkServer(settings: LiveKitSettings, now: () => number): Promise<Finding[]> {
  const { url } = settings
  const clock = await checkClock(url, now)
  try {
    await new LiveKitApi(settings, now).listRooms(['none'])
    return [ok('livekit', `${url} answers and accepts the key`), ...clock]
  } catch (error) {
    const isRefusal = error instanceof LiveKitFailure && error.code !== 'unreachable'
    const why = error instanceof Error ? error.message : String(error)
    const sentence = isRefusal
      ? `${url} refuses ROOMS_LIVEKIT_KEY with ROOMS_LIVEKIT_SECRET (${why}): compare them with its keys`
      : `${url} does not answer (${why}): no one could join a call`
    return [fail('livekit', sentence), ...clock]
  }
}

async function checkClock(url: string, now: () => number): Promise<Finding[]> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    await response.body?.cancel()
    const ahead = Math.round((Date.parse(response.headers.get('date') ?? '') - now()) / 1000)
    // A proxy may have removed the header.
    if (Number.isNaN(ahead)) return []
    const difference = Math.abs(ahead)
    return [
      difference <= TOLERANCE_S
        ? ok('livekit clock', `agrees with that of LiveKit to within ${difference} s`)
        : fail('livekit clock', `differs from that of LiveKit by ${difference} s: tokens would be refused`),
    ]
  } catch {
    return []
  }
}

/** Sends a webhook that does nothing, signed as LiveKit would sign it. */
async function checkWebhook(settings: LiveKitSettings, url: string, now: () => number): Promise<Finding> {
  const body = JSON.stringify({ id: 'doctor', event: 'doctor', createdAt: String(Math.floor(now() / 1000)) })
  const name = 'livekit webhook'
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        Authorization: await signWebhookToken(settings, body, now()),
        'Content-Type': 'application/webhook+json',
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return response.ok
      ? ok(name, `${url} accepts what this key signs`)
      : fail(
          name,
          `${url} refuses what this key signs (${response.status}): restart Rooms with these settings`,
        )
  } catch {
    return warn(name, `not tried: Rooms does not run at ${url}`)
  }
}

async function* checkLocalServer(
  { program, udpPort, tcpPort }: LocalServerSettings,
  isRunning: boolean,
): AsyncGenerator<Finding> {
  const name = 'livekit'
  try {
    const path = findServer(program)
    yield ok(name, `${path} is started with Rooms`)
  } catch (error) {
    if (!(error instanceof LocalServerMissing)) throw error
    yield fail(name, error.message)
  }
  // They are those of the server that Rooms has started.
  if (isRunning) return
  const [isUdpFree, isTcpFree] = [await canBindUdp(udpPort), await canBindTcp(tcpPort)]
  const busy = [...(isUdpFree ? [] : [`UDP ${udpPort}`]), ...(isTcpFree ? [] : [`TCP ${tcpPort}`])]
  yield busy.length === 0
    ? ok('livekit ports', `UDP ${udpPort} and TCP ${tcpPort} are free; browsers must reach both`)
    : fail('livekit ports', `${busy.join(' and ')} is in use by another program`)
}

async function isListening(host: string, port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: host, port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}

function canBindUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind(port, () => socket.close(() => resolve(true)))
  })
}

function canBindTcp(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
