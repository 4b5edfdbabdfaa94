/** Statuses of requests that changed nothing. The exception is a 503 without `Retry-After`. */
const WORTH_IT: ReadonlySet<number> = new Set([429, 503])
/** Idempotent methods (RFC 9110 section 9.2.2), and POST, which is sent with an idempotency key. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE', 'POST'])
/** If the server asks for a longer wait, the call fails instead. */
const LONGEST_WAIT_MS = 60_000
const FIRST_WAIT_MS = 500
const LONGEST_GUESS_MS = 8000
/** Random part of the wait: clients that were refused together do not return together. */
const SPREAD_MS = 500

export interface Failed {
  method: string
  status: number
  /** Seconds, as the server sent them. */
  retryAfter: number | undefined
  /** Number of retries so far. */
  retries: number
}

/** Returns the milliseconds to wait before a retry. Undefined if the call must not be retried. */
export function waitBeforeRetry(
  { method, status, retryAfter, retries }: Failed,
  random: () => number,
): number | undefined {
  // An earlier attempt with the same key is still running.
  const isRunning = status === 409 && method === 'POST' && retryAfter !== undefined
  if (!REPEATABLE.has(method) || !(WORTH_IT.has(status) || isRunning)) return undefined
  if (retryAfter === undefined) {
    // The outcome is unknown. A retry could be refused, or undo later changes by others. A POST is
    // not performed twice with one key.
    if (status === 503 && method !== 'GET' && method !== 'POST') return undefined
    return Math.min(FIRST_WAIT_MS * 2 ** retries, LONGEST_GUESS_MS) * (1 + random()) * 0.5
  }
  const requestedMs = retryAfter * 1000
  return requestedMs > LONGEST_WAIT_MS ? undefined : requestedMs + random() * SPREAD_MS
}

/** Returns `Retry-After` in seconds, from a number or a date. Undefined if it is neither. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  // `Date.parse` would also accept "0.5" and "5, 5".
  if (!/[a-z]/i.test(header)) return undefined
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}
