import type { PeerInfo } from '@latchkey/http/mount'
import { failure } from '../failures.ts'
import { BACKCHANNEL_LOGOUT_PATH } from '../login/login-state.ts'
import { API_PATH, createApi, refuseForeignOrigin, renderFailure } from './api.ts'
import { createBackchannelLogout } from './backchannel-logout.ts'
import { type Header, securityHeaders } from './headers.ts'
import { type Readiness, authorizeMetrics, health } from './health.ts'
import { createLoginRoutes } from './login.ts'
import { createPages, pageRoute } from './pages.ts'
import { createReference, isReference } from './reference-page.ts'
import type { UpgradingServer, createGateway } from '../realtime/gateway.ts'
import type { Services } from './services.ts'

export type Fetch = (request: Request, server: Pick<UpgradingServer, 'requestIP'>) => Promise<Response>

export interface Router {
  /** Everything but sockets. */
  fetch: Fetch
  /** Sockets too, on a server that has them; undefined when the connection has become one. */
  serve: (request: Request, server: UpgradingServer) => Promise<Response | undefined>
}

const SOCKET_PATH = '/api/ws'

/** The one door: operator's routes, the way through a login, the API, sockets, and the pages of the web client. */
export function createRouter(
  services: Services,
  readiness: Readiness,
  { upgrade }: Pick<ReturnType<typeof createGateway>, 'upgrade'>,
): Router {
  const answer = createAnswers(services, readiness)
  const headers = headersByOrigin(services.settings.allowedHosts)
  const finish = (request: Request, path: string, response: Response): Response => {
    const found = services.hosts(request.headers.get('host'))
    const origin = 'origin' in found ? found.origin : services.policy.canonicalOrigin
    for (const [name, value] of headers.get(origin) ?? [])
      // Only files of the pages may be kept.
      if (!response.headers.has(name) || (name === 'Cache-Control' && isApi(path)))
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
  const open: Router['serve'] = async (request, server) => {
    try {
      await upgrade(request, server, server.requestIP(request)?.address ?? '')
      services.metrics.countRequest(SOCKET_PATH, 101)
      return undefined
    } catch (error) {
      return finish(request, SOCKET_PATH, refuse(services, request, SOCKET_PATH, error))
    }
  }
  return {
    fetch: (request, server) => handle(request, pathOf(request), server),
    serve(request, server) {
      const path = pathOf(request)
      return path === SOCKET_PATH ? open(request, server) : handle(request, path, server)
    },
  }
}

/** Everything but sockets; throws what ends before it has reached a route. */
function createAnswers(services: Services, readiness: Readiness) {
  const api = createApi(services)
  const login = createLoginRoutes(services)
  const backchannelLogout = createBackchannelLogout(services)
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
    // These and the API count their requests themselves.
    if (path === BACKCHANNEL_LOGOUT_PATH) return backchannelLogout(request, peer)
    const loginResponse = login(request, path, peer)
    if (loginResponse) return loginResponse
    const found = services.hosts(request.headers.get('host'))
    if ('refused' in found) throw failure(found.refused)
    if (!isApi(path)) return withRequestCount(pageRoute(path), pages(request, path))
    // The API refuses it by itself; the callback goes by cookie and state, and monitors ask under any name (R6.2, R24.1).
    if (isReference(path)) refuseForeignOrigin(request, found.origin)
    const referenceResponse = reference(request, path)
    return referenceResponse ? withRequestCount(path, referenceResponse) : api.fetch(request, peerInfo)
  }
}

/** The path of an address that Bun has made canonical; of a request without a usable `Host` it knows no more than that. */
function pathOf({ url }: Request): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const path = url.slice(start)
  const end = path.search(/[?#]/)
  return end < 0 ? path : path.slice(0, end)
}

function headersByOrigin(origins: readonly string[]): ReadonlyMap<string, readonly Header[]> {
  return new Map(origins.map((origin) => [origin, securityHeaders(origin)]))
}

function isApi(path: string): boolean {
  return path === API_PATH || path.startsWith(`${API_PATH}/`)
}

/** What ends before it has reached a route that counts its requests itself. */
function refuse(services: Services, { method }: Request, path: string, error: unknown): Response {
  const requestId = crypto.randomUUID()
  const response = renderFailure(services, error, requestId)
  response.headers.set('X-Request-Id', requestId)
  const { status } = response
  const route = routeOf(path)
  services.metrics.countRequest(route, status)
  // The answer names its request for the log.
  services.log.info('request', { route, method, status, requestId })
  return response
}

/** Names of routes are a closed list: nothing that somebody has made up gets into metrics or log. */
function routeOf(path: string): string {
  if (!isApi(path)) return pageRoute(path)
  return path === SOCKET_PATH || OPERATOR_PATHS.has(path) || isReference(path) ? path : 'unmatched'
}

interface OperatorRequest {
  request: Request
  path: string
  peer: string
}

const OPERATOR_PATHS: ReadonlySet<string> = new Set(['/api/health', '/api/ready', '/api/metrics'])

/** R24.1 and R24.2, under any host name, metrics excepted. */
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
