/** A failure on the wire: its HTTP status and its stable English text. */
export interface FailureKind {
  readonly status: number
  readonly text: string
  /** A more specific code, such as `url_too_long`, for apps that list it. */
  readonly detail?: string | undefined
}

/** One invalid field: its path, separated by dots, and a stable code for the problem. */
export interface FieldProblem {
  readonly path: string
  readonly code: string
}

/**
 * A listed failure of a request. `code` comes from the app's closed list. `message` is shown to the
 * caller and never contains internals. `headers` are added to the answer (`Allow`, `Retry-After`,
 * …). `fields` describe the invalid input, in apps that report it. `detail` is a more specific code
 * than `code`, for apps whose list has it.
 */
export class Failure extends Error {
  readonly code: string
  readonly status: number
  readonly detail: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fields: readonly FieldProblem[]

  constructor(
    code: string,
    kind: FailureKind,
    headers: Readonly<Record<string, string>> = {},
    fields: readonly FieldProblem[] = [],
  ) {
    super(kind.text)
    this.name = 'Failure'
    this.code = code
    this.status = kind.status
    this.detail = kind.detail
    this.headers = headers
    this.fields = fields
  }
}

/** Failures of the transport itself, which every app has. */
export const transportFailures = {
  unauthorized: { status: 401, text: 'Unauthorized' },
  forbidden: { status: 403, text: 'Forbidden' },
  not_found: { status: 404, text: 'Not Found' },
  method_not_allowed: { status: 405, text: 'Method Not Allowed' },
  body_too_large: { status: 413, text: 'Request body too large' },
  unsupported_media_type: { status: 400, text: 'Content-Type must be application/json' },
  invalid_json: { status: 400, text: 'Invalid JSON body' },
  invalid_request: { status: 400, text: 'request: is not valid' },
  too_many_requests: { status: 429, text: 'Too many requests' },
  internal: { status: 500, text: 'Internal Server Error' },
  storage_unavailable: {
    status: 503,
    text: 'The database cannot be used at the moment; nothing was changed. Try again later.',
  },
} as const satisfies Record<string, FailureKind>

/** Text of `storage_unavailable` when the storage was lost during the commit of a change. */
export const OUTCOME_UNKNOWN =
  'The database did not answer; whether anything was changed is not known. Look before you try again.'

export type TransportFailure = keyof typeof transportFailures

/**
 * Creates a failure of the transport. `text` replaces the standard sentence where it must name the
 * problem, and `detail` names the problem for apps that list such codes.
 */
export function transportFailure(
  code: TransportFailure,
  {
    text,
    detail,
    headers,
    fields,
  }: {
    text?: string
    detail?: string
    headers?: Record<string, string>
    fields?: readonly FieldProblem[]
  } = {},
): Failure {
  const kind = transportFailures[code]
  return new Failure(code, { status: kind.status, text: text ?? kind.text, detail }, headers, fields)
}
