import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { originOf } from '../audit/origin.ts'
import { parseCallbackQuery } from '../login/callback-query.ts'
import { isLoginPending, completeLogin, consumeLoginState } from '../login/callback.ts'
import { FailedLogins } from '../login/failed-logins.ts'
import { CALLBACK_PATH, type LoginContext, StaleLogin, stateHashOf } from '../login/login-state.ts'
import { AccessNotGranted, LoginFailure } from '../login/provider.ts'
import { parseReturnPath } from '../login/return-path.ts'
import { endAccess, signIn } from '../login/sign-in.ts'
import { startLogin } from '../login/start.ts'
import { failure } from '../api/failures.ts'
import { TOKEN, newToken } from '@latchkey/tokens/token'
import { answerAt, refuseForeignOrigin, requestFactsOf } from './api.ts'
import { clientOf } from './client.ts'
import { type CookieNames, cookieNames, readCookie, sessionCookies, writeCookie } from './cookies.ts'
import { LOGIN_PATH, loginPage, redirect, refuseEmbedding } from './navigation.ts'
import type { Services } from '../services.ts'
import { findActor } from '../sessions/actor.ts'

/** A request to one of the login routes. */
interface LoginRequest {
  services: Services
  failedLogins: FailedLogins
  request: Request
  url: URL
  /** The allowed origin that the request was sent to. */
  origin: string
  context: LoginContext
}

type LoginFlow = (loginRequest: LoginRequest) => Promise<Response>

const FLOWS: ReadonlyMap<string, LoginFlow> = new Map([
  [LOGIN_PATH, start],
  [CALLBACK_PATH, callback],
])

/**
 * The two routes of the login flow in the browser, which are not part of the JSON API. Undefined
 * for other paths.
 */
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
  const match = services.hosts(request.headers.get('host'))
  if ('refused' in match) throw failure(match.refused)
  if (request.method !== 'GET') throw failure('method_not_allowed', { headers: { Allow: 'GET' } })
  const client = clientOf(services, request, peer)
  const context = { ...services, ...requestFactsOf(services, client, request, requestId) }
  return { services, failedLogins, request, url: new URL(request.url), origin: match.origin, context }
}

/** Starts a login (R5). */
async function start(loginRequest: LoginRequest): Promise<Response> {
  const { request, url, origin, context, services } = loginRequest
  const { canonicalOrigin } = context.policy
  refuseEmbedding(request)
  refuseForeignOrigin(request, origin)
  // The callback is on the canonical origin, which cannot read cookies of another origin.
  if (origin !== canonicalOrigin) return redirect(canonicalOrigin + LOGIN_PATH + url.search)
  const returnPath = parseReturnPath(url.searchParams.get('returnTo'), canonicalOrigin)
  if (isUnsolicited(request)) return redirect(loginPage(canonicalOrigin, returnPath))
  const names = cookieNames(canonicalOrigin)
  // Identifies this browser before it is signed in.
  const ownToken = readCookie(request, names.login).find((cookie) => TOKEN.test(cookie))
  const browser = ownToken ?? newToken()
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
    // Tabs that start at the same time have no shared cookie yet, and the browser keeps only the
    // last of theirs. Each tab finds its login state with a cookie of its own. Tabs that start
    // right after them may share a cookie that the response to another tab is about to replace.
    const pendingLogins = countLoginStateCookies(request, names)
    if (ownToken === undefined || (pendingLogins > 0 && pendingLogins < MAX_LOGIN_STATE_COOKIES))
      cookies.push(writeCookie(names, loginStateCookie(names, stateHash), browser, { maxAgeSeconds }))
    return redirect(to, cookies)
  } catch (error) {
    return fail(loginRequest, error, returnPath)
  }
}

/** Completes a login (R6). */
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
    const identity = await completeLogin(context, loginState, query).catch(async (error: unknown) => {
      if (error instanceof AccessNotGranted) await endAccess(context, error)
      throw error
    })
    const previousToken = readSessionToken(request, names)
    const session = await signIn(context, { loginState, identity, previousToken })
    services.metrics.countLogin('ok')
    const cookies = sessionCookies(names, session, context.now)
    if (readCookie(request, own).length > 0) cookies.push(writeCookie(names, own, '', { maxAgeSeconds: 0 }))
    return redirect(context.policy.canonicalOrigin + returnPath, cookies)
  } catch (error) {
    if (error instanceof StaleLogin && (await isSignedIn(loginRequest, names))) {
      context.log.info('login: stale callback in a signed-in browser', { reason: error.reason })
      return redirect(`${context.policy.canonicalOrigin}/`)
    }
    return fail(loginRequest, error, returnPath)
  }
}

/**
 * Counts callbacks without a pending login. Callbacks of pending logins are limited by their
 * starts, so other clients with the same address cannot block them.
 */
function countUnknownCallback({ rates, clientPrefix }: LoginContext): void {
  if (!rates.tryTake('callback_per_minute', clientPrefix).allowed)
    throw new LoginFailure('too_many_attempts', 'too many callbacks')
}

/** Whether another site sent the browser here without a click. */
function isUnsolicited({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  const isForeign = site === 'cross-site' || site === 'same-site'
  return isForeign && headers.get('sec-fetch-user') !== '?1'
}

function promptOf(value: string | null): 'login' | 'select_account' | null {
  return value === 'login' || value === 'select_account' ? value : null
}

/** The cookie of a single login. Callbacks of other logins do not read it. */
function loginStateCookie(names: CookieNames, stateHash: string): string {
  return `${names.login}_${stateHash.slice(0, 16)}`
}

/** Maximum number of tabs with cookies of their own. More would make requests too large. */
const MAX_LOGIN_STATE_COOKIES = 20

function countLoginStateCookies(request: Request, names: CookieNames): number {
  return (request.headers.get('cookie') ?? '').split(`${names.login}_`).length - 1
}

/** The tokens that identify this browser. A repeated cookie indicates an attack and is ignored. */
function readBrowserTokens(request: Request, cookies: readonly string[]): string[] {
  return cookies
    .map((name) => readCookie(request, name))
    .filter((values) => values.length === 1)
    .flat()
    .filter((cookie) => TOKEN.test(cookie))
}

function readSessionToken(request: Request, names: CookieNames): string | undefined {
  const [token, ...more] = readCookie(request, names.session)
  if (more.length > 0) throw new LoginFailure('state_invalid', 'repeated session cookie')
  return token
}

async function isSignedIn({ request, services }: LoginRequest, names: CookieNames): Promise<boolean> {
  const [token, ...more] = readCookie(request, names.session)
  if (!token || more.length > 0) return false
  const actor = await findActor(services, token).catch(() => null)
  return actor !== null && actor.user.is_guest === 0
}

/**
 * Ends every failed login at the login page, with an entry in the audit log (R6.8). Texts of the
 * provider or the request are not passed on.
 */
async function fail(
  { services, failedLogins, context }: LoginRequest,
  error: unknown,
  returnPath: string,
): Promise<Response> {
  const { clientPrefix, requestId, log } = context
  const isExpected = error instanceof LoginFailure
  const { code, reason, detail } = isExpected ? error : new LoginFailure('internal', 'internal')
  if (isExpected) log.warn('login: failed', { ...detail, requestId, code, reason })
  else log.error('login: internal error', { requestId, error })
  services.metrics.countLogin(code)
  await failedLogins.record({ code, reason, clientPrefix, origin: originOf(context) })
  return redirect(loginPage(context.policy.canonicalOrigin, returnPath, code))
}
