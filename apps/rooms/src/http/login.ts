import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { originOf } from '../audit/origin.ts'
import { parseCallbackQuery } from '../login/callback-query.ts'
import { isLoginPending, completeLogin, consumeLoginState } from '../login/callback.ts'
import { FailedLogins } from '../login/failed-logins.ts'
import { CALLBACK_PATH, type LoginContext, StaleLogin, stateHashOf } from '../login/login-state.ts'
import { LoginFailure } from '../login/provider.ts'
import { parseReturnPath } from '../login/return-path.ts'
import { signIn } from '../login/sign-in.ts'
import { startLogin } from '../login/start.ts'
import { failure } from '../failures.ts'
import { TOKEN, newToken } from '../token.ts'
import { answerAt, loginContextOf, refuseForeignOrigin } from './api.ts'
import { clientOf } from './client.ts'
import { type CookieNames, cookieNames, readCookie, sessionCookies, writeCookie } from './cookies.ts'
import type { Services } from './services.ts'
import { findActor } from './caller.ts'

const START_PATH = '/api/auth/login'

/** One request on the way through a login. */
interface LoginRequest {
  services: Services
  failedLogins: FailedLogins
  request: Request
  url: URL
  /** The origin of ours that was asked. */
  origin: string
  context: LoginContext
}

type LoginFlow = (loginRequest: LoginRequest) => Promise<Response>

const FLOWS: ReadonlyMap<string, LoginFlow> = new Map([
  [START_PATH, start],
  [CALLBACK_PATH, callback],
])

/** The two routes that a browser walks through to sign in, which are no JSON API; undefined for other paths. */
export function createLoginRoutes(
  services: Services,
): (request: Request, path: string, peer: string) => Promise<Response> | undefined {
  const failedLogins = new FailedLogins(services.database, services.log)
  return (request, path, peer) => {
    const flow = FLOWS.get(path)
    return (
      flow &&
      answerAt(path, services, request, async (requestId) =>
        flow(readLoginRequest(services, failedLogins, { request, peer, requestId })),
      )
    )
  }
}

function readLoginRequest(
  services: Services,
  failedLogins: FailedLogins,
  { request, peer, requestId }: { request: Request; peer: string; requestId: string },
): LoginRequest {
  const found = services.hosts(request.headers.get('host'))
  if ('refused' in found) throw failure(found.refused)
  if (request.method !== 'GET') throw failure('method_not_allowed', { headers: { Allow: 'GET' } })
  const context = loginContextOf(services, clientOf(services, request, peer), request, requestId)
  return { services, failedLogins, request, url: new URL(request.url), origin: found.origin, context }
}

/** R5. */
async function start(loginRequest: LoginRequest): Promise<Response> {
  const { request, url, origin, context, services } = loginRequest
  const { canonicalOrigin } = context.policy
  refuseEmbedding(request)
  refuseForeignOrigin(request, origin)
  // Cookies of one origin are of no use to the callback on another.
  if (origin !== canonicalOrigin) return redirect(canonicalOrigin + START_PATH + url.search)
  const returnPath = parseReturnPath(url.searchParams.get('returnTo'), canonicalOrigin)
  if (isUnsolicited(request)) return redirect(loginPage(canonicalOrigin, returnPath))
  const names = cookieNames(canonicalOrigin)
  // What tells this browser from others while it is not signed in.
  const known = readCookie(request, names.login).find((cookie) => TOKEN.test(cookie))
  const browser = known ?? newToken()
  try {
    if (!services.rates.tryTake('login_start_per_minute', context.clientPrefix).allowed)
      throw new LoginFailure('too_many_attempts', 'too many starts')
    const { url: to, stateHash } = await startLogin(context, {
      returnPath,
      prompt: promptOf(url.searchParams.get('prompt')),
      browser,
    })
    const maxAgeSeconds = context.policy.transactionMs / 1000
    const cookies = [writeCookie(names, names.login, browser, { maxAgeSeconds })]
    // Tabs that start at once have no cookie to share yet, and only the last of theirs stays: each finds back by its own. Of
    // those that come right after, some share one that another tab's answer is about to replace.
    const underWay = countLoginStateCookies(request, names)
    if (known === undefined || (underWay > 0 && underWay < MAX_LOGIN_STATE_COOKIES))
      cookies.push(writeCookie(names, loginStateCookie(names, stateHash), browser, { maxAgeSeconds }))
    return redirect(to, cookies)
  } catch (error) {
    return fail(loginRequest, error, returnPath)
  }
}

