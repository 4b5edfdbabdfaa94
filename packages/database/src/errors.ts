interface CodedError {
  code: string
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && typeof (error as CodedError).code === 'string'
    ? (error as CodedError).code
    : ''
}

/** True when a row was to refer to one that is not there (any more), on either engine. */
export function isReferenceViolation(error: unknown): boolean {
  const code = codeOf(error)
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

/** True when PostgreSQL gave up a transaction for another's sake and the same work may simply be tried again. */
export function isTransactionConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/** Full disk, read-only or failing storage, another process holding the lock. Corruption is not listed: it will not pass. */
const SQLITE_UNAVAILABLE = /^SQLITE_(FULL|READONLY|IOERR|BUSY|CANTOPEN|LOCKED)/
/**
 * Connection failures (08), resources such as a full disk (53), the server going down (57), a read-only standby (25006), a
 * transaction that stood still for too long (25P03), a lock that was not to be had in time (55P03).
 */
const POSTGRES_UNAVAILABLE = /^(08|53|57)[0-9A-Z]{3}$|^(25006|25P03|55P03)$/
const NETWORK = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|ENOENT)$/
/** `pg` gives these failures no code. */
const POSTGRES_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error/i

/** A thread that reads has ended, is being closed, or has been busy for too long. */
export class ReaderUnavailable extends Error {
  override readonly name = 'ReaderUnavailable'
}

/** Nobody answered when a transaction was to be committed: it may have been. `cause` is what came instead. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'

  constructor(cause: unknown) {
    super('Whether the transaction was committed is not known', { cause })
  }
}

/** Whatever PostgreSQL answered to who wanted to connect: a service that runs has connected before. */
const unavailable = new WeakSet<Error>()

/** Has `isStorageUnavailable` be true of why there is no connection; returns the same error, so that it keeps its code. */
export function markUnavailable(error: unknown): unknown {
  if (error instanceof Error) unavailable.add(error)
  return error
}

/** True when the storage cannot serve now but may later: the caller's data is fine, and an API answers 503. */
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
