import { openApiDocument } from '@latchkey/http/openapi'
import { failures } from '../failures.ts'
import { API_PATH } from './api.ts'
import { apiOperations } from './operations.ts'

const DESCRIPTION = `Rooms with one external identity provider, sessions, guests and grants.

Sign in at \`/api/auth/login\` with a browser; the session is a cookie. Every unsafe request sends the value of the CSRF
cookie as \`x-csrf-token\`. Times are ISO 8601, UTC. Errors are \`{"error": "…", "code": "…"}\`; the code is stable.`

/** The document that describes the API, made from the definitions that serve it. */
export function createDocument(version: string): Record<string, unknown> {
  return openApiDocument({
    title: 'Latchkey Rooms',
    version,
    description: DESCRIPTION,
    serverUrl: API_PATH,
    operations: apiOperations,
    failures,
    headers: {
      'X-Request-Id': { type: 'string', description: 'Names this request in the log of the server.' },
    },
    headersByStatus: {
      429: {
        'Retry-After': { type: 'integer', description: 'Seconds after which it is worth trying again.' },
      },
      503: {
        'Retry-After': { type: 'integer', description: 'Seconds after which it is worth trying again.' },
      },
    },
    always: ['wrong_host', 'rate_limited', 'internal', 'unavailable'],
  })
}
