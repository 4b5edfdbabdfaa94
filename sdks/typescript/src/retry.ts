/** Only these are worth another try: nothing was done, unless it is a 503 that names no time. */
const WORTH_IT: ReadonlySet<number> = new Set([429, 503])
/** By HTTP, doing these twice is doing them once. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'PUT', 'DELETE'])
/** A server that wants us to wait for longer is better told to the caller. */
const LONGEST_WAIT_MS = 60_000
const FIRST_WAIT_MS = 500
const LONGEST_GUESS_MS = 8000
/** Clients that were refused together do not come back together. */
const SPREAD_MS = 500

export interface Failed {
  method: string
  status: number
  /** Seconds, as the server wants it. */
  retryAfter: number | undefined
  /** How often this call was repeated already. */
  retries: number
}

/** How long to wait before a call is repeated, in milliseconds; undefined: it is not repeated. */
export function waitBeforeRetry(
  { method, status, retryAfter, retries }: Failed,
  random: () => number,
): number | undefined {
  if (!IDEMPOTENT.has(method) || !WORTH_IT.has(status)) return undefined
  if (retryAfter === undefined) {
    // Then nobody knows whether it was done: again, it could be refused as done, or undo what others did since.
    if (status === 503 && method !== 'GET') return undefined
    return Math.min(FIRST_WAIT_MS * 2 ** retries, LONGEST_GUESS_MS) * (1 + random()) * 0.5
  }
  const asked = retryAfter * 1000
  return asked > LONGEST_WAIT_MS ? undefined : asked + random() * SPREAD_MS
}

/** `Retry-After` in seconds, whether the server sent a number or a date. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  // Platforms take "0.5" and "5, 5" for days, too.
  if (!/[a-z]/i.test(header)) return undefined
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}
