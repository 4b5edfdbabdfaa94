import type { Header } from '@latchkey/http/answer-headers'
import type { PeerInfo } from '@latchkey/http/mount'
import { failure } from './api/failures.ts'
import { CACHEABLE } from './files/serve.ts'
import { BACKCHANNEL_LOGOUT_PATH } from './login/login-state.ts'
import { API_PATH, createApi, refuseForeignOrigin, renderFailure } from './http/api.ts'
import { createBackchannelLogout } from './http/backchannel-logout.ts'
import { securityHeaders } from './http/headers.ts'
import { type Readiness, authorizeMetrics, health } from './http/health.ts'
import { WEBHOOK_PATH, createLiveKitWebhook } from './livekit-webhook.ts'
import { KEY_SET_PATH, createAccessRoutes } from './http/access-layer.ts'
import { createRevocationsRoute } from './http/access-revocations.ts'
import { createLoginRoutes } from './http/login.ts'
import { createPages, pageRoute } from './http/pages.ts'
import { createReference, isReference } from './http/reference-page.ts'
import type { MediaControl } from './realtime/calls/media-control.ts'
import type { UpgradingServer, createGateway } from './realtime/gateway.ts'
import { type createSignalGate, isSignalPath } from './signal-gate.ts'
import type { Services } from './services.ts'
import type { Settings } from './settings/settings.ts'

export type Fetch = (request: Request, server: Pick<UpgradingServer, 'requestIP'>) => Promise<Response>

export interface Router {
  /** Serves everything except sockets. */
  fetch: Fetch
  /**
   * Serves sockets as well, on a server that supports them. Undefined if the connection became a
   * socket.
   */
  serve: (request: Request, server: UpgradingServer) => Promise<Response | undefined>
}

/** The parts of the realtime side that serve requests. */
export interface RealtimeParts extends Pick<ReturnType<typeof createGateway>, 'upgrade'> {
  signalGate: ReturnType<typeof createSignalGate>
  media: MediaControl | null
}

const SOCKET_PATH = '/api/ws'

/**
 * The single entry point: operator routes, login routes, the API, sockets, and the pages of the web
 * client.
 */
export function createRouter(
  services: Services,
  readiness: Readiness,
  { upgrade, signalGate, media }: RealtimeParts,
): Router {
  const answer = createAnswers(services, readiness, media)
  const headers = headersByOrigin(services.settings)
  const finish = (request: Request, path: string, response: Response): Response => {
    const match = services.hosts(request.headers.get('host'))
    const origin = 'origin' in match ? match.origin : services.policy.canonicalOrigin
    for (const [name, value] of headers.get(origin) ?? [])
      if (!response.headers.has(name) || (name === 'Cache-Control' && !isCacheable(path, response)))
        response.headers.set(name, value)
    return response
  }
  const handle = async (request: Request, path: string, server: Parameters<Fetch>[1]): Promise<Response> => {
    const peer = server.requestIP(request)?.address ?? ''
    try {
      return finish(request, path, await answer(request, path, { peer }))
    } catch (error) {
      return finish(request, path, refuse(services, request, path, error))
    }
  }
  const open = async (request: Request, path: string, server: UpgradingServer) => {
    const peer = server.requestIP(request)?.address ?? ''
    try {
      const response =
        path === SOCKET_PATH
          ? await upgrade(request, server, peer)
          : await signalGate.serve({ request, path, peer }, server)
      services.metrics.countRequest(path, response?.status ?? 101)
      return response && finish(request, path, response)
    } catch (error) {
      return finish(request, path, refuse(services, request, path, error))
    }
  }
  return {
    fetch: (request, server) => handle(request, pathOf(request), server),
    serve(request, server) {
      const path = pathOf(request)
      const isSocket = path === SOCKET_PATH || isSignalPath(path)
      return isSocket ? open(request, path, server) : handle(request, path, server)
    },
  }
}

