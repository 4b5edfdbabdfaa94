import type { Failure } from '@latchkey/http/failure'
import { failureResponse } from '@latchkey/http/mount'
import { errorCodeOf, failureOf } from '../api/failures.ts'
import { QrSizeTooSmall, QrUnreadable } from '../api/qr-failures.ts'
import type { Services } from './services.ts'

/** Header of the public API with the error code. Its bodies stay `{error}` (L25.6). */
export const ERROR_CODE_HEADER = 'X-Error-Code'

/** Renders an error with `respond`. Internal errors are logged, and the response has no details. */
export function renderFailure(
  { log, logDatabaseFault }: Services,
  error: unknown,
  requestId: string,
  respond: (failure: Failure) => Response,
): Response {
  return respond(failureOf(error, { log, logDatabaseFault, requestId, message: 'request: failed' }))
}

/** An error of the public API: `{error}`, with its code in a header. */
export function publicFailureResponse(failure: Failure): Response {
  const response = failureResponse(failure)
  response.headers.set(ERROR_CODE_HEADER, errorCodeOf(failure))
  return response
}

/**
 * An error of the admin API: `{error, code}`, `min_size` if a QR code is too small, `field` if it cannot
 * be read back, and invalid `fields`.
 */
export function adminFailureResponse(failure: Failure): Response {
  const { message, status, headers } = failure
  const body = {
    error: message,
    code: errorCodeOf(failure),
    ...(isInside(failure) && { fields: failure.fields }),
    ...(failure instanceof QrSizeTooSmall && { min_size: failure.minSize }),
    ...(failure instanceof QrUnreadable && { field: failure.field }),
  }
  return Response.json(body, { status, headers })
}

/** True if a value inside a field is invalid, for which there is no code. */
function isInside(failure: Failure): boolean {
  return errorCodeOf(failure) === 'invalid_request' && failure.fields.some(({ path }) => path.includes('.'))
}
