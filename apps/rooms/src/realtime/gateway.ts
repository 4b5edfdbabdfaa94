import type { Server, ServerWebSocket, WebSocketHandler } from 'bun'
import type { Actor } from '../api/caller.ts'
import type { RevokeReason } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { clientOf } from '../http/client.ts'
import { cookieNames, readCookie } from '../http/cookies.ts'
import { Semaphore } from '@latchkey/http/semaphore'
import type { Services } from '../services.ts'
import { hasShare, networksOf } from '../api/network-share.ts'
import { findActor, findActorOfSession } from '../sessions/actor.ts'
import { isTicket, redeemTicket } from '../sessions/ticket-store.ts'
import { toMoment } from '../api/wire.ts'
import { Connection, toConnectionUser } from './connection.ts'
import { handleFrame } from './frames.ts'
import type { Hub } from './hub.ts'
import { SIGNAL_LIMIT_BYTES, type SignalRelay } from './calls/signal-relays.ts'
import { Close, FRAME_LIMIT_BYTES, SUBPROTOCOL, TICKET_PREFIX } from './protocol.ts'
import { endReasonOf, findSessionEnds } from './store.ts'

interface AuthenticatedPeer {
  readonly actor: Actor
  readonly clientIp: string
  readonly clientPrefix: string
}

/** Outcome of admission: an authenticated peer, or the close code for the new socket. */
type UpgradeResult =
  | AuthenticatedPeer
  | { readonly refused: { readonly code: number; readonly reason: string } }

export interface SocketData {
  /** Undefined once the socket is open. */
  upgradeResult: UpgradeResult | undefined
  connection: Connection | undefined
  /**
   * Last frame in progress; undefined if there is none. Frames are answered in order, one at a
   * time.
   */
  work: Promise<void> | undefined
  /** Set if the socket is one of LiveKit that is carried. */
  relay: SignalRelay | undefined
}

export type UpgradingServer = Pick<Server<SocketData>, 'upgrade' | 'requestIP'>
type BunSocket = ServerWebSocket<SocketData>

/**
 * After a restart all clients connect at once and must not fill the queue for database connections.
 * The number is large enough to store due session extensions together.
 */
const MAX_CONCURRENT_UPGRADES = 50

/**
 * Opens WebSockets (R18.1, R18.2). The session is looked up before the upgrade, and frames
 * therefore cannot arrive too early. Without a session the socket opens and closes at once, because
 * a page can read the reason only from a socket.
 */
export function createGateway(services: Services, hub: Hub) {
  const semaphore = new Semaphore(MAX_CONCURRENT_UPGRADES)
  return {
    /** Upgrades the request. Throws the refusals that precede an upgrade. */
    async upgrade(request: Request, server: UpgradingServer, peer: string): Promise<undefined> {
      const upgradeResult = await semaphore.run(() => admit(services, hub, request, peer))
      // The check and the opening of the socket have no await between them: no concurrent request
      // exceeds the limit.
      if ('actor' in upgradeResult) requireConnectionCapacity(services, hub, upgradeResult)
      const headers = acceptsSubprotocol(protocolsOf(request))
        ? { 'Sec-WebSocket-Protocol': SUBPROTOCOL }
        : {}
      const data: SocketData = { upgradeResult, connection: undefined, work: undefined, relay: undefined }
      if (!server.upgrade(request, { data, headers })) throw notWebSocketRequest()
      return undefined
    },
    websocket: handlers(services, hub),
  }
}

export function notWebSocketRequest(): Error {
  return failure('invalid_request', { text: 'This address accepts only WebSocket connections' })
}

function protocolsOf({ headers }: Request): string[] {
  return (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())
}

function acceptsSubprotocol(protocols: readonly string[]): boolean {
  return protocols.includes(SUBPROTOCOL)
}