/** Serves everything except sockets. Throws failures that occur before a route is reached. */
function createAnswers(services: Services, readiness: Readiness, media: MediaControl | null) {
  const api = createApi(services)
  const login = createLoginRoutes(services)
  const access = createAccessRoutes(services)
  const revocations = createRevocationsRoute(services)
  const backchannelLogout = createBackchannelLogout(services)
  const livekitWebhook = createLiveKitWebhook(services, media)
  const reference = createReference(services.policy.demo)
  const pages = createPages(services)
  const withRequestCount = async (
    route: string,
    pending: Response | Promise<Response>,
  ): Promise<Response> => {
    const response = await pending
    services.metrics.countRequest(route, response.status)
    return response
  }
  return (request: Request, path: string, peerInfo: PeerInfo): Response | Promise<Response> => {
    const { peer } = peerInfo
    if (OPERATOR_PATHS.has(path))
      return withRequestCount(path, serveOperatorRoute(services, readiness, { request, path, peer }))
    // These routes and the API count their requests themselves.
    if (path === BACKCHANNEL_LOGOUT_PATH) return backchannelLogout(request, peer)
    if (path === WEBHOOK_PATH) return livekitWebhook(request, peer)
    const ownResponse =
      login(request, path, peer) ?? access(request, path, peer) ?? revocations(request, path, peer)
    if (ownResponse) return ownResponse
    const match = services.hosts(request.headers.get('host'))
    if ('refused' in match) throw failure(match.refused)
    if (!isApi(path))
      return withRequestCount(
        pageRoute(path),
        pages(request, path, (inner) => api.fetch(inner, peerInfo)),
      )
    // The API checks the origin itself. The callback relies on cookie and state, and monitors may
    // use any host name (R6.2, R24.1).
    if (isReference(path)) refuseForeignOrigin(request, match.origin)
    const referenceResponse = reference(request, path)
    return referenceResponse ? withRequestCount(path, referenceResponse) : api.fetch(request, peerInfo)
  }
}

/** Only static files, files of messages, profile pictures and public keys may be cached. */
function isCacheable(path: string, { headers }: Response): boolean {
  return !isApi(path) || path === KEY_SET_PATH || CACHEABLE.has(headers.get('Cache-Control'))
}

/**
 * The path of a URL, which Bun has normalised. Without a usable Host header, Bun provides only the
 * path.
 */
function pathOf({ url }: Request): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const path = url.slice(start)
  const end = path.search(/[?#]/)
  return end < 0 ? path : path.slice(0, end)
}

function headersByOrigin({ allowedHosts, voice }: Settings): ReadonlyMap<string, readonly Header[]> {
  return new Map(allowedHosts.map((origin) => [origin, securityHeaders(origin, voice)]))
}

function isApi(path: string): boolean {
  return path === API_PATH || path.startsWith(`${API_PATH}/`)
}

/** Answers requests that fail before they reach a route that counts and logs them. */
function refuse(services: Services, { method }: Request, path: string, error: unknown): Response {
  const requestId = crypto.randomUUID()
  const response = renderFailure(services, error, requestId)
  response.headers.set('X-Request-Id', requestId)
  const { status } = response
  const route = routeOf(path)
  services.metrics.countRequest(route, status)
  // The log line contains the request id of the response.
  services.log.info('request', { route, method, status, requestId })
  return response
}

/** The set of route names is closed: metrics and logs contain no text of clients. */
function routeOf(path: string): string {
  if (!isApi(path)) return pageRoute(path)
  return path === SOCKET_PATH || isSignalPath(path) || OPERATOR_PATHS.has(path) || isReference(path)
    ? path
    : 'unmatched'
}

interface OperatorRequest {
  request: Request
  path: string
  peer: string
}

const OPERATOR_PATHS: ReadonlySet<string> = new Set(['/api/health', '/api/ready', '/api/metrics'])

/** R24.1 and R24.2. Under any host name, except metrics. */
async function serveOperatorRoute(
  services: Services,
  readiness: Readiness,
  { request, path, peer }: OperatorRequest,
): Promise<Response> {
  if (path === '/api/metrics') authorizeMetrics(request, peer, services)
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
  if (path === '/api/health') return health(services.now())
  if (path === '/api/ready') return readiness.answer()
  const { registry } = services.metrics
  return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } })
}
