import type { Server, ServerWebSocket, WebSocketHandler } from 'bun'
import type { Actor } from '../context.ts'
import { failure } from '../failures.ts'
import { clientOf } from '../http/client.ts'
import { cookieNames, readCookie } from '../http/cookies.ts'
import type { Services } from '../http/services.ts'
import { findActor, findActorOfSession } from '../http/visit.ts'
import { redeemTicket } from '../tickets/store.ts'
import { Connection } from './connection.ts'
import { answer } from './frames.ts'
import type { Hub } from './hub.ts'
import { Close, FRAME_LIMIT_BYTES, SUBPROTOCOL, TICKET_PREFIX } from './protocol.ts'
import { findEnded } from './store.ts'

/** What a socket has from its upgrade on, before anybody knows who it is. */
export interface SocketData {
  readonly token: string | undefined
  readonly ticket: string | undefined
  readonly isOurProtocol: boolean
  readonly clientIp: string
  readonly clientPrefix: string
  connection: Connection | undefined
  /** Frames that came before the session was looked up. */
  early: string[]
  /** Frames are answered in their order. */
  work: Promise<void>
  isGone: boolean
}

export type UpgradingServer = Pick<Server<SocketData>, 'upgrade' | 'requestIP'>
type BunSocket = ServerWebSocket<SocketData>

/** More than a client sends before it is welcomed. */
const MOST_EARLY = 64

/** Lets sockets in (R18.1, R18.2). */
export function createGateway(services: Services, hub: Hub) {
  return {
    /** Upgrades, or throws what refuses before it; whose session is missing or over is told so on the socket. */
    upgrade(request: Request, server: UpgradingServer, peer: string): undefined {
      const data = admit(services, hub, request, peer)
      const headers = data.isOurProtocol ? { 'Sec-WebSocket-Protocol': SUBPROTOCOL } : {}
      if (!server.upgrade(request, { data, headers }))
        throw failure('invalid_request', { text: 'This address takes WebSocket connections' })
      return undefined
    },
    websocket: handlers(services, hub),
  }
}

function admit(services: Services, hub: Hub, request: Request, peer: string): SocketData {
  const { policy, rates } = services
  const found = services.hosts(request.headers.get('host'))
  if ('refused' in found) throw failure(found.refused)
  if (request.method !== 'GET') throw failure('method_not_allowed', { headers: { Allow: 'GET' } })
  const protocols = (request.headers.get('sec-websocket-protocol') ?? '')
    .split(',')
    .map((name) => name.trim())
  const ticket = protocols.find((name) => name.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length)
  checkOrigin(request, found.origin, ticket !== undefined)
  if (hub.roster.size >= policy.limits.sockets_total)
    throw failure('unavailable', { headers: { 'Retry-After': '30' } })
  const [token, ...more] = readCookie(request, cookieNames(found.origin).session)
  if (more.length > 0) throw failure('invalid_request', { text: 'The session cookie came twice' })
  const client = clientOf(services, request, peer)
  rates.take('socket_connects_per_minute', token ?? client.prefix)
  return {
    token,
    ticket,
    isOurProtocol: protocols.includes(SUBPROTOCOL),
    clientIp: client.ip,
    clientPrefix: client.prefix,
    connection: undefined,
    early: [],
    work: Promise.resolve(),
    isGone: false,
  }
}

/** R18.2: browsers cannot leave it out and pages cannot forge it; who sends none has a ticket instead of a cookie. */
function checkOrigin({ headers }: Request, origin: string, hasTicket: boolean): void {
  const given = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw failure('cross_site_request')
  if (given === null ? !hasTicket : given !== origin) throw failure('cross_site_request')
}

