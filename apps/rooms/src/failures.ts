import { Failure, type FailureKind, transportFailures } from '@latchkey/http/failure'

/** The closed list of codes that a request to Rooms can end in (rooms-contract R15.2), with their English sentences. */
export const failures = {
  invalid_request: { status: 400, text: 'The request is not valid' },
  nickname_reserved: { status: 400, text: 'This name is reserved; choose another' },
  unauthenticated: { status: 401, text: 'Sign in first' },
  forbidden: { status: 403, text: 'You may not do this' },
  cross_site_request: { status: 403, text: 'Requests from other sites are refused' },
  csrf_failed: { status: 403, text: 'The x-csrf-token header is missing or belongs to another session' },
  guests_disabled: { status: 403, text: 'Guests are not admitted here' },
  guest_not_permitted: { status: 403, text: 'Guests may not do this; sign in' },
  reauth_required: { status: 403, text: 'Your sign-in is too long ago for this; sign in again' },
  not_found: { status: 404, text: 'Not found' },
  method_not_allowed: { status: 405, text: 'This address does not take this method' },
  session_exists: { status: 409, text: 'You are signed in already' },
  owns_rooms: { status: 409, text: 'Rooms belong to this account; hand them over or delete them first' },
  last_admin: { status: 409, text: 'This would leave nobody who can administer' },
  limit_reached: { status: 409, text: 'The limit is reached' },
  too_large: { status: 413, text: 'The request is too large' },
  unsupported_media_type: { status: 415, text: 'Content-Type must be application/json' },
  wrong_host: { status: 421, text: 'This service does not answer under this host name' },
  rate_limited: { status: 429, text: 'Too many requests; wait a moment' },
  internal: { status: 500, text: 'Something went wrong on our side' },
  unavailable: { status: 503, text: 'The service cannot do this at the moment; try again later' },
} as const satisfies Record<string, FailureKind>

export type FailureCode = keyof typeof failures

/** A failure of the list; `text` replaces the sentence where it can say more. */
export function failure(
  code: FailureCode,
  { text = failures[code].text, headers }: { text?: string; headers?: Record<string, string> } = {},
): Failure {
  return new Failure(code, { status: failures[code].status, text }, headers)
}

/** What the shared transport calls its failures, in the words of this service. */
const TRANSPORT: Record<keyof typeof transportFailures, FailureCode> = {
  unauthorized: 'unauthenticated',
  forbidden: 'forbidden',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  body_too_large: 'too_large',
  content_type: 'unsupported_media_type',
  invalid_json: 'invalid_request',
  invalid_input: 'invalid_request',
  too_many_requests: 'rate_limited',
  internal: 'internal',
  storage_unavailable: 'unavailable',
}

/** The code of this service's list for one of the transport's; any other stays as it is. */
export function listedCode(code: string): string {
  return Object.hasOwn(TRANSPORT, code) ? TRANSPORT[code as keyof typeof TRANSPORT] : code
}

/** The same failure under a code of this service's list. */
export function listed(thrown: Failure): Failure {
  if (!Object.hasOwn(TRANSPORT, thrown.code) || Object.hasOwn(failures, thrown.code)) return thrown
  const code = TRANSPORT[thrown.code as keyof typeof TRANSPORT]
  const text = code === 'invalid_request' ? thrown.message : failures[code].text
  return new Failure(code, { status: failures[code].status, text }, thrown.headers, thrown.fields)
}
