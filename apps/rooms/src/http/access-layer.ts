// Rooms as the access layer of other origins (R50): the routes that a proxy and its browsers call.
import { TOKEN, newToken } from '@latchkey/tokens/token'
import { type Admitted, admit } from '../access-layer/admission.ts'
import { ASSERTION_HEADER, signAssertion } from '../access-layer/assertion.ts'
import { challengeOf, createCode, enter } from '../access-layer/entry.ts'
import type { AccessKeys } from '../access-layer/keys.ts'
import type { AccessPolicy } from '../access-layer/policy.ts'
import { signOut } from '../access-layer/sign-out.ts'
import { findAccess } from '../access-layer/store.ts'
import { parseTarget, targetOf } from '../access-layer/target.ts'
import { failure } from '../api/failures.ts'
import { originOf } from '../audit/origin.ts'
import type { LoginContext } from '../login/login-state.ts'
import type { Services } from '../services.ts'
import { recordUse } from '../sessions/actor.ts'
import { answerAt, countRequest, requestFactsOf } from './api.ts'
import { readCaller } from './caller.ts'
import { clientOf } from './client.ts'
import { cookieNames, readCookie, secondsUntil, writeCookie } from './cookies.ts'
import { type HostMatch, createHosts } from './hosts.ts'
import { LOGIN_PATH, loginPage, redirect, refuseEmbedding } from './navigation.ts'

const ACCESS_PATH = '/api/access'
const ENTER_PATH = `${ACCESS_PATH}/enter`
const BACK_PATH = `${ACCESS_PATH}/back`
const SIGN_OUT_PATH = `${ACCESS_PATH}/sign-out`
export const KEY_SET_PATH = `${ACCESS_PATH}/jwks`

/** Seconds for which services may keep the key set. A new key is published much longer before it signs. */
const KEY_SET_SECONDS = 300
/** A login that took place within this time was examined by another node, under other settings. */
const FRESH_LOGIN_MS = 60_000

interface AccessLayer {
  services: Services
  policy: AccessPolicy
  keys: AccessKeys
  /** The origins, by the host names of requests. */
  hosts: (host: string | null) => HostMatch
}

interface AccessRequest extends AccessLayer {
  request: Request
  url: URL
  peer: string
  context: LoginContext
}

type AccessRoute = { methods: readonly string[]; answer: (request: AccessRequest) => Promise<Response> }

const ROUTES: ReadonlyMap<string, AccessRoute> = new Map([
  [ACCESS_PATH, { methods: ['GET', 'HEAD'], answer: assertAccess }],
  [KEY_SET_PATH, { methods: ['GET', 'HEAD'], answer: publishKeys }],
  [ENTER_PATH, { methods: ['GET'], answer: startEntry }],
  [BACK_PATH, { methods: ['GET'], answer: completeEntry }],
  [SIGN_OUT_PATH, { methods: ['GET'], answer: endAccess }],
])

/** Undefined for other paths, and for all of them unless Rooms is an access layer. */
export function createAccessRoutes(
  services: Services,
): (request: Request, path: string, peer: string) => Promise<Response> | undefined {
  const { accessKeys: keys } = services
  const { access: policy } = services.policy
  if (policy === null || keys === null) return () => undefined
  const layer = { services, policy, keys, hosts: createHosts(policy.origins) }
  return (request, path, peer) => {
    const route = ROUTES.get(path)
    return (
      route &&
      answerAt(path, services, request, async (requestId) => {
        if (!route.methods.includes(request.method))
          throw failure('method_not_allowed', { headers: { Allow: route.methods.join(', ') } })
        const facts = requestFactsOf(services, clientOf(services, request, peer), request, requestId)
        const context = { ...services, ...facts }
        const url = new URL(request.url, context.policy.canonicalOrigin)
        return route.answer({ ...layer, request, url, peer, context })
      })
    )
  }
}

/**
 * The origin that a proxy asks for, or passes a request on from (R50.1). Throws 421 unless a trusted
 * proxy names one of the origins.
 */
