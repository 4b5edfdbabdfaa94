import { transportFailure } from '@latchkey/http/failure'
import { openApiDocument } from '@latchkey/http/openapi'
import type { ResponseHeader } from '@latchkey/http/operation'
import { referenceAnswers } from '@latchkey/http/reference-page'
import { failures } from '../api/failures.ts'
import { clicksAsOfHeader } from './clicks-as-of.ts'
import { apiOperations } from './operations.ts'
import { IDEMPOTENCY_HEADER, REPLAY_HEADER, idempotencyFailures } from '../idempotency/perform-once.ts'
import { policyFailures } from '../policies/require-policy.ts'
import { VERSION } from '../api/version.ts'
import { API_PATH } from './public-api.ts'
import { ERROR_CODE_HEADER, publicFailureResponse } from './render-failure.ts'

const DESCRIPTION = `Short links with custom slugs, QR codes and exact click counts.

Every route needs an API key: \`Authorization: Bearer sk_…\`. Create one with \`latchkey keys create\`.
Times are integer Unix seconds, UTC. Errors are \`{"error": "…"}\` with a stable English sentence,
and have a stable code in the header \`X-Error-Code\`.

Answers that hold one link have its version as \`ETag\`. A write of a link, its slugs or its behaviour that
carries another version in \`If-Match\` fails with 412, and nothing is written.

A POST may carry an \`Idempotency-Key\`. Sent again with the same key and body within 24 hours, it is not performed
again, and its answer is the stored one, with \`Idempotent-Replay: true\`.`

/** Rate limit headers are absent if there is no limit. */
const headers: Readonly<Record<string, ResponseHeader>> = {
  'X-Request-Id': { type: 'string', description: 'Identifies this request in the log of the server.' },
  'RateLimit-Limit': { type: 'integer', description: 'Number of requests that may be sent at once.' },
  'RateLimit-Remaining': { type: 'integer', description: 'Number of these requests that are left.' },
  'RateLimit-Reset': { type: 'integer', description: 'Seconds until the full number is available again.' },
}
const errorHeaders: Readonly<Record<string, ResponseHeader>> = {
  [ERROR_CODE_HEADER]: {
    type: 'string',
    description: 'Stable code of the error, such as `link_not_found`. Decide by it, not by the sentence.',
  },
}
const retryAfter: Readonly<Record<string, ResponseHeader>> = {
  'Retry-After': { type: 'integer', description: 'Seconds to wait before trying again.' },
}

/** Creates the OpenAPI document from the definitions that serve the API. */
export function createDocument(version: string): Record<string, unknown> {
  return openApiDocument({
    title: 'Latchkey Links',
    version,
    description: DESCRIPTION,
    serverUrl: API_PATH,
    operations: apiOperations,
    failures,
    headers,
    errorHeaders,
    headersByStatus: {
      200: clicksAsOfHeader,
      401: { 'WWW-Authenticate': { type: 'string', description: '`Bearer`.' } },
      409: retryAfter,
      429: retryAfter,
      503: retryAfter,
    },
    requestHeaders: {
      POST: {
        parameters: {
          [IDEMPOTENCY_HEADER]: {
            description:
              'For 24 hours, the same request with this key is not performed again, and gets the stored answer.',
            schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[!-~]+$' },
          },
        },
        answered: {
          [REPLAY_HEADER]: { type: 'string', description: '`true`: the answer to an earlier request.' },
        },
        failures: [...idempotencyFailures, ...policyFailures],
      },
      ...Object.fromEntries(
        ['PUT', 'PATCH', 'DELETE'].map((method) => [method, { failures: policyFailures }]),
      ),
    },
    always: [
      'unauthorized',
      'cross_site',
      'forbidden',
      'too_many_requests',
      'internal',
      'storage_unavailable',
      'outcome_unknown',
    ],
  })
}

const CSP = `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`

const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': CSP,
}

const METHOD_NOT_ALLOWED = transportFailure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })

/**
 * Serves the API reference and its document; undefined for other paths. Both need no key and are
 * not rate limited.
 */
export function createReference(): (method: string, path: string) => Promise<Response> | undefined {
  const answers = referenceAnswers({
    title: 'Latchkey Links API',
    apiPath: API_PATH,
    icon: '/favicon.svg',
    document: () => createDocument(VERSION),
    headers: {
      document: { 'Cache-Control': 'no-cache' },
      page: PAGE_HEADERS,
      script: { 'Cache-Control': 'public, max-age=86400' },
    },
  })
  return (method, path) => {
    const answer = answers.get(path)
    return answer && respond(method, answer)
  }
}

async function respond(method: string, answer: () => Response | Promise<Response>): Promise<Response> {
  const response =
    method === 'GET' || method === 'HEAD' ? await answer() : publicFailureResponse(METHOD_NOT_ALLOWED)
  response.headers.set('X-Request-Id', crypto.randomUUID())
  return response
}