function handlers(services: Services, hub: Hub): WebSocketHandler<SocketData> {
  return {
    perMessageDeflate: false,
    // Ours is smaller and has a code of its own; larger frames are not even read.
    maxPayloadLength: 4 * FRAME_LIMIT_BYTES,
    backpressureLimit: 16 * 1024 * 1024,
    // Signs of life are the hub's.
    idleTimeout: 0,
    sendPings: false,
    open: (socket) => void welcome(services, hub, socket),
    message(socket, message) {
      const { data } = socket
      data.connection?.heard(services.now())
      if (message.length > FRAME_LIMIT_BYTES) return socket.close(Close.tooLarge, 'too large')
      const text = typeof message === 'string' ? message : ''
      if (data.connection) return enqueue(services, hub, data, text)
      data.early.push(text)
      if (data.early.length > MOST_EARLY) socket.close(Close.tooFast, 'too fast')
    },
    pong: ({ data }) => data.connection?.heard(services.now()),
    ping: ({ data }) => data.connection?.heard(services.now()),
    close({ data }) {
      data.isGone = true
      if (data.connection) hub.drop(data.connection)
    },
  }
}

async function welcome(services: Services, hub: Hub, socket: BunSocket): Promise<void> {
  const { data } = socket
  if (!data.isOurProtocol) return socket.close(Close.protocol, 'unknown subprotocol')
  try {
    const actor = await identify(services, data)
    if (data.isGone) return
    if (!actor) return socket.close(Close.session, await whyNot(services, data))
    if (isOneGuestTooMany(services, hub, actor, data)) return socket.close(Close.tooMany, 'too many guests')
    const { user, session } = actor
    const { clientIp, clientPrefix } = data
    const connection = new Connection(socket, { user, session, clientIp, clientPrefix }, services.now())
    data.connection = connection
    hub.roster.add(connection)
    connection.tell({
      type: 'welcome',
      connectionId: connection.id,
      userId: connection.userId,
      protocol: SUBPROTOCOL,
      expiresAt: new Date(connection.expiresAtMs).toISOString(),
      limits: limitsFor(services, actor),
    })
    for (const text of data.early.splice(0)) enqueue(services, hub, data, text)
  } catch (error) {
    services.log.error('a socket could not be welcomed', { error })
    socket.close(Close.overloaded, 'try again')
  }
}

async function identify(services: Services, { ticket, token }: SocketData): Promise<Actor | null> {
  if (ticket === undefined) return token === undefined ? null : findActor(services, token)
  const sessionId = await services.database.write((tx) => redeemTicket(tx, ticket, services.now()))
  return sessionId === undefined ? null : findActorOfSession(services, sessionId)
}

/** Why a cookie opens nothing: its session has ended, or there never was one. */
async function whyNot({ sessions, database, now }: Services, { token }: SocketData): Promise<string> {
  const session = token === undefined ? undefined : await sessions.find(token)
  if (!session) return 'signed_out'
  const ended = await findEnded(database.read, database.dialect, [session.id], now())
  return ended.get(session.id) ?? 'disabled'
}

function isOneGuestTooMany(
  { policy }: Services,
  hub: Hub,
  { user }: Actor,
  { clientPrefix }: SocketData,
): boolean {
  return user.is_guest === 1 && hub.roster.countGuests(clientPrefix) >= policy.limits.guest_sockets_prefix
}

/** What a client should keep to, so that it is not refused. */
function limitsFor({ policy: { limits } }: Services, { user }: Actor): Record<string, number> {
  return {
    frameBytes: FRAME_LIMIT_BYTES,
    messageLength: user.is_guest === 1 ? limits.guest_message_length : limits.message_length,
    messagesPer10s: limits.socket_messages_per_10s,
    subscriptions: limits.socket_subscriptions,
  }
}

/** Frames are answered one after the other, in their order. */
function enqueue(services: Services, hub: Hub, data: SocketData, text: string): void {
  const { connection } = data
  if (!connection) return
  if (!services.rates.allows('socket_messages_per_10s', connection.id).allowed)
    return connection.close(Close.tooFast, 'too fast')
  data.work = data.work.then(() => answer(services, hub, connection, text))
}
