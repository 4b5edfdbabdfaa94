import { failure } from './api/failures.ts'
import { readCaller } from './http/caller.ts'
import type { Services } from './services.ts'
import type { Grants } from './voice/grants.ts'
import { LIVEKIT_PATH, type LiveKit } from './voice/livekit/livekit.ts'
import { isOwnConnection, listPeers } from './voice/store.ts'
import type { RelayedParticipant } from './realtime/calls/signal-relays.ts'
import { type UpgradingServer, notWebSocketRequest } from './realtime/gateway.ts'
import type { Hub } from './realtime/hub.ts'

const SOCKET_PATHS: ReadonlySet<string> = new Set([`${LIVEKIT_PATH}/rtc`, `${LIVEKIT_PATH}/rtc/v1`])
const VALIDATION_PATHS: ReadonlySet<string> = new Set([...SOCKET_PATHS].map((path) => `${path}/validate`))

const VALIDATION_TIMEOUT_MS = 5_000

/** Paths of the signal socket, and of the question why it was refused. */
export function isSignalPath(path: string): boolean {
  return SOCKET_PATHS.has(path) || VALIDATION_PATHS.has(path)
}

interface Entry extends RelayedParticipant {
  readonly livekit: LiveKit
  readonly grants: Grants
}

interface SignalRequest {
  readonly request: Request
  readonly path: string
  readonly peer: string
}

/**
 * The way of browsers to the signal socket of LiveKit (R33.5). A token opens nothing by itself: the
 * session must be that of the connection that it names, and the connection must be in the call now.
 * LiveKit gets another token, with the rights of this moment.
 */
export function createSignalGate(services: Services, hub: Hub) {
  return {
    /** Answers a request for one of the signal paths. Undefined if the connection became a socket. */
    async serve(signal: SignalRequest, server: UpgradingServer): Promise<Response | undefined> {
      const { request, path } = signal
      if (request.method !== 'GET') throw failure('method_not_allowed', { headers: { Allow: 'GET' } })
      const isSocket = SOCKET_PATHS.has(path)
      const entry = await admit(services, signal, isSocket)
      const { livekit, identity, roomId, grants } = entry
      const token = await livekit.signToken(identity, roomId, grants)
      const url = upstreamUrl(livekit, request, path)
      if (!isSocket) return validate(url, token)
      const relay = await hub.calls.relays.connect(url.replace(/^http/, 'ws'), token, entry)
      if (!relay) throw failure('voice_unavailable')
      const data = { upgradeResult: undefined, connection: undefined, work: undefined, relay }
      if (server.upgrade(request, { data })) return undefined
      relay.close()
      throw notWebSocketRequest()
    },
  }
}

/** The URL of the same request at LiveKit, without the token of the browser. */
function upstreamUrl({ settings }: LiveKit, request: Request, path: string): string {
  const { searchParams } = new URL(request.url)
  searchParams.delete('access_token')
  return `${settings.url}${path.slice(LIVEKIT_PATH.length)}?${searchParams}`
}

async function validate(url: string, token: string): Promise<Response> {
  try {
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(VALIDATION_TIMEOUT_MS),
    })
    return new Response(await response.text(), {
      status: response.status,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    })
  } catch {
    throw failure('voice_unavailable')
  }
}

/** Throws unless the session of the request may connect this participant now. */
async function admit(
  services: Services,
  { request, peer }: SignalRequest,
  isSocket: boolean,
): Promise<Entry> {
  const { livekit, rates, database, policy, now } = services
  if (!livekit) throw failure('not_found')
  if (isSocket && request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw notWebSocketRequest()
  const { origin, actor } = await readCaller(services, request, peer)
  requireOwnPage(request, origin, isSocket)
  if (!actor) throw failure('unauthenticated')
  rates.take('socket_connects_per_minute', actor.session.id)
  const token = await livekit.readToken(tokenOf(request))
  const roomId = token && livekit.roomIdOf(token.room)
  if (roomId === undefined || token?.identity.userId !== actor.user.id) throw failure('forbidden')
  const { identity } = token
  const { connectionId } = identity
  const place = { roomId, connectionId, sessionId: actor.session.id, nowMs: now() }
  if (!(await isOwnConnection(database.read, place))) throw failure('not_present')
  const peers = await listPeers(database.read, place, policy.voice.guests)
  const grants = peers.find((joined) => joined.connectionId === connectionId)?.grants
  if (!grants) throw failure('not_present')
  return { livekit, roomId, identity, grants }
}

/** Browsers send `Origin` with sockets, but not when a page asks its own server. */
function requireOwnPage({ headers }: Request, origin: string, isSocket: boolean): void {
  const site = headers.get('sec-fetch-site')
  const value = headers.get('origin') ?? (isSocket ? null : origin)
  if (value !== origin || (site !== null && site !== 'same-origin')) throw failure('cross_site_request')
}

function tokenOf({ url, headers }: Request): string {
  const bearer = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1]
  return bearer ?? new URL(url).searchParams.get('access_token') ?? ''
}