function askingOriginOf({ services, hosts, request, peer }: AccessRequest): string {
  const last = (name: string) => request.headers.get(name)?.split(',').at(-1)?.trim() ?? null
  const match = hosts(last('x-forwarded-host'))
  // Some proxies name the scheme of a socket.
  const scheme = last('x-forwarded-proto')?.toLowerCase().replace(/^ws/, 'http')
  if (services.proxies.trusted.has(peer) && 'origin' in match && match.origin.startsWith(`${scheme}://`))
    return match.origin
  throw failure('wrong_host', {
    text: 'X-Forwarded-Proto and X-Forwarded-Host of a proxy in TRUSTED_PROXIES must name an origin of ROOMS_ACCESS_FOR',
  })
}

/** Answers a proxy whether the browser is admitted, and as whom (R50.1). */
async function assertAccess(accessRequest: AccessRequest): Promise<Response> {
  const { services, keys, context } = accessRequest
  const origin = askingOriginOf(accessRequest)
  const admitted = await readAdmission(accessRequest, origin)
  if (typeof admitted === 'string') return refuseAccess(accessRequest, origin, admitted)
  const { policy, now } = context
  await recordUse(services, admitted.session, policy.sessions, now)
  const names = { issuer: policy.canonicalOrigin, audience: origin, nowMs: now }
  const assertion = await signAssertion(await keys.signing(), admitted, names)
  return new Response(null, { headers: { [ASSERTION_HEADER]: assertion } })
}

/** Whether the cookie of the browser admits it. Counts the request. */
async function readAdmission(
  { services, policy, request, context }: AccessRequest,
  origin: string,
): Promise<Admitted | 'signed_out' | 'refused'> {
  const [token, ...more] = readCookie(request, cookieNames(origin).access)
  if (more.length > 0)
    throw failure('invalid_request', { text: 'The request has more than one cookie of the access layer' })
  const isToken = token !== undefined && TOKEN.test(token)
  const row = isToken ? await findAccess(services.database.read, token) : undefined
  if (row) context.rates.take('http_per_minute', row.id)
  else context.rates.take('http_anonymous_per_minute', context.clientPrefix)
  return admit(row, policy, { origin, nowMs: context.now })
}

/**
 * Refuses with the address of the entrance. Browsers follow no `Location` of a 401, so a proxy that
 * passes this answer on asks for a redirect, which only requests for pages get.
 */
function refuseAccess(
  { request: { headers }, url, context }: AccessRequest,
  origin: string,
  reason: 'signed_out' | 'refused',
): Response {
  const to = targetOf(origin, headers.get('x-forwarded-uri'))
  const entrance = context.policy.canonicalOrigin + entranceTo(to)
  const method = headers.get('x-forwarded-method')?.toUpperCase() ?? 'GET'
  const isForPage = headers.get('accept')?.includes('text/html') && (method === 'GET' || method === 'HEAD')
  if (isForPage && url.searchParams.has('redirect')) return redirect(entrance)
  throw failure(reason === 'refused' ? 'forbidden' : 'unauthenticated', { headers: { Location: entrance } })
}

async function publishKeys({ keys, context }: AccessRequest): Promise<Response> {
  context.rates.take('http_anonymous_per_minute', context.clientPrefix)
  const headers = { 'Cache-Control': `public, max-age=${KEY_SET_SECONDS}` }
  return Response.json({ keys: await keys.published() }, { headers })
}

function entranceTo(to: string): string {
  return `${ENTER_PATH}?${new URLSearchParams({ to })}`
}

/**
 * The entrance, on the host of Rooms (R50.3): sends a person who is signed in to the other origin with
 * a code, and anyone else to sign in first.
 */
