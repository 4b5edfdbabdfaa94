import { withTimeout } from '@latchkey/database/with-timeout'
import { readPieces } from '@latchkey/http/body'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { Failure } from '@latchkey/http/failure'
import { failure } from '../api/failures.ts'
import { revokeByLogoutToken } from '../login/backchannel.ts'
import { FailedLogins } from '../login/failed-logins.ts'
import { BACKCHANNEL_LOGOUT_PATH } from '../login/login-state.ts'
import { LoginFailure } from '../login/provider.ts'
import { answerAt } from './api.ts'
import { type Client, clientOf } from './client.ts'
import type { Services } from '../services.ts'

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i
const MAX_CHARACTERS = 16 * 1024
/** Less than the 2 s of R13.3, so the answer arrives in time. */
export const ANSWER_TIMEOUT_MS = 1_800

/** A request that delivers a logout token. */
interface Delivery {
  request: Request
  requestId: string
  client: Client
  nowMs: number
  /** Whether the provider has already received an answer. */
  isLate: boolean
}

/**
 * The endpoint at which the provider ends sessions (R13). The provider calls it from a server, so
 * cookies, Origin and Host have no meaning here. Only the signature of the token counts.
 */
export function createBackchannelLogout(
  services: Services,
): (request: Request, peer: string) => Promise<Response> {
  const rejected = new FailedLogins(services.database, services.log)
  return (request, peer) =>
    answerAt(BACKCHANNEL_LOGOUT_PATH, services, request, async (requestId) => {
      const client = clientOf(services, request, peer)
      const delivery = { request, requestId, client, nowMs: services.now(), isLate: false }
      return answerInTime(services, rejected, delivery)
    })
}

async function answerInTime(
  services: Services,
  rejected: FailedLogins,
  delivery: Delivery,
): Promise<Response> {
  const { policy, rates } = services
  if (!policy.backchannelLogout) throw failure('not_found')
  if (delivery.request.method !== 'POST') throw failure('method_not_allowed', { headers: { Allow: 'POST' } })
  // The provider is not a browser, but browsers may share its address.
  if (isCrossOriginSubrequest(delivery.request)) throw failure('cross_site_request')
  rates.take('backchannel_per_minute', delivery.client.prefix)
  const late = () => {
    delivery.isLate = true
    return retryLater()
  }
  try {
    return await withTimeout(ANSWER_TIMEOUT_MS, late, receive(services, rejected, delivery))
  } catch (error) {
    services.metrics.countLogoutToken('failed')
    throw error
  }
}

async function receive(services: Services, rejected: FailedLogins, delivery: Delivery): Promise<Response> {
  const { log, metrics, publish } = services
  const { requestId, client, nowMs } = delivery
  const origin = { clientIp: client.ip, requestId, nowMs }
  try {
    const token = await readToken(services, delivery.request)
    const sessions = await revokeSessions(services, delivery, token)
    publish({ kind: 'sessions', sessionIds: sessions })
    metrics.countLogoutToken('accepted')
    log.info('back-channel logout: sessions ended', { requestId, sessions })
    return new Response(null, { status: 200 })
  } catch (error) {
    if (!(error instanceof LoginFailure) || error.code !== 'token_invalid')
      throw unavailable(services, requestId, error)
    const { code, reason, detail } = error
    metrics.countLogoutToken('refused')
    log.warn('back-channel logout: token refused', { ...detail, requestId, reason })
    const action = 'auth.backchannel_rejected'
    await rejected.record({ action, code, reason, clientPrefix: client.prefix, origin })
    return refusal(`The logout token was refused: ${reason}`)
  }
}

async function revokeSessions(
  { provider, database }: Services,
  delivery: Delivery,
  token: string,
): Promise<string[]> {
  const verified = await provider.verifyLogoutToken(token)
  const { requestId, client, nowMs } = delivery
  return revokeByLogoutToken(database, verified, {
    clientIp: client.ip,
    requestId,
    nowMs,
    // The provider has received a failure, so no session may end.
    throwIfLate() {
      if (delivery.isLate) throw retryLater()
    },
  })
}

/** Reads the single `logout_token` of a form, which may have other fields (R13.2). */
async function readToken({ policy }: Services, request: Request): Promise<string> {
  if (!FORM.test(request.headers.get('content-type') ?? '')) refuse('not a form')
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of readPieces(request, policy.limits.body_bytes)) chunks.push(chunk)
  } catch (error) {
    if (error instanceof Failure) refuse('form too large or incomplete')
    throw error
  }
  const [token = '', ...more] = new URLSearchParams(Buffer.concat(chunks).toString()).getAll('logout_token')
  if (token === '' || more.length > 0) refuse('not exactly one logout token')
  if (token.length > MAX_CHARACTERS) refuse('logout token too long')
  return token
}

function refuse(reason: string): never {
  throw new LoginFailure('token_invalid', reason)
}

/**
 * An error in the shape of OpenID Connect Back-Channel Logout 1.0, section 2.8, and of this API.
 */
function refusal(sentence: string): Response {
  const body = { error: 'invalid_request', error_description: sentence, code: 'invalid_request' }
  return Response.json(body, { status: 400 })
}

/** Answers with 503 when the token was not stored: the provider may send it again. */
function unavailable({ log }: Services, requestId: string, error: unknown): unknown {
  if (error instanceof Failure) return error
  log.error('back-channel logout: cannot process the token', { requestId, error })
  return retryLater()
}

function retryLater() {
  return failure('unavailable', { headers: { 'Retry-After': '5' } })
}