/** R6. */
async function callback(loginRequest: LoginRequest): Promise<Response> {
  const { request, url, origin, context, services } = loginRequest
  const names = cookieNames(origin)
  let returnPath = '/'
  if (isCrossOriginSubrequest(request)) throw failure('cross_site_request')
  try {
    const query = parseCallbackQuery(url.search)
    const own = loginStateCookie(names, stateHashOf(query.state ?? ''))
    const browsers = readBrowserTokens(request, [names.login, own])
    if (!(await isLoginPending(context, query, browsers))) countUnknownCallback(context)
    const loginState = await consumeLoginState(context, query, browsers)
    returnPath = loginState.return_path
    const identity = await completeLogin(context, loginState, query)
    const previousToken = readSessionToken(request, names)
    const session = await signIn(context, { loginState, identity, previousToken })
    services.metrics.countLogin('ok')
    const cookies = sessionCookies(names, session, context.now)
    if (readCookie(request, own).length > 0) cookies.push(writeCookie(names, own, '', { maxAgeSeconds: 0 }))
    return redirect(context.policy.canonicalOrigin + returnPath, cookies)
  } catch (error) {
    if (error instanceof StaleLogin && (await isSignedIn(loginRequest, names))) {
      context.log.info('an old login came back to a browser that is signed in', { reason: error.reason })
      return redirect(`${context.policy.canonicalOrigin}/`)
    }
    return fail(loginRequest, error, returnPath)
  }
}

/** Callbacks of an attempt that is under way are bounded by the starts, and strangers at the same address stop none. */
function countUnknownCallback({ rates, clientPrefix }: LoginContext): void {
  if (!rates.tryTake('callback_per_minute', clientPrefix).allowed)
    throw new LoginFailure('too_many_attempts', 'too many callbacks')
}

/** R5.3: a login begins in a window of its own, never in somebody's image, frame or script. */
function refuseEmbedding({ headers }: Request): void {
  const mode = headers.get('sec-fetch-mode')
  if (mode === null) return
  if (mode !== 'navigate' || headers.get('sec-fetch-dest') !== 'document') throw failure('cross_site_request')
}

/** Whether another site sends the browser here without a click. */
function isUnsolicited({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  const isForeign = site === 'cross-site' || site === 'same-site'
  return isForeign && headers.get('sec-fetch-user') !== '?1'
}

function promptOf(given: string | null): 'login' | 'select_account' | null {
  return given === 'login' || given === 'select_account' ? given : null
}

/** A cookie for one attempt, named so that nobody else's callback reads it. */
function loginStateCookie(names: CookieNames, stateHash: string): string {
  return `${names.login}_${stateHash.slice(0, 16)}`
}

/** So many tabs may have a cookie of their own; more, and requests would become too large. */
const MAX_LOGIN_STATE_COOKIES = 20

function countLoginStateCookies(request: Request, names: CookieNames): number {
  return (request.headers.get('cookie') ?? '').split(`${names.login}_`).length - 1
}

/** What binds this browser; a cookie that comes twice is somebody's trick and binds nothing. */
function readBrowserTokens(request: Request, cookies: readonly string[]): string[] {
  return cookies
    .map((name) => readCookie(request, name))
    .filter((values) => values.length === 1)
    .flat()
    .filter((cookie) => TOKEN.test(cookie))
}

function readSessionToken(request: Request, names: CookieNames): string | undefined {
  const [token, ...more] = readCookie(request, names.session)
  if (more.length > 0) throw new LoginFailure('state_invalid', 'doubled session cookie')
  return token
}

async function isSignedIn({ request, services }: LoginRequest, names: CookieNames): Promise<boolean> {
  const [token, ...more] = readCookie(request, names.session)
  if (!token || more.length > 0) return false
  const actor = await findActor(services, token).catch(() => null)
  return actor !== null && actor.user.is_guest === 0
}

/** R6.8: one page for every failure, and one row in the audit log. Nothing that somebody else wrote is passed on. */
async function fail(
  { services, failedLogins, context }: LoginRequest,
  error: unknown,
  returnPath: string,
): Promise<Response> {
  const { clientPrefix, requestId, log } = context
  const isExpected = error instanceof LoginFailure
  const { code, reason, detail } = isExpected ? error : new LoginFailure('internal', 'internal')
  if (isExpected) log.warn('a login failed', { ...detail, requestId, code, reason })
  else log.error('a login failed by our fault', { requestId, error })
  services.metrics.countLogin(code)
  await failedLogins.record({ code, reason, clientPrefix, origin: originOf(context) })
  return redirect(loginPage(context.policy.canonicalOrigin, returnPath, code))
}

/** Where people start again, with what they wanted to see. */
function loginPage(canonicalOrigin: string, returnPath: string, error?: string): string {
  const query = new URLSearchParams()
  if (error !== undefined) query.set('error', error)
  if (returnPath !== '/') query.set('returnTo', returnPath)
  return `${canonicalOrigin}/login${query.size > 0 ? `?${query}` : ''}`
}

function redirect(to: string, cookies: readonly string[] = []): Response {
  const response = new Response(null, { status: 302, headers: { Location: to } })
  for (const line of cookies) response.headers.append('Set-Cookie', line)
  return response
}
