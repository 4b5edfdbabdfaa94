/** Every failure of a call, but for one that the caller aborted: then the signal's own reason is thrown. */
export abstract class LinksError extends Error {
  /** What went wrong, in one stable word. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/**
 * The server answered with an error. `message` is its sentence. `code` is the error code that it sent, such as
 * `slug_taken`; without one, it is derived from the status: `invalid_request`, `unauthorized`, `forbidden`, `not_found`, `conflict`, `too_many_requests`, …
 */
export class LinksApiError extends LinksError {
  readonly status: number
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined
  /** Seconds after which it is worth trying again. */
  readonly retryAfter: number | undefined

  constructor(answer: ErrorAnswer) {
    super(answer.code ?? codeOfStatus(answer.status), answer.message)
    this.status = answer.status
    this.requestId = answer.requestId
    this.retryAfter = answer.retryAfter
  }
}

/** No complete answer came in time. */
export class LinksTimeoutError extends LinksError {
  constructor(timeoutMs: number) {
    super('timeout', `No answer within ${timeoutMs} ms`)
  }
}

/** The server could not be reached, or the connection broke. `cause` is what the platform says. */
export class LinksNetworkError extends LinksError {
  constructor(cause: unknown) {
    super('network', `The request failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** A good status with something else than the service answers. */
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
