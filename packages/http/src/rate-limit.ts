/** The answer to one request; it carries what the `RateLimit-*` and `Retry-After` headers need. */
export interface Taken {
  readonly allowed: boolean
  /** Requests in a full bucket. */
  readonly limit: number
  /** Requests left at this moment. */
  readonly remaining: number
  /** Whole seconds until the bucket is full. */
  readonly resetSeconds: number
  /** Whole seconds until the next request would pass; 0 when this one did. */
  readonly retryAfterSeconds: number
}

/** Counts requests by key, such as an identity or an address. */
export interface RateLimiter {
  /** All of `requests`, 1 unless told, or none; more than a full bucket never pass. */
  take(key: string, requests?: number): Taken
  /** What `take` would answer now, without counting anything: for limits on what turns out to be a failure. */
  peek(key: string): Taken
}

// About 10 MB of keys and numbers.
const MOST_KEYS = 100_000

/**
 * A token bucket for each key, in memory: `count` requests at once, refilled evenly within `perSeconds`. Refused requests
 * cost nothing. `now` is a clock in milliseconds, monotonic by default. Never fails.
 *
 * Memory is bounded: a bucket that has had the time to fill is dropped, which changes nothing. While `mostKeys` buckets
 * are still filling, new keys share one more bucket; none is dropped to make room, because then a flood of made-up keys
 * would empty the memory of the sender's own.
 *
 * @example
 * const limiter = createRateLimiter({ count: 600, perSeconds: 60 })
 * limiter.take('key-7') // { allowed: true, limit: 600, remaining: 599, resetSeconds: 1, retryAfterSeconds: 0 }
 */
export function createRateLimiter(
  { count, perSeconds }: { readonly count: number; readonly perSeconds: number },
  now: () => number = () => performance.now(),
  mostKeys = MOST_KEYS,
): RateLimiter {
  const fillMs = perSeconds * 1000
  const tokenMs = fillMs / count
  // A bucket is the moment at which it will be full (the generic cell rate algorithm), so it is one number.
  let filling = new Map<string, number>()
  // Not touched for a whole period by the time this is replaced, therefore full.
  let older = new Map<string, number>()
  let turnedAt = now()
  let sharedFullAt = 0

  function dropFull(at: number): void {
    const elapsed = at - turnedAt
    if (elapsed >= 0 && elapsed < fillMs) return
    turnedAt = at
    // A clock that was set back has filled nothing.
    if (elapsed < 0) return
    older = elapsed < 2 * fillMs ? filling : new Map()
    filling = new Map()
  }

  function store(key: string, fullAt: number): void {
    if (!filling.has(key) && !older.delete(key) && filling.size + older.size >= mostKeys)
      sharedFullAt = fullAt
    else filling.set(key, fullAt)
  }

  function find(key: string): number {
    const own = filling.get(key) ?? older.get(key)
    if (own !== undefined) return own
    return filling.size + older.size >= mostKeys ? sharedFullAt : 0
  }

  function measure(key: string, requests: number, counts: boolean): Taken {
    const at = now()
    dropFull(at)
    const known = find(key)
    // Never more than empty, even when the clock was set back.
    const fullAt = Math.min(Math.max(known, at), at + fillMs)
    const filledBy = fullAt + requests * tokenMs
    const wait = filledBy - fillMs - at
    const allowed = wait <= ROUNDING_MS
    const next = allowed ? filledBy : fullAt
    if (counts && (allowed || fullAt < known)) store(key, next)
    return {
      allowed,
      limit: count,
      remaining: Math.max(0, Math.floor((fillMs - (next - at) + ROUNDING_MS) / tokenMs)),
      resetSeconds: Math.ceil((next - at - ROUNDING_MS) / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((wait - ROUNDING_MS) / 1000)),
    }
  }

  return {
    take: (key, requests = 1) => measure(key, requests, true),
    peek: (key) => measure(key, 1, false),
  }
}

// Sums of thirds and sevenths are off by far less than this, and no clock is finer.
const ROUNDING_MS = 1e-3
