import { resolve } from 'node:path'
import type { z } from 'zod'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { embeddedAsset } from '@latchkey/http/embedded-asset'
import { brandFiles } from '@latchkey/web/brand'
import type { Answer } from '@latchkey/web/answers'
import { type CollectedAnswers, collectAnswers } from '@latchkey/web/collect-answers'
import { clientFiles, siblingData } from '@latchkey/web/serve'
import { readPreference } from '@latchkey/web/stored-preferences'
import { failure } from '../api/failures.ts'
import { productNameOf } from '../platform/operations.ts'
import type { RoomAnswer } from '../lobby/schema.ts'
import type { Services } from '../services.ts'
import { csrfTokenOf } from '../sessions/csrf.ts'
import type { SessionAnswer } from '../sessions/schema.ts'
import PUSH_WORKER from '../web/push-worker.js' with { type: 'text' }
import { API_PATH } from './api.ts'
import { isVisitor } from './caller.ts'
import { cookieNames, readCookie } from './cookies.ts'

/** Path of scripts and styles, as in web/build.ts. */
const ASSETS_PATH = '/assets/'

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/**
 * All paths with a page, as in web/pages.tsx. Other paths get a page that reports a missing page.
 */
const PAGES = new RegExp(`^/(?:login|account|people|admin|rooms/${ID}|invite/[\\w-]{1,64})?$`)
/** Page modules that are not named after the first segment of their path. */
const MODULES: Readonly<Record<string, string>> = { '': 'lobby', rooms: 'room', invite: 'invitation' }

const SOURCES = resolve(import.meta.dirname, '..')

const files = clientFiles({
  name: 'latchkey-rooms',
  bundled: embeddedAsset('latchkey-rooms'),
  build: resolve(SOURCES, 'web/build.ts'),
  sources: SOURCES,
  assets: ASSETS_PATH,
})

/** Bundles the web client before the first request. Rejects with the error of the bundler. */
export const builtPages = files.built

const FILES: ReadonlyMap<string, () => Response> = new Map([
  ...Object.entries(
    brandFiles({ product: 'rooms', name: 'Latchkey Rooms', shortName: 'Rooms', startUrl: '/' }),
  ).map(([name, serve]) => [`/${name}`, serve] as const),
  // Revalidated by browsers on their own. It must not be older than the service.
  ['/push-worker.js', () => file(PUSH_WORKER, 'text/javascript; charset=utf-8')],
  ['/robots.txt', () => file('User-agent: *\nDisallow: /\n', 'text/plain; charset=utf-8')],
])

/** Asks the API as the person who opens a page. */
type Ask = (request: Request) => Response | Promise<Response>

/** The web client: the same document for every page. Its script renders the page of the path. */
export function createPages(
  services: Services,
): (request: Request, path: string, ask: Ask) => Promise<Response> {
  return async (request, path, ask) => {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD')
      throw failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
    if (path.startsWith(ASSETS_PATH)) return asset(request, path)
    return FILES.get(path)?.() ?? page(services, request, path, ask)
  }
}

/** The route of a path in metrics. The set of routes is closed, whatever clients request. */
export function pageRoute(path: string): string {
  if (path.startsWith(ASSETS_PATH)) return `${ASSETS_PATH}{file}`
  if (FILES.has(path)) return path
  if (!PAGES.test(path)) return 'unmatched'
  return path.replace(/(?<=^\/rooms\/).+/, '{id}').replace(/(?<=^\/invite\/).+/, '{token}')
}

async function page(services: Services, request: Request, path: string, ask: Ask): Promise<Response> {
  const [first] = path.slice(1).split('/', 1)
  const isPage = PAGES.test(path)
  const cookies = request.headers.get('cookie') ?? ''
  const data = await initialData(services, request)
  const isSignedIn = data['visitor'] !== 'true'
  const embedded = isPage
    ? await firstAnswers(request, { path, isSignedIn, ask })
    : { answers: [], cookies: [] }
  const html = await files.page({
    lang: readPreference('lang', cookies),
    acceptLanguage: request.headers.get('accept-language'),
    scheme: readPreference('scheme', cookies),
    data: { ...data, ...csrfData(services, request) },
    name: data['product'],
    page: isPage && first !== undefined ? `pages/${MODULES[first] ?? first}/page.tsx` : undefined,
    answers: embedded.answers,
  })
  const response = new Response(html, {
    status: isPage ? 200 : 404,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  })
  for (const line of embedded.cookies) response.headers.append('Set-Cookie', line)
  return response
}