async function admit(services: Services, hub: Hub, request: Request, peer: string): Promise<UpgradeResult> {
  const host = services.hosts(request.headers.get('host'))
  if ('refused' in host) throw failure(host.refused)
  if (request.method !== 'GET') throw failure('method_not_allowed', { headers: { Allow: 'GET' } })
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') throw notWebSocketRequest()
  const protocols = protocolsOf(request)
  const ticket = protocols.find((name) => name.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length)
  checkOrigin(request, host.origin, ticket !== undefined)
  const [token, ...more] = readCookie(request, cookieNames(host.origin).session)
  if (more.length > 0)
    throw failure('invalid_request', { text: 'The request has more than one session cookie' })
  if (!acceptsSubprotocol(protocols)) return rejectUpgrade(Close.protocol, 'unknown subprotocol')
  requireCapacity(services, hub)
  const client = clientOf(services, request, peer)
  const credential = ticket === undefined ? { token } : { sessionId: await redeem(services, ticket) }
  const actor = await findByCredential(services, credential)
  services.rates.take('socket_connects_per_minute', actor?.session.id ?? client.prefix)
  if (!actor) return rejectUpgrade(Close.session, await findCloseReason(services, credential))
  return { actor, clientIp: client.ip, clientPrefix: client.prefix }
}

function rejectUpgrade(code: number, reason: string): UpgradeResult {
  return { refused: { code, reason } }
}

/**
 * R18.2: browsers always send `Origin`, and pages cannot forge it. A client without it must present
 * a ticket instead of a cookie.
 */
function checkOrigin({ headers }: Request, origin: string, hasTicket: boolean): void {
  const originHeader = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw failure('cross_site_request')
  if (originHeader === null ? !hasTicket : originHeader !== origin) throw failure('cross_site_request')
}

function requireCapacity({ policy }: Services, hub: Hub): void {
  if (hub.isStopping || hub.registry.size >= policy.limits.sockets_total)
    throw failure('unavailable', { headers: { 'Retry-After': '30' } })
}

/** Credential of a session: a cookie or a ticket, whichever was sent. It may lead to no session. */
type Credential = { readonly token: string | undefined } | { readonly sessionId: string | undefined }

/** Session of a ticket. Consumes the ticket. */
async function redeem({ database, now }: Services, ticket: string): Promise<string | undefined> {
  // Invented tickets must not occupy the writer.
  if (!(await isTicket(database.read, ticket))) return undefined
  return database.write((tx) => redeemTicket(tx, ticket, now()))
}

function findByCredential(services: Services, credential: Credential): Promise<Actor | null> | null {
  if ('token' in credential)
    return credential.token === undefined ? null : findActor(services, credential.token)
  return credential.sessionId === undefined ? null : findActorOfSession(services, credential.sessionId)
}

/** Close reason without a valid session: the session has ended or never existed. */
async function findCloseReason(
  { sessions, database, now }: Services,
  credential: Credential,
): Promise<RevokeReason> {
  const session =
    'token' in credential
      ? credential.token !== undefined && (await sessions.find(credential.token))
      : credential.sessionId !== undefined && (await sessions.findById(credential.sessionId))
  if (!session) return 'signed_out'
  const ends = await findSessionEnds(database.read, database.dialect, [session.id])
  return endReasonOf(ends.get(session.id), now()) ?? (session.user.disabled === 1 ? 'disabled' : 'signed_out')
}

/**
 * Throws unless one more connection is allowed now. Guests of one network must leave capacity to
 * all others.
 */
function requireConnectionCapacity(
  services: Services,
  hub: Hub,
  { actor, clientPrefix }: AuthenticatedPeer,
): void {
  requireCapacity(services, hub)
  if (actor.user.is_guest !== 1) return
  const { guest_sockets_prefix, sockets_total } = services.policy.limits
  const { registry } = hub
  const isShare = hasShare(networksOf(clientPrefix), sockets_total - registry.size, (network) =>
    registry.countGuests(network),
  )
  if (!isShare || registry.countGuests(clientPrefix) >= guest_sockets_prefix)
    throw failure('rate_limited', { headers: { 'Retry-After': '30' } })
}

