interface CodedError {
  code: string
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && typeof (error as CodedError).code === 'string'
    ? (error as CodedError).code
    : ''
}

/** True when a row refers to a row that does not exist, on either engine. */
export function isReferenceViolation(error: unknown): boolean {
  const code = codeOf(error)
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

/**
 * True when PostgreSQL aborted a transaction in favour of another. The same work can be retried.
 */
export function isTransactionConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/**
 * Full disk, read-only or failing storage, or a lock held by another process. Corruption is not
 * included because it is permanent.
 */
const SQLITE_UNAVAILABLE = /^SQLITE_(FULL|READONLY|IOERR|BUSY|CANTOPEN|LOCKED)/
/**
 * Connection failures (08), resources such as a full disk (53), a server shutdown (57), a read-only
 * standby (25006), a transaction that was idle for too long (25P03), a lock timeout (55P03), a
 * conflict that no retry has ended (40001, 40P01).
 */
const POSTGRES_UNAVAILABLE = /^(08|53|57)[0-9A-Z]{3}$|^(25006|25P03|40001|40P01|55P03)$/
const NETWORK = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|ENOENT)$/
/** `pg` sets no code on these errors. */
const POSTGRES_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error/i

/** The server has taken a connection and does not answer on it, or is starting up. */
export function isServerSilent(error: unknown): boolean {
  const isTimeout =
    error instanceof Error && /timeout exceeded when trying to connect|Query read timeout/.test(error.message)
  return isTimeout || codeOf(error) === '57P03'
}

/** The read thread has ended, is being closed, or has been busy for too long. */
export class ReaderUnavailable extends Error {
  override readonly name = 'ReaderUnavailable'
}

/**
 * The database did not answer the commit of a transaction, which may or may not have succeeded.
 * `cause` is the error received instead.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'

  constructor(cause: unknown) {
    super('Whether the transaction was committed is not known', { cause })
  }
}

/** Errors of connection attempts, with any code: a running service has connected before. */
const unavailable = new WeakSet<Error>()

/**
 * Marks a connection error as one for which `isStorageUnavailable` is true. Returns the same error,
 * which keeps its code.
 */
export function markUnavailable(error: unknown): unknown {
  if (error instanceof Error) unavailable.add(error)
  return error
}

/**
 * True when the storage cannot serve now but may later. The caller's data is fine, and an API
 * answers 503.
 */
export function isStorageUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  return (
    error instanceof ReaderUnavailable ||
    error instanceof OutcomeUnknown ||
    SQLITE_UNAVAILABLE.test(code) ||
    POSTGRES_UNAVAILABLE.test(code) ||
    NETWORK.test(code) ||
    (error instanceof Error && (unavailable.has(error) || POSTGRES_MESSAGES.test(error.message)))
  )
}