/** The token of the session for which the page is written. The cookie may soon be that of another. */
function csrfData({ hosts }: Services, request: Request): Record<string, string> {
  if (isCrossOriginSubrequest(request)) return {}
  const match = hosts(request.headers.get('host'))
  const [token] = 'origin' in match ? readCookie(request, cookieNames(match.origin).session) : []
  return token === undefined ? {} : { csrf: csrfTokenOf(token) }
}

/** First calls of single pages, as web/ makes them. */
const FIRST_CALLS: Readonly<Record<string, readonly string[]>> = {
  '/': ['/rooms?preview=true'],
  '/account': ['/sessions', '/notifications'],
}

/** First calls of pages that guests do not have. */
function memberCalls(path: string, userId: string): readonly string[] {
  if (path === '/people') return ['/people']
  return path === '/account' ? [`/people/${userId}`, '/blocks'] : []
}

/**
 * The answers to what the page at a path asks first. A test of every page fails if it asks anything
 * else (test/browser/first-load.test.ts).
 */
async function firstAnswers(
  request: Request,
  { path, isSignedIn, ask }: { path: string; isSignedIn: boolean; ask: Ask },
): Promise<CollectedAnswers> {
  if (isCrossOriginSubrequest(request)) return { answers: [], cookies: [] }
  const collect = (calls: readonly string[]) =>
    collectAnswers(
      request,
      calls.map((call) => API_PATH + call),
      ask,
    )
  if (!isSignedIn) return collect(['/config'])
  const common = await collect(['/session', '/config'])
  const user = userOf(common.answers)
  if (!user) return common
  const pending = ['/room-invitations/pending', '/room-ownership-transfers/pending']
  const own = path.startsWith('/rooms/') ? [path] : (FIRST_CALLS[path] ?? [])
  const further = await collect([
    // The rooms in the navigation of every page.
    '/rooms?followed=true&limit=100',
    '/drafts?limit=100',
    ...(user.identityType === 'oauth' ? ['/directs?limit=100'] : []),
    ...own,
    ...(user.identityType === 'oauth' ? [...pending, ...memberCalls(path, user.id)] : []),
    ...(path === '/admin' && user.platformAdmin ? ['/admin/users'] : []),
  ])
  // Read after the room: the page then knows the history at least as far as the room.
  const history = await collect(
    path.startsWith('/rooms/') && hasLastingHistory(further.answers, path) ? [`${path}/messages`] : [],
  )
  const answers = [...common.answers, ...further.answers, ...history.answers]
  return { answers, cookies: common.cookies }
}

/** Whether what the person may read of the room does not depend on entering it (R17.8). */
function hasLastingHistory(answers: readonly string[], path: string): boolean {
  const body = bodyOf(answers, path) as z.output<typeof RoomAnswer> | undefined
  if (!body) return false
  const { historyVisibility, role } = body.room
  return historyVisibility === 'all' || (historyVisibility === 'since_membership' && role !== null)
}

function userOf(answers: readonly string[]): z.output<typeof SessionAnswer>['user'] | undefined {
  return (bodyOf(answers, '/session') as z.output<typeof SessionAnswer> | undefined)?.user
}

function bodyOf(answers: readonly string[], path: string): unknown {
  const all = answers.map((json) => JSON.parse(json) as Answer)
  return all.find(({ address }) => address === API_PATH + path)?.body
}

/** Data that the client needs before its first API call. */
async function initialData(services: Services, request: Request): Promise<Record<string, string>> {
  const { database, policy, log, settings } = services
  const base: Record<string, string> = {
    ...(policy.demo && { demo: 'true' }),
    ...(policy.voice.mode !== 'off' && { calls: 'true' }),
  }
  try {
    const product = await productNameOf(database.read)
    // Strangers are not shown where else the operator's people sign in.
    const person = (await isVisitor(services, request))
      ? { visitor: 'true' }
      : siblingData('Latchkey Links', settings.linksUrl && `${settings.linksUrl}/_/admin`)
    return { ...base, product, ...person }
  } catch (error) {
    // The page itself can report that the service is unavailable.
    log.error('pages: cannot read the database', { error })
    return base
  }
}

async function asset(request: Request, path: string): Promise<Response> {
  const response = await files.asset(request, path)
  if (!response) throw failure('not_found')
  return response
}

function file(body: string, type: string): Response {
  return new Response(body, { headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' } })
}
