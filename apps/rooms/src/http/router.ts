import type { Arrival } from '@latchkey/http/mount'
import { failure } from '../failures.ts'
import { API_PATH, createApi, renderFailure } from './api.ts'
import { BACKCHANNEL_LOGOUT_PATH, createBackchannelLogout } from './backchannel-logout.ts'
import { type Header, securityHeaders } from './headers.ts'
import { type Readiness, checkMetricsReader, health } from './health.ts'
import { createLoginRoutes } from './login.ts'
import { createPages } from './pages.ts'
import { createReference } from './reference-page.ts'
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
  const api = createApi(services)
  const login = createLoginRoutes(services)
  const backchannelLogout = createBackchannelLogout(services)
  const reference = createReference()
  const pages = createPages(services)
  const answer = (request: Request, path: string, arrival: Arrival): Response | Promise<Response> => {
    const { peer } = arrival
    if (OPERATED.has(path)) return operate(services, readiness, { request, path, peer })
    if (path === BACKCHANNEL_LOGOUT_PATH) return backchannelLogout(request, peer)
    const walked = login(request, path, peer)
    if (walked) return walked
    const found = services.hosts(request.headers.get('host'))
    if ('refused' in found) throw failure(found.refused)
    if (!isApi(path)) return pages(request, path, found.origin)
    return reference(request, path) ?? api.fetch(request, arrival)
  }
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
      return finish(request, path, refuse(services, error))
    }
  }
  const open: Router['serve'] = async (request, server) => {
    try {
      return await upgrade(request, server, server.requestIP(request)?.address ?? '')
    } catch (error) {
      return finish(request, SOCKET_PATH, refuse(services, error))
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

/** What ends before it has reached a route. */
function refuse(services: Services, error: unknown): Response {
  const requestId = crypto.randomUUID()
  const response = renderFailure(services, error, requestId)
  response.headers.set('X-Request-Id', requestId)
  services.metrics.observeRequest('unmatched', response.status, 0)
  return response
}

interface Asked {
  request: Request
  path: string
  peer: string
}

const OPERATED: ReadonlySet<string> = new Set(['/api/health', '/api/ready', '/api/metrics'])

/** R24.1 and R24.2, under any host name, metrics excepted. */
async function operate(
  services: Services,
  readiness: Readiness,
  { request, path, peer }: Asked,
): Promise<Response> {
  if (path === '/api/metrics') checkMetricsReader(request, peer, services)
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
  if (path === '/api/health') return health(services.now())
  if (path === '/api/ready') return readiness.answer()
  const { registry } = services.metrics
  return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } })
}
