import type { Server } from 'bun'
import { ANSWER_HEADERS, type Header, strictTransport } from '@latchkey/http/answer-headers'
import { forwardedOrigin } from '@latchkey/http/client-address'
import type { PeerInfo } from '@latchkey/http/mount'
import { fontResponse } from '@latchkey/web/font'
import type { PeerSource, Redirect } from './redirect/redirect.ts'
import { locationOf } from './urls/location.ts'
import { FONT_PATH } from './redirect/page-styles.ts'
import { landingPage, methodNotAllowed, notFoundPage } from './redirect/pages.ts'
import { findRootRedirect } from './preferences/operations.ts'
import type { Site } from './domains/sites.ts'
import { WELL_KNOWN_NAMES } from './domains/well-known-names.ts'
import { WELL_KNOWN_PATH, serveWellKnown } from './domains/well-known.ts'
import { isReserved, type RootName } from './urls/reserved.ts'
import { SHARED_STATS_PATH } from './sharing/operations.ts'
import { isMcpHost } from './urls/host.ts'
import type { createMcp } from './mcp/endpoint.ts'
import { type createAdmin, DASHBOARD_PATH } from './http/admin.ts'
import { DOMAIN_CHECK_PATH, checkDomain } from './http/domain-check.ts'
import { failurePage } from './http/failure-page.ts'
import { type Readiness, checkHealth, mayReadMetrics } from './http/health.ts'
import type { Metrics } from './http/metrics.ts'
import { ADMIN_API_PATH, ASSETS_PATH } from './http/pages.ts'
import { peerOf } from './http/peer.ts'
import { API_PATH, type createPublicApi } from './http/public-api.ts'
import {
  GPC_PATH,
  PRIVACY_JSON_PATH,
  PRIVACY_PATH,
  type createPrivacyPages,
  serveGpcSupport,
} from './http/privacy/handler.ts'
import type { createReference } from './http/reference.ts'
import { rootFiles } from './http/root-files.ts'
import type { Services } from './http/services.ts'
import { createSiteFinder } from './http/site-finder.ts'
import type { createSharedStatsPages } from './http/shared-stats/handler.ts'

export interface RouterDependencies {
  services: Services
  redirect: Redirect
  api: ReturnType<typeof createPublicApi>
  admin: ReturnType<typeof createAdmin>
  mcp: ReturnType<typeof createMcp>
  reference: ReturnType<typeof createReference>
  privacy: ReturnType<typeof createPrivacyPages>
  sharedStats: ReturnType<typeof createSharedStatsPages>
  readiness: Readiness
  metrics: Metrics
}

export type Fetch = (
  request: Request,
  server: Pick<Server<unknown>, 'requestIP' | 'timeout'>,
) => Response | Promise<Response>

/** Paths of pages before they moved under the admin side. */
const MOVED_PATHS = /^\/_\/(dashboard|links(?:\/\d+)?|keys|settings)$/

/**
 * Creates the entry point of all requests. Short URLs come first: a path of one segment outside the
 * `_` namespace is a redirect, and nothing else is checked on its way.
 */
export function createRouter(dependencies: RouterDependencies): Fetch {
  const serveNonRedirect = createNonRedirectHandler(dependencies)
  const findSite = createSiteFinder(dependencies.services)
  const refuse = createRefusal(dependencies.metrics)
  const findTransportSecurity = createTransportSecurity(dependencies.services)
  return (request, server) => {
    const { url } = request
    // Without a valid `Host`, Bun knows only path and query.
    const host = url.startsWith('/') ? 0 : url.indexOf('//') + 2
    const start = url.indexOf('/', host)
    const mark = url.indexOf('?', start)
    const path = mark < 0 ? url.slice(start + 1) : url.slice(start + 1, mark)
    const site = findSite(request, url.slice(host, start), server)
    if (!site) return refuse(request)
    if (path === '' || isNonRedirect(path) || (site.domain === null && isMcpHost(url, host))) {
      const peer = peerOf(request, server)
      const keepOpen = () => server.timeout(request, 0)
      const answer = serveNonRedirect({ request, path: `/${path}`, site }, { peer, keepOpen })
      return withHeader(withAnswerHeaders(answer), findTransportSecurity(request, server))
    }
    const query = mark < 0 ? null : url.slice(mark)
    const answer = dependencies.redirect.answer({ request, path, query, server, site })
    return withHeader(answer, findTransportSecurity(request, server))
  }
}

