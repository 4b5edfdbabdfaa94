import { OutcomeUnknown, isReferenceViolation, isStorageUnavailable } from '@latchkey/database/errors'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { Failure, OUTCOME_UNKNOWN } from '@latchkey/http/failure'
import { requireForm } from '@latchkey/http/form-file'
import { type Authenticated, type Exchange, mount } from '@latchkey/http/mount'
import type { AnyOperation } from '@latchkey/http/operation'
import { equalTokens } from '@latchkey/tokens/opaque'
import { NoResultError } from 'kysely'
import type { Actor, PublicCaller, Scope } from '../api/caller.ts'
import type { PublicContext } from '../api/context.ts'
import { DetailedFailure, failure, failures, toListedFailure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import { messageLimitOf } from '../api/rates.ts'
import type { RequestFacts } from '../api/request.ts'
import { csrfTokenOf } from '../sessions/csrf.ts'
import type { Client } from './client.ts'
import { clearedCookies, sessionCookies } from './cookies.ts'
import { apiOperations } from '../operations.ts'
import type { Services } from '../services.ts'
import { type Caller, readCaller } from './caller.ts'

export const API_PATH = '/api'

/** Operation without a CSRF token: it creates the session of the token (R11.3). */
const GUEST_SESSION = 'createGuestSession'

/** The JSON API: everything below `/api` except the login routes. */
export function createApi(services: Services) {
  return mount<PublicContext, Caller>({
    basePath: API_PATH,
    operations: apiOperations,
    literals: new Set(),
    bodyLimitBytes: services.policy.limits.body_bytes,
    async authenticate(request, { peer }): Promise<Authenticated<Caller>> {
      if (isCrossOriginSubrequest(request)) throw failure('cross_site_request')
      const caller = await readCaller(services, request, peer)
      refuseForeignOrigin(request, caller.origin)
      countRequest(services, caller)
      return { caller, headers: {}, cookies: caller.cookies }
    },
    authorise: (caller, operation, request) => authorise(services, caller, operation, request),
    contextOf: (caller, request, { requestId }) => contextOf(services, caller, request, requestId),
    render: async (error, requestId, caller) =>
      renderFailure(services, await explainErasure(services, error, caller), requestId),
    observe: (exchange) => observe(services, exchange),
  })
}

/** Never logs the query: that of a login contains its code and state. */
function observe({ metrics, log }: Services, { route, method, status, requestId, ms }: Exchange): void {
  metrics.observeRequest(route, status, ms / 1000)
  log.info('request', { route, method, status, requestId, ms: Math.round(ms) })
}

/**
 * Serves a route that is not an operation in the same way as the API: errors have the same shape,
 * the response has a request id, and the request is counted and logged.
 */
export async function answerAt(
  route: string,
  services: Services,
  { method }: Request,
  answer: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const startedMs = performance.now()
  const requestId = crypto.randomUUID()
  const response = await answer(requestId).catch((error: unknown) =>
    renderFailure(services, error, requestId),
  )
  response.headers.set('X-Request-Id', requestId)
  observe(services, { route, method, status: response.status, requestId, ms: performance.now() - startedMs })
  return response
}

export function countRequest({ rates }: Services, { actor, client }: Pick<Caller, 'actor' | 'client'>): void {
  if (actor) rates.take('http_per_minute', actor.session.id)
  else rates.take('http_anonymous_per_minute', client.prefix)
}

/** Refuses requests from pages of other origins, whatever the method (R11.1). There is no CORS. */
export function refuseForeignOrigin(request: Request, origin: string): void {
  const value = request.headers.get('origin')
  if (value !== null && value !== origin) throw failure('cross_site_request')
  const site = request.headers.get('sec-fetch-site')
  if (!isSafe(request) && site !== null && site !== 'same-origin' && site !== 'none')
    throw failure('cross_site_request')
}

function isSafe({ method }: { method: string }): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

/** Whether a request with a session must send the CSRF token of that session (R11.2). */
export function needsCsrfToken({ id }: AnyOperation<PublicContext>, method: string): boolean {
  return !isSafe({ method }) && id !== GUEST_SESSION
}

/**
 * Refuses a body that the operation does not read, without waiting for it (R11.4, R22). JSON is
 * checked where it is read.
 */
function refuseOtherBody(
  { body, formField }: AnyOperation<PublicContext>,
  request: Request,
  { body_bytes: maxBytes }: Limits,
): void {
  if (formField !== undefined) return requireForm(request)
  if (body) return
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw failure('too_large')
  if (!isSafe(request)) refuseOtherTypes(request)
}

function authorise(
  services: Services,
  { actor }: Caller,
  operation: AnyOperation<PublicContext>,
  request: Request,
): void {
  const scope = operation.scope as Scope
  // Before the body is read (R14.1).
  if (operation.id === GUEST_SESSION && !services.policy.guestEnabled) throw failure('guests_disabled')
  if (scope !== 'public' && actor === null) throw failure('unauthenticated')
  if (actor && needsCsrfToken(operation, request.method)) checkCsrfToken(request, actor.token)
  if (actor) countWrite(services, actor, operation, request.method)
  refuseOtherBody(operation, request, services.policy.limits)
  if (scope === 'member' && actor?.user.is_guest === 1) throw failure('guest_not_permitted')
  if (scope === 'admin' && actor) authoriseAdmin(services, actor, !isSafe(request))
}

function countWrite(
  { rates }: Services,
  { user }: Actor,
  operation: AnyOperation<PublicContext>,
  method: string,
): void {
  if (isRoomWrite(operation, method)) rates.take('room_writes_per_minute', user.id)
  if (countsAsMessage(operation.id, user)) rates.take(messageLimitOf(user), user.id)
}

/** Operations with limits of their own. */
const SEPARATELY_LIMITED: ReadonlySet<string> = new Set([
  'postMessage',
  'addReaction',
  'removeReaction',
  'uploadFile',
  'inviteUser',
  'createInvitationLink',
])

/**
 * Operations that make an event for others each time they are called. Operations that are bounded by
 * something else are not here: a message is deleted once.
 */
const COUNTED_AS_MESSAGES: ReadonlySet<string> = new Set([
  'editMessage',
  'pinMessage',
  'unpinMessage',
  'updateRoomSettings',
  'archiveRoom',
  'unarchiveRoom',
  'changeMemberRole',
  'removePerson',
  'liftBan',
  'acceptInvitation',
  'becomeMember',
  'endMembership',
  'requestTransfer',
  'cancelTransfer',
  'moderateCall',
  'updateProfile',
  'deletePicture',
  'setStatus',
  'blockUser',
  'unblockUser',
])
/** Reactions have the limit of members' messages, which is larger than that of guests. */
const REACTIONS: ReadonlySet<string> = new Set(['addReaction', 'removeReaction'])

function countsAsMessage(id: string, { is_guest }: Actor['user']): boolean {
  return COUNTED_AS_MESSAGES.has(id) || (is_guest === 1 && REACTIONS.has(id))
}

/** Whether the operation changes a room or its members, or makes other writers of the room wait. */
function isRoomWrite({ id, path }: AnyOperation<PublicContext>, method: string): boolean {
  if (isSafe({ method }) || SEPARATELY_LIMITED.has(id)) return false
  return path.startsWith('/rooms/{id}') || path.startsWith('/room-invitations/')
}

/** Changes by administrators are counted and need a recent login. */
function authoriseAdmin({ rates, now }: Services, actor: Actor, changes: boolean): void {
  if (!actor.platformAdmin) throw failure('forbidden')
  if (!changes) return
  rates.take('admin_writes_per_minute', actor.user.id)
  if (now() > actor.session.adminUntilMs) throw failure('reauth_required')
}

/**
 * R11.4, also for operations without a body: refuses every content type that a form of another site
 * can send.
 */
function refuseOtherTypes({ headers }: Request): void {
  const type = headers.get('content-type')
  if (type !== null && !/^application\/json\s*(?:;|$)/i.test(type)) throw failure('unsupported_media_type')
}

/** R11.2. */
function checkCsrfToken(request: Request, sessionToken: string): void {
  const value = request.headers.get('x-csrf-token') ?? ''
  if (!equalTokens(value, csrfTokenOf(sessionToken))) throw failure('csrf_failed')
}

function contextOf(services: Services, caller: Caller, request: Request, requestId: string): PublicContext {
  const { names, cookies, client, origin } = caller
  const facts = requestFactsOf(services, client, request, requestId)
  const replaceCookies = (lines: string[]) => void cookies.splice(0, cookies.length, ...lines)
  return {
    ...services,
    ...facts,
    ...publicCallerOf(caller, facts),
    origin,
    setSessionCookies: (session) => replaceCookies(sessionCookies(names, session, facts.now)),
    clearSessionCookies: () => replaceCookies(clearedCookies(names)),
  }
}

function publicCallerOf({ actor }: Caller, facts: RequestFacts): PublicCaller {
  if (!actor) return { actor, entrant: null }
  const { clientPrefix, clientIp, requestId, now: nowMs } = facts
  const { adminUntilMs } = actor.session
  return { actor, entrant: { userId: actor.user.id, clientPrefix, clientIp, requestId, nowMs, adminUntilMs } }
}

export function requestFactsOf(
  { now }: Services,
  client: Client,
  { headers }: Request,
  requestId: string,
): RequestFacts {
  return {
    now: now(),
    clientIp: client.ip,
    clientPrefix: client.prefix,
    userAgent: headers.get('user-agent') ?? '',
    requestId,
  }
}

/**
 * Explains an error after an erasure. Between the lookup of the session and the operation, the
 * account can be erased, and so can a room or user that the request names. The database then
 * refuses references to it, which is not a fault of the service.
 */
async function explainErasure(
  { sessions }: Services,
  error: unknown,
  caller: Caller | undefined,
): Promise<unknown> {
  const isReference = isReferenceViolation(error)
  if (!isReference && !(error instanceof NoResultError)) return error
  const id = caller?.actor?.session.id
  if (caller && id !== undefined && !(await sessions.findById(id))) {
    caller.cookies.splice(0, caller.cookies.length, ...clearedCookies(caller.names))
    return failure('unauthenticated')
  }
  return isReference ? failure('not_found') : error
}

/**
 * Renders every error in the shape of R15.1. Internal errors are logged, and the response has no
 * details.
 */
export function renderFailure({ log }: Services, error: unknown, requestId: string): Response {
  if (error instanceof Failure) return failureResponse(toListedFailure(error))
  const unavailable = isStorageUnavailable(error)
  log.error(unavailable ? 'database: cannot be used' : 'request: failed', { requestId, error })
  if (error instanceof OutcomeUnknown)
    return failureResponse(failure('unavailable', { text: OUTCOME_UNKNOWN }))
  if (unavailable) return failureResponse(failure('unavailable', { headers: { 'Retry-After': '5' } }))
  const { status, text } = failures.internal
  return Response.json({ error: text, code: 'internal', requestId }, { status })
}

function failureResponse(failed: Failure): Response {
  const { message, code, status, headers, fields } = failed
  const body = {
    error: message,
    code,
    ...(fields.length > 0 && { fields }),
    ...(failed instanceof DetailedFailure && failed.members),
  }
  return Response.json(body, { status, headers })
}
