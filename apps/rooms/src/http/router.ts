import type { Server } from 'bun'
import type { Arrival } from '@latchkey/http/mount'
import { failure } from '../failures.ts'
import { createApi, renderFailure } from './api.ts'
import { BACKCHANNEL_LOGOUT_PATH, createBackchannelLogout } from './backchannel-logout.ts'
import { commonHeaders } from './headers.ts'
import { type Readiness, health, mayReadMetrics } from './health.ts'
import { createLoginRoutes } from './login.ts'
import { createPages } from './pages.ts'
import { createReference } from './reference-page.ts'
import type { Services } from './services.ts'

export type Fetch = (request: Request, server: Pick<Server<unknown>, 'requestIP'>) => Promise<Response>

/** The one door: operator's routes, the way through a login, the API, and the pages of the web client. */
export function createRouter(services: Services, readiness: Readiness): Fetch {
  const api = createApi(services)
  const login = createLoginRoutes(services)
  const backchannelLogout = createBackchannelLogout(services)
  const reference = createReference()
  const pages = createPages(services)
  const answer = async (request: Request, path: string, arrival: Arrival): Promise<Response> => {
    const operated = await operate(services, readiness, { request, path, peer: arrival.peer })
    if (operated) return operated
    if (path === BACKCHANNEL_LOGOUT_PATH) return backchannelLogout(request, arrival.peer)
    const walked = await login(request, path, arrival.peer)
    if (walked) return walked
    const found = services.hosts(request.headers.get('host'))
    if ('refused' in found) throw failure(found.refused)
    if (path !== '/api' && !path.startsWith('/api/')) return pages(request, path, found.origin)
    return reference(request, path, found.origin) ?? api.fetch(request, arrival)
  }
  return async (request, server) => {
    const { pathname } = URL.parse(request.url, 'http://localhost') ?? { pathname: '/' }
    const peer = server.requestIP(request)?.address ?? ''
    const response = await answer(request, pathname, { peer }).catch((error: unknown) =>
      renderFailure(services, error, crypto.randomUUID()),
    )
    for (const [name, value] of Object.entries(commonHeaders(services.policy.canonicalOrigin)))
      if (name === 'Cache-Control' || !response.headers.has(name)) response.headers.set(name, value)
    return response
  }
}

interface Asked {
  request: Request
  path: string
  peer: string
}

/** R24.1 and R24.2, under any host name. */
async function operate(
  services: Services,
  readiness: Readiness,
  { request, path, peer }: Asked,
): Promise<Response | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  if (path === '/api/health') return health(services.now())
  if (path === '/api/ready') return readiness.answer()
  if (path !== '/api/metrics') return undefined
  if (!mayReadMetrics(request, peer, services)) throw failure('not_found')
  const { registry } = services.metrics
  return new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } })
}
