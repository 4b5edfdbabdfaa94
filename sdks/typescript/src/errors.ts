/** The base class of all failures of a call. An aborted call throws the reason of its signal instead. */
export abstract class LinksError extends Error {
  /** The stable code of the failure, such as `timeout`. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/**
 * An error that the server answered with. `message` is the server's text. `code` is the error code of
 * the answer, such as `slug_taken`. Without one it is derived from the status: `invalid_request`,
 * `unauthorized`, `forbidden`, `not_found`, `conflict`, `too_many_requests`, …
 */
export class LinksApiError extends LinksError {
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** Seconds after which a retry may succeed. */
  readonly retryAfter: number | undefined

  constructor(answer: ErrorAnswer) {
    super(answer.code ?? codeOfStatus(answer.status), answer.message)
    this.status = answer.status
    this.requestId = answer.requestId
    this.retryAfter = answer.retryAfter
  }
}

/** No complete answer arrived within the timeout. */
export class LinksTimeoutError extends LinksError {
  constructor(timeoutMs: number) {
    super('timeout', `No answer within ${timeoutMs} ms`)
  }
}

/** The server was unreachable, or the connection broke. `cause` is the error of `fetch`. */
export class LinksNetworkError extends LinksError {
  constructor(cause: unknown) {
    super('network', `The request failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** Returns the error for a success status with a body that the service does not send. */
export function unexpectedAnswer(status: number, requestId?: string): LinksApiError {
  const message = 'The answer is not what this client expects; is baseUrl the address of Latchkey Links?'
  return new LinksApiError({ status, message, requestId })
}

export interface ErrorAnswer {
  status: number
  message: string
  code?: string | undefined
  requestId?: string | undefined
  retryAfter?: number | undefined
}

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'too_large',
  429: 'too_many_requests',
  500: 'internal',
  503: 'unavailable',
}

function codeOfStatus(status: number): string {
  return CODES[status] ?? (status < 400 ? 'unexpected_answer' : `http_${status}`)
}