/** Answers a host that is no domain of the instance (L31.3). */
function createRefusal(metrics: Metrics): (request: Request) => Response {
  return (request) => {
    const response = notFoundPage(request)
    metrics.countRequest('unmatched', response.status)
    return response
  }
}

/** A request for a path that is no redirect, and the domain that it came to. */
interface Arrival {
  request: Request
  path: string
  site: Site
}

/**
 * Paths that are no slugs but are served: system paths, `/.well-known/…`, `/oauth/…`, files at the
 * root.
 */
function isNonRedirect(path: string): boolean {
  const isSystem = path === '_' || path.startsWith('_/') || path.startsWith('.')
  // `oauth` itself is a slug, which may be followed by a slash (L12.3).
  return isSystem || (path.startsWith('oauth/') && path !== 'oauth/') || isReserved(path)
}

/** Only redirects may be loaded from within pages of other sites, and pass a referrer on. */
async function withAnswerHeaders(pending: Promise<Response>): Promise<Response> {
  const response = await pending
  const { headers } = response
  for (const [name, value] of ANSWER_HEADERS) headers.set(name, value)
  if (!headers.has('Location') && !headers.has('Referrer-Policy'))
    headers.set('Referrer-Policy', 'no-referrer')
  return response
}

/** Adds a header to the answer, if there is any to add. */
function withHeader(answer: Response | Promise<Response>, header: Header | undefined) {
  if (header === undefined) return answer
  const add = (response: Response) => {
    response.headers.set(...header)
    return response
  }
  return answer instanceof Promise ? answer.then(add) : add(answer)
}

/**
 * Creates the function that returns the header for https, which applies to all domains. Without a
 * base URL, only a trusted proxy knows whether a request came by https.
 */
function createTransportSecurity({ settings, proxies }: Services) {
  const { baseUrl, trustedProxies } = settings
  const fixed = baseUrl === null ? undefined : strictTransport(baseUrl)
  if (baseUrl !== null || trustedProxies.length === 0) return () => fixed
  return (request: Request, server: PeerSource) =>
    strictTransport(forwardedOrigin(request, peerOf(request, server), proxies) ?? '')
}

function createNonRedirectHandler(
  dependencies: RouterDependencies,
): (arrival: Arrival, peerInfo: PeerInfo) => Promise<Response> {
  const { api, admin, mcp, reference, metrics } = dependencies
  const withRequestCount = async (
    route: string,
    pending: Response | Promise<Response>,
  ): Promise<Response> => {
    const response = await pending
    metrics.countRequest(route, response.status)
    return response
  }
  return async (arrival, peerInfo) => {
    const { request, path, site } = arrival
    // Further domains have none of the default domain's own pages and APIs (L31.3).
    if (site.domain !== null)
      return withRequestCount(routeOf(path), serveFurtherDomain(dependencies, arrival))
    // The MCP endpoint and the APIs count their own requests.
    const mcpResponse = await mcp.answer(request, path, peerInfo)
    if (mcpResponse) return mcpResponse
    if (isBelow(path, API_PATH)) {
      const referenceResponse = reference(request.method, path)
      return referenceResponse ? withRequestCount(path, referenceResponse) : api.fetch(request, peerInfo)
    }
    if (isBelow(path, ADMIN_API_PATH)) return admin.fetch(request, path, peerInfo)
    if (isBelow(path, '/_/admin'))
      return withRequestCount(adminRoute(path), admin.fetch(request, path, peerInfo))
    return withRequestCount(routeOf(path), serveGet(dependencies, arrival, peerInfo.peer))
  }
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}

