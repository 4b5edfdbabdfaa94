import { clientAddress } from '@latchkey/http/client-address'
import { prefixOf } from '@latchkey/http/client-prefix'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { type Failure, transportFailure } from '@latchkey/http/failure'
import { type Authenticated, type PeerInfo, mount } from '@latchkey/http/mount'
import type { Context } from '../api/context.ts'
import { failure, literalTexts } from '../api/failures.ts'
import { keyAssistant } from '../changes/source.ts'
import { performOnce } from '../idempotency/perform-once.ts'
import { keyCaller } from './callers.ts'
import { permits } from '../keys/schema.ts'
import { type PresentedKey, findKey, hasKey, markKeyUsed } from '../keys/store.ts'
import { type Limiters, createLimiters, createRequestCosts, requireAllowed } from './rate-limits.ts'
import { requireDirectWrites } from '../policies/require-policy.ts'
import { apiOperations, unrecordedWrites } from './operations.ts'
import { publicFailureResponse, renderFailure } from './render-failure.ts'
import type { Services } from './services.ts'

export const API_PATH = '/_/api'

const RECORD_USE_EVERY_SECONDS = 60

/** Creates the public API: everything below `/_/api`, for callers with a key. */
export function createPublicApi(services: Services) {
  const limiters = createLimiters(services.settings)
  return mount<Context, AdmittedKey>({
    basePath: API_PATH,
    operations: apiOperations,
    literals: literalTexts,
    authenticate: (request, peerInfo) => authenticate(services, limiters, request, peerInfo),
    async authorise(caller, operation) {
      if (!permits(caller.scope, operation.scope)) throw transportFailure('forbidden')
      const { identity } = caller
      if (unrecordedWrites.has(operation))
        await requireDirectWrites(services.database.read, { identity, assistant: keyAssistant(caller) })
    },
    contextOf: (caller, request, { peer, requestId }) =>
      services.contextFor(
        {
          ...keyCaller(services, caller.identity, isSdk(request) ? 'sdk' : 'api'),
          assistant: keyAssistant(caller),
          async requireCaller() {
            if (!(await hasKey(services.database.read, caller.id))) throw unauthorized(caller.rateHeaders)
          },
        },
        {
          request,
          peer,
          requestId,
          ifMatch: request.headers.get('if-match'),
          costs: createRequestCosts(limiters?.callers, String(caller.id), caller.rateHeaders),
        },
      ),
    headersOf: ({ headers }) => headers,
    around: (call, work) =>
      performOnce(
        { apiKeyId: call.caller.id, secret: services.answerSecret, render: publicFailureResponse },
        call,
        work,
      ),
    render: (error, requestId) => renderFailure(services, error, requestId, publicFailureResponse),
    observe: services.observe,
  })
}

interface AdmittedKey extends PresentedKey {
  /** Headers of every answer to this request. */
  rateHeaders: Record<string, string>
}

async function authenticate(
  services: Services,
  limiters: Limiters | undefined,
  request: Request,
  { peer }: PeerInfo,
): Promise<Authenticated<AdmittedKey>> {
  const header = request.headers.get('authorization') ?? ''
  const rawKey = header.startsWith('Bearer ') ? header.slice('Bearer '.length) : ''
  const key = await findKey(services.database.read, rawKey)
  // A page of another site cannot send a key, but its images would use up the rate limit of the
  // visitor's address.
  if (!key && isCrossOriginSubrequest(request)) throw failure('cross_site')
  const headers = key
    ? requireAllowed(limiters?.callers, String(key.id))
    : requireAllowed(limiters?.addresses, prefixOf(clientAddress(request, peer, services.proxies)))
  if (!key) throw unauthorized(headers)
  recordKeyUse(services, key)
  return { caller: { ...key, rateHeaders: headers }, headers }
}

function isSdk(request: Request): boolean {
  return request.headers.get('x-client') === 'sdk'
}

function unauthorized(headers: Record<string, string>): Failure {
  return transportFailure('unauthorized', { headers: { ...headers, 'WWW-Authenticate': 'Bearer' } })
}

/** Records the use of a key at most once a minute, without delaying the request. */
export function recordKeyUse({ database, keysUsedAt, log, now }: Services, key: PresentedKey): void {
  const nowSeconds = now()
  const last = Math.max(key.lastUsedAt ?? 0, keysUsedAt.get(key.id) ?? 0)
  if (nowSeconds - last < RECORD_USE_EVERY_SECONDS) return
  keysUsedAt.set(key.id, nowSeconds)
  database
    .write((tx) => markKeyUsed(tx, key.id, nowSeconds))
    .catch((error: unknown) => log.warn('key: cannot store the last use', { error }))
}