async function startEntry(accessRequest: AccessRequest): Promise<Response> {
  const { services, policy, request, url, peer, context } = accessRequest
  const { canonicalOrigin } = context.policy
  const caller = await readCaller(services, request, peer)
  countRequest(services, caller)
  const { origin, actor, cookies } = caller
  refuseEmbedding(request)
  if (origin !== canonicalOrigin) return redirect(canonicalOrigin + ENTER_PATH + url.search)
  const target = parseTarget(url.searchParams.get('to'), policy.origins)
  if (!target) throw failure('invalid_request', { text: 'This address does not lead to a known service' })
  const login = `${canonicalOrigin}${LOGIN_PATH}?${new URLSearchParams({ returnTo: entranceTo(target.href) })}`
  if (actor === null) return redirect(login, cookies)
  if (actor.user.is_guest === 1) return redirect(loginPage(canonicalOrigin, entranceTo(target.href)))
  const challenge = url.searchParams.get('challenge') ?? ''
  const back = (query: Record<string, string>) =>
    redirect(`${target.origin}${BACK_PATH}?${new URLSearchParams({ ...query, to: target.href })}`)
  // The browser first needs a secret at the other origin.
  if (!TOKEN.test(challenge)) return back({})
  const session = { id: actor.session.id, userId: actor.user.id }
  const entry = { session, origin: target.origin, challenge, nowMs: context.now }
  const created = await services.database.write((tx) => createCode(tx, entry, policy))
  if (typeof created !== 'string') return back(created)
  if (created === 'refused')
    return redirect(loginPage(canonicalOrigin, entranceTo(target.href), 'access_not_granted'))
  // Another node has other settings. The browser would go in a circle.
  if (context.now - actor.session.loginAtMs < FRESH_LOGIN_MS) throw failure('unavailable')
  return redirect(login)
}

/**
 * The other end of the entrance, on the host of the other origin. Without a code, gives the browser the
 * secret that its code will belong to.
 */
async function completeEntry(accessRequest: AccessRequest): Promise<Response> {
  const { services, request, url, context } = accessRequest
  const { canonicalOrigin } = context.policy
  const origin = askingOriginOf(accessRequest)
  refuseEmbedding(request)
  const names = cookieNames(origin)
  const to = parseTarget(url.searchParams.get('to'), [origin])?.href ?? `${origin}/`
  const secret = readSecret(request, names.accessEntry)
  const code = url.searchParams.get('code')
  const admitted = await readAdmission(accessRequest, origin)
  if (code === null) {
    const own = secret ?? newToken()
    const maxAgeSeconds = context.policy.transactionMs / 1000
    const query = new URLSearchParams({ to, challenge: challengeOf(own) })
    return redirect(`${canonicalOrigin}${ENTER_PATH}?${query}`, [
      writeCookie(names, names.accessEntry, own, { maxAgeSeconds }),
    ])
  }
  const redemption = { code, origin, secret }
  const entered = await services.database.write((tx) => enter(tx, redemption, originOf(context)))
  if (entered) {
    const maxAgeSeconds = secondsUntil(entered.endsAtMs, context.now)
    return redirect(to, [writeCookie(names, names.access, entered.token, { maxAgeSeconds })])
  }
  // A person who goes back in the history of the browser presents a code again.
  if (typeof admitted !== 'string') return redirect(to)
  context.log.warn('access layer: code refused', { requestId: context.requestId, origin })
  return redirect(loginPage(canonicalOrigin, entranceTo(to), 'state_invalid'))
}

/** A repeated cookie indicates an attack and is ignored. */
function readSecret(request: Request, name: string): string | undefined {
  const [secret, ...more] = readCookie(request, name)
  return secret !== undefined && more.length === 0 && TOKEN.test(secret) ? secret : undefined
}

/**
 * Ends the session, from the pages of the other origin (R50.5). Pages of a third one cannot sign people
 * out.
 */
async function endAccess(accessRequest: AccessRequest): Promise<Response> {
  const { request, context } = accessRequest
  const origin = askingOriginOf(accessRequest)
  refuseEmbedding(request)
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') throw failure('cross_site_request')
  const admitted = await readAdmission(accessRequest, origin)
  const names = cookieNames(origin)
  const cookies = [names.access, names.accessEntry].map((name) =>
    writeCookie(names, name, '', { maxAgeSeconds: 0 }),
  )
  const providerLogout = typeof admitted === 'string' ? null : await signOut(context, admitted, origin)
  return redirect(providerLogout ?? loginPage(context.policy.canonicalOrigin, '/'), cookies)
}
