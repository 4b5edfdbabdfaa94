import { type Access, openApiDocument } from '@latchkey/http/openapi'
import type { ResponseHeader } from '@latchkey/http/operation'
import type { Context } from '../api/context.ts'
import type { Scope } from '../api/caller.ts'
import { type FailureCode, failures, toErrorCode } from '../api/failures.ts'
import { API_PATH, needsCsrfToken } from './api.ts'
import { apiOperations } from '../operations.ts'

const DESCRIPTION = `Rooms with one external identity provider, sessions, guests and grants.

Sign in at \`/api/auth/login\` with a browser; the session is a cookie. Every unsafe request sends the value of the CSRF
cookie as \`x-csrf-token\`. Times are ISO 8601, UTC. Errors are \`{"error": "…", "code": "…"}\`; the code is stable.`

const SCOPE_DESCRIPTIONS: Record<Scope, string> = {
  public: 'Public: needs no session.',
  session: 'Needs a session of an account or a guest.',
  member: 'Needs a session of an account; guests may not call this.',
  admin: 'Needs a session of an administrator.',
}

const access: Access<Context> = {
  schemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-latchkey_session',
      description: 'Named `latchkey_session` if the service is reached over http on its own machine.',
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'x-csrf-token',
      description: 'The value of the cookie `__Host-latchkey_csrf`, or of `latchkey_csrf` over http.',
    },
  },
  neededBy: (operation, method) => [
    ...(operation.scope === 'public' ? [] : ['session']),
    ...(operation.scope !== 'public' && needsCsrfToken(operation, method) ? ['csrf'] : []),
  ],
  sentence: ({ scope }) => SCOPE_DESCRIPTIONS[scope as Scope],
  failuresOf(operation, method) {
    const scope = operation.scope as Scope
    const codes: FailureCode[] = []
    if (scope !== 'public') codes.push('unauthenticated')
    if (needsCsrfToken(operation, method)) codes.push('csrf_failed')
    const takesBody = operation.body !== undefined || operation.formField !== undefined
    if (!takesBody) codes.push('too_large')
    if (method !== 'GET' && !takesBody) codes.push('unsupported_media_type')
    if (scope === 'member') codes.push('guest_not_permitted')
    if (scope === 'admin') codes.push('forbidden')
    if (scope === 'admin' && method !== 'GET') codes.push('reauth_required')
    return codes
  },
}

const retryAfter: Readonly<Record<string, ResponseHeader>> = {
  'Retry-After': { type: 'integer', description: 'Seconds to wait before trying again.' },
}

const NEWEST_MESSAGE = {
  description: 'For `message_changed`: the newest version.',
  $ref: '#/components/schemas/Message',
}

/** The OpenAPI document, generated from the same definitions that serve the API. */
export function createDocument(version: string): Record<string, unknown> {
  return openApiDocument({
    title: 'Latchkey Rooms',
    version,
    description: DESCRIPTION,
    serverUrl: API_PATH,
    operations: apiOperations,
    failures,
    access,
    codeOf: toErrorCode,
    errorProperties: {
      code: { required: true, schema: { type: 'string', enum: Object.keys(failures) } },
      fields: {
        required: false,
        schema: {
          description: 'The invalid parts of the input.',
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'code'],
            properties: { path: { type: 'string' }, code: { type: 'string' } },
          },
        },
      },
      roomIds: {
        required: false,
        schema: {
          description: 'For `owns_rooms`: the rooms.',
          type: 'array',
          items: { type: 'string' },
        },
      },
      message: { required: false, schema: NEWEST_MESSAGE },
      requestId: {
        required: false,
        schema: {
          type: 'string',
          description: 'For an `internal` failure: identifies it in the log of the server.',
        },
      },
    },
    headers: {
      'X-Request-Id': { type: 'string', description: 'Identifies this request in the log of the server.' },
    },
    headersByStatus: { 429: retryAfter, 503: retryAfter },
    always: [
      'invalid_request',
      'cross_site_request',
      'wrong_host',
      'rate_limited',
      'internal',
      'unavailable',
    ],
  })
}