/** Serves GET requests outside the APIs and the admin pages. */
async function serveGet(dependencies: RouterDependencies, arrival: Arrival, peer: string): Promise<Response> {
  const { request, path } = arrival
  if (!isRead(request)) return path.startsWith('/_') ? notFoundPage(request) : methodNotAllowed()
  const file = await serveDomainFile(dependencies, arrival)
  if (file) return file
  const answer = await serveSystemRoute(dependencies, request, path, peer)
  return (
    answer ??
    serveRoot(dependencies, request, path, peer).catch((error: unknown) =>
      failurePage(dependencies.services, request, error),
    )
  )
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Serves files at the root of a domain, and those below `/.well-known/` that it has. */
async function serveDomainFile(
  { services }: RouterDependencies,
  { request, path, site }: Arrival,
): Promise<Response | undefined> {
  if (isReserved(path.slice(1))) return rootFiles[path.slice(1) as RootName](request, site)
  if (path === GPC_PATH) return serveGpcSupport(services.settings)
  if (!path.startsWith(WELL_KNOWN_PATH)) return undefined
  return serveWellKnown(services.database.read, site, path.slice(WELL_KNOWN_PATH.length)).catch(
    (error: unknown) => failurePage(services, request, error),
  )
}

/** Serves what a further domain has beside its short URLs. */
async function serveFurtherDomain(dependencies: RouterDependencies, arrival: Arrival): Promise<Response> {
  const { request, path, site } = arrival
  if (!isRead(request)) return path.startsWith('/_') ? notFoundPage(request) : methodNotAllowed()
  if (path === '/') return site.rootUrl === null ? landingPage(request) : redirectTo(302, site.rootUrl)
  // The manifest would install the admin pages, which are on the default domain.
  if (path === '/manifest.webmanifest') return notFoundPage(request)
  return (await serveDomainFile(dependencies, arrival)) ?? notFoundPage(request)
}

const KNOWN_ROUTES: ReadonlySet<string> = new Set([
  '/',
  '/_',
  '/_/health',
  '/_/ready',
  '/_/metrics',
  DOMAIN_CHECK_PATH,
  ...WELL_KNOWN_NAMES.map((name) => WELL_KNOWN_PATH + name),
  FONT_PATH,
  GPC_PATH,
  PRIVACY_PATH,
  PRIVACY_JSON_PATH,
])

/** Returns a route name from a closed list, which keeps made-up paths out of the metrics. */
function routeOf(path: string): string {
  if (path.startsWith(SHARED_STATS_PATH)) return `${SHARED_STATS_PATH}{secret}`
  const isKnown = KNOWN_ROUTES.has(path) || isReserved(path.slice(1)) || MOVED_PATHS.test(path)
  return isKnown ? path.replace(/\d+$/, '{id}') : 'unmatched'
}

function adminRoute(path: string): string {
  return path.startsWith(ASSETS_PATH) ? `${ASSETS_PATH}{file}` : '/_/admin/{page}'
}

async function serveSystemRoute(
  { services, readiness, privacy, metrics }: RouterDependencies,
  request: Request,
  path: string,
  peer: string,
): Promise<Response | undefined> {
  if (path === '/_/health') return checkHealth(services.database)
  if (path === '/_/ready') return readiness.answer()
  if (path === FONT_PATH) return fontResponse()
  if (path === DOMAIN_CHECK_PATH) return checkDomain(request, services.settings)
  if (path === PRIVACY_PATH) return privacy.page(request)
  if (path === PRIVACY_JSON_PATH) return privacy.json()
  if (path !== '/_/metrics' || !mayReadMetrics(request, peer, services.settings)) return undefined
  const headers = { 'Content-Type': metrics.registry.contentType, 'Cache-Control': 'private, no-store' }
  return new Response(await metrics.registry.metrics(), { headers })
}

/** Serves shared statistics and `/`, redirects moved paths and answers 404 for the rest (L12). */
async function serveRoot(
  { services, admin, sharedStats }: RouterDependencies,
  request: Request,
  path: string,
  peer: string,
): Promise<Response> {
  if (path.startsWith(SHARED_STATS_PATH)) return sharedStats(request, path, peer)
  if (MOVED_PATHS.test(path)) return redirectTo(301, path.replace('/_/', '/_/admin/'))
  if (path !== '/' && path !== '/_') return notFoundPage(request)
  if ((await admin.admit(request, peer)).ok) return redirectTo(302, DASHBOARD_PATH)
  if (path === '/_') return redirectTo(302, '/')
  const rootRedirect = locationOf((await findRootRedirect(services.database.read)) ?? '')
  return rootRedirect === undefined ? landingPage(request) : redirectTo(302, rootRedirect)
}

function redirectTo(status: 301 | 302, location: string): Response {
  return new Response(null, { status, headers: { Location: location, 'Cache-Control': 'private, no-store' } })
}