function handlers(services: Services, hub: Hub): WebSocketHandler<SocketData> {
  return {
    perMessageDeflate: false,
    // Our own limit is smaller and has its own close code. Bun does not read larger frames and
    // closes with 1009.
    maxPayloadLength: services.livekit ? SIGNAL_LIMIT_BYTES : 4 * FRAME_LIMIT_BYTES,
    backpressureLimit: 16 * 1024 * 1024,
    // Keepalive is done by the hub.
    idleTimeout: 0,
    sendPings: false,
    open: (socket) => (socket.data.relay ? socket.data.relay.open(socket) : onOpen(services, hub, socket)),
    message(socket, message) {
      const { relay } = socket.data
      if (relay) return relayFrame(services, relay, message)
      if (!acceptFrame(services, socket)) return
      if (Buffer.byteLength(message) > FRAME_LIMIT_BYTES) return socket.close(Close.tooLarge, 'too large')
      enqueue(services, hub, socket.data, typeof message === 'string' ? message : '')
    },
    pong: (socket) => void acceptFrame(services, socket),
    ping: (socket) => void acceptFrame(services, socket),
    close({ data }) {
      data.relay?.close()
      if (data.connection) hub.drop(data.connection)
    },
  }
}

/** Passes a frame on to LiveKit, and closes the socket of a client that sends too many. */
function relayFrame({ rates }: Services, relay: SignalRelay, message: string | Buffer<ArrayBuffer>): void {
  if (rates.tryTake('voice_signals_per_10s', `livekit:${relay.identity.connectionId}`).allowed)
    relay.toLiveKit(message)
  else relay.close()
}

/** Counts incoming frames, including pings and pongs. False if the limit closed the socket. */
function acceptFrame({ rates, steadyNow }: Services, { data: { connection } }: BunSocket): boolean {
  if (!connection || connection.isClosed) return false
  connection.noteActivity(steadyNow())
  // Connecting to several people takes many frames.
  const limit = connection.callRooms.size > 0 ? 'voice_signals_per_10s' : 'socket_messages_per_10s'
  if (rates.tryTake(limit, connection.id).allowed) return true
  connection.close(Close.tooFast, 'too fast')
  return false
}

function onOpen(services: Services, hub: Hub, socket: BunSocket): void {
  const { data } = socket
  const { upgradeResult } = data
  data.upgradeResult = undefined
  if (!upgradeResult) return
  if ('refused' in upgradeResult)
    return socket.close(upgradeResult.refused.code, upgradeResult.refused.reason)
  const { actor, clientIp, clientPrefix } = upgradeResult
  const expiresAtMs = actor.session.idleExpiresAtMs
  const person = toConnectionUser(actor, clientIp, clientPrefix)
  const connection = new Connection(socket, person, { steadyNowMs: services.steadyNow(), expiresAtMs })
  data.connection = connection
  hub.registry.add(connection)
  hub.online.note(connection)
  connection.sendFrame({
    type: 'welcome',
    connectionId: connection.id,
    userId: person.userId,
    protocol: SUBPROTOCOL,
    now: toMoment(services.now()),
    expiresAt: toMoment(expiresAtMs),
    limits: limitsFor(services, person.isGuest),
  })
  if (!person.isGuest) hub.sendCallAlerts(connection)
}

/** Limits that a client should observe to avoid refusals. */
function limitsFor({ policy }: Services, isGuest: boolean): Record<string, number> {
  const { limits, guestFiles } = policy
  return {
    frameBytes: FRAME_LIMIT_BYTES,
    messageLength: isGuest ? limits.guest_message_length : limits.message_length,
    messageEditHours: limits.message_edit_hours,
    // 0 if this person may send no files.
    fileBytes: isGuest && guestFiles === 'off' ? 0 : limits.file_bytes,
    filesPerMessage: limits.files_per_message,
    messagesPer10s: limits.socket_messages_per_10s,
    subscriptions: limits.socket_subscriptions,
  }
}

function enqueue(services: Services, hub: Hub, data: SocketData, text: string): void {
  const { connection, work } = data
  if (!connection) return
  const answered = (work ?? Promise.resolve()).then(() => handleFrame(services, hub, connection, text))
  data.work = answered
  void answered.then(() => {
    if (data.work === answered) data.work = undefined
  })
}
