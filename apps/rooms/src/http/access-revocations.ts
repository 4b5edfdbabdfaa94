import { REVOCATIONS_PATH } from '../access-layer/revocations.ts'
import { readServiceToken } from '../access-layer/service-token.ts'
import { failure } from '../api/failures.ts'
import type { Services } from '../services.ts'
import { renderFailure } from './api.ts'
import { clientOf } from './client.ts'

/**
 * Where services learn whose access has ended (R50.6). A service calls it, so cookies, Origin and Host
 * have no meaning here: only the signature of its token counts.
 */
export function createRevocationsRoute(
  services: Services,
): (request: Request, path: string, peer: string) => Promise<Response> | undefined {
  return (request, path, peer) => (path === REVOCATIONS_PATH ? respond(services, request, peer) : undefined)
}

/** Not timed: most of these requests wait for something to happen. */
async function respond(services: Services, request: Request, peer: string): Promise<Response> {
  const requestId = crypto.randomUUID()
  const response = await answer(services, request, peer).catch((error: unknown) =>
    renderFailure(services, error, requestId),
  )
  response.headers.set('X-Request-Id', requestId)
  const { status } = response
  services.metrics.countRequest(REVOCATIONS_PATH, status)
  services.log.info('request', { route: REVOCATIONS_PATH, method: request.method, status, requestId })
  return response
}

async function answer(services: Services, request: Request, peer: string): Promise<Response> {
  const { policy, revocations, rates, now } = services
  const { access, canonicalOrigin: audience } = policy
  if (access === null || access.serviceKey === null || revocations === null) throw failure('not_found')
  if (request.method !== 'GET') throw failure('method_not_allowed', { headers: { Allow: 'GET' } })
  const origin = await readServiceToken(request, access, { audience, nowMs: now() })
  if (origin === undefined) {
    rates.take('http_anonymous_per_minute', clientOf(services, request, peer).prefix)
    throw failure('unauthenticated', {
      text: 'A token is required that ROOMS_ACCESS_SERVICE_KEY signed for this instance within the last minute',
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  rates.take('backchannel_per_minute', origin)
  const since = new URL(request.url, audience).searchParams.get('since')
  return Response.json(await revocations.read(origin, since, request.signal))
}
