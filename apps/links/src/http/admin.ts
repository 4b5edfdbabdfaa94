import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { Failure } from '@latchkey/http/failure'
import { type PeerInfo, mount } from '@latchkey/http/mount'
import {
  type Admission,
  type AdmittedCaller,
  type Refusal,
  isCrossSite,
  isFromOwnPage,
} from '../access/access.ts'
import type { Context } from '../api/context.ts'
import { failure, failures, literalTexts } from '../api/failures.ts'
import { serverTexts } from '../texts/texts.ts'
import { htmlPage, languageOf, notFoundPage, renderMessage } from '../redirect/pages.ts'
import { adminOperations } from './operations.ts'
import { failurePage } from './failure-page.ts'
import { ADMIN_API_PATH, ASSETS_PATH, createPages } from './pages.ts'
import { adminFailureResponse, renderFailure } from './render-failure.ts'
import type { Services } from './services.ts'
import { readCaller } from './callers.ts'

/** Start page of the admin side. */
export const DASHBOARD_PATH = '/_/admin/dashboard'

const HEADERS = {
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'Referrer-Policy': 'same-origin',
}

/** Icons of other sites, which browsers may keep. */
const FAVICONS_PATH = `${ADMIN_API_PATH}/favicons`

/**
 * Serves everything below `/_/admin`. There is no sign-in here, so the access layer must admit
 * every request first.
 */
export function createAdmin(services: Services) {
  const { access } = services
  const api = createAdminApi(services, (request, peer) => access.admit(request, peer))
  const pages = createPages(services)
  const servePage = async (request: Request, path: string, peer: string): Promise<Response> => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // The redirect reveals nothing. The dashboard refuses unauthorised callers.
    if (isRead && (path === '/_/admin' || path === '/_/admin/')) return redirectTo(DASHBOARD_PATH)
    const admission = await access.admit(request, peer)
    if (!admission.ok) return refusalPage(request, admission)
    if (path === '/_/admin/logout') {
      const isOwn = isFromOwnPage(request, admission.via, services.originOf(request, peer))
      return isOwn ? logout(request, services.settings.accessLogoutUrl) : refusalPage(request, CROSS_SITE)
    }
    if (!isRead) return notFoundPage(request)
    if (path.startsWith(ASSETS_PATH)) return pages.asset(request, path)
    return pages.index(request, path, {
      identity: admission.identity,
      origin: services.originOf(request, peer),
      ask: (inner) => api.fetch(inner, { peer }),
    })
  }
  return {
    /** Returns the caller of a request, if the access layer admits them. */
    admit: (request: Request, peer: string) => access.admit(request, peer),
    async fetch(request: Request, path: string, peerInfo: PeerInfo): Promise<Response> {
      const isApi = path === ADMIN_API_PATH || path.startsWith(`${ADMIN_API_PATH}/`)
      const response = await (isApi
        ? api.fetch(request, peerInfo)
        : servePage(request, path, peerInfo.peer).catch((error: unknown) =>
            failurePage(services, request, error),
          ))
      const mayBeKept = response.ok && (path === FAVICONS_PATH || path.startsWith(ASSETS_PATH))
      for (const [name, value] of Object.entries(HEADERS))
        if (!mayBeKept || !response.headers.has(name)) response.headers.set(name, value)
      return response
    },
  }
}

function createAdminApi(services: Services, admit: (request: Request, peer: string) => Promise<Admission>) {
  return mount<Context, AdmittedCaller>({
    basePath: ADMIN_API_PATH,
    operations: adminOperations,
    literals: literalTexts,
    async authenticate(request, { peer }) {
      if (isCrossOriginSubrequest(request)) throw failure('cross_site')
      const admission = await admit(request, peer)
      if (!admission.ok) throw toFailure(admission)
      if (isCrossSite(request, admission.via, services.originOf(request, peer))) throw failure('cross_site')
      return { caller: admission, headers: {} }
    },
    // Every person whom the access layer admits may use the admin side. Each operation checks
    // ownership.
    authorise() {},
    contextOf: async ({ identity, until: admittedUntil, sessionSignal }, request, { peer, requestId }) =>
      services.contextFor(
        { ...(await readCaller(services, identity, 'app')), admittedUntil, sessionSignal },
        { request, peer, requestId, ifMatch: request.headers.get('if-match') },
      ),
    headersOf: ({ headers }) => headers,
    render: (error, requestId) => renderFailure(services, error, requestId, adminFailureResponse),
    observe: services.observe,
  })
}

type PageRefusal = Pick<Refusal, 'status' | 'message' | 'retryAfterSeconds'>

const CROSS_SITE = { status: 403, message: failures.cross_site.text } as const

function retryAfter({ retryAfterSeconds }: PageRefusal): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
}

function toFailure(refusal: Refusal): Failure {
  const { code, status, message } = refusal
  return new Failure(code, { status, text: message }, retryAfter(refusal))
}

/** The reason is for the operator, who needs the words of the documentation. */
function refusalPage(request: Request, refusal: PageRefusal): Response {
  const language = languageOf(request)
  const html = renderMessage(language, {
    title: serverTexts[language].pages.noAccess,
    sentence: `<span lang="en">${Bun.escapeHTML(refusal.message)}.</span>`,
  })
  return htmlPage(html, { status: refusal.status, headers: retryAfter(refusal) })
}

function logout(request: Request, url: string | null): Response {
  return url === null ? notFoundPage(request) : redirectTo(url)
}

function redirectTo(location: string): Response {
  return new Response(null, { status: 302, headers: { Location: location } })
}
