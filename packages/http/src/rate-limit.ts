import { widerPrefix } from './client-prefix.ts'

/** The decision on one request, with the values of the `RateLimit-*` and `Retry-After` headers. */
export interface RateLimitResult {
  readonly allowed: boolean
  /** Requests in a full bucket. */
  readonly limit: number
  /** Requests left now. */
  readonly remaining: number
  /** Whole seconds until the bucket is full. */
  readonly resetSeconds: number
  /** Whole seconds until the next request would pass; 0 when this one passed. */
  readonly retryAfterSeconds: number
}

/** Counts requests by key, such as an identity or an address. */
export interface RateLimiter {
  /** Takes all of `requests` (default 1) or none. More than a full bucket never pass. */
  take(key: string, requests?: number): RateLimitResult
  /**
   * Returns what `take` would return now, without counting. For limits on requests that turn out to
   * fail.
   */
  peek(key: string): RateLimitResult
}

// Maximum number of prefixes of one width: IPv4 has as many /16, so those, and in practice the /32
// of IPv6, never fill their table. About 7 MB of keys and numbers.
const MAX_KEYS = 65_536
const WIDTHS: readonly string[] = ['/64', '/56', '/48', '/32', '/24', '/16']
/** How often a full table is searched for buckets that have filled up, in milliseconds. */
const FULL_SWEEP_MS = 1000

/**
 * Creates a token bucket for each key, in memory: `count` requests at once, refilled evenly within
 * `perSeconds`. Refused requests cost nothing. `now` is a clock in milliseconds, monotonic by
 * default. Never throws.
 *
 * Memory is bounded. A bucket that has had the time to fill is dropped, which changes nothing.
 * While `maxKeys` buckets are still filling, they stay, and new clients are counted together with
 * those of their network, as far as needed: in /24, then /16 of IPv4; in /56, /48, then /32 of
 * IPv6. Each network has one bucket like a client's own, in a table of its width. A client that
 * fills the tables therefore shares a bucket with its own neighbours. New keys that are not client
 * prefixes share one bucket.
 *
 * @example
 * const limiter = createRateLimiter({ count: 600, perSeconds: 60 })
 * limiter.take('key-7') // { allowed: true, limit: 600, remaining: 599, resetSeconds: 1, retryAfterSeconds: 0 }
 */
export function createRateLimiter(
  { count, perSeconds }: { readonly count: number; readonly perSeconds: number },
  now: () => number = () => performance.now(),
  maxKeys = MAX_KEYS,
): RateLimiter {
  const fillMs = perSeconds * 1000
  const tokenMs = fillMs / count
  const newTable = (max: number) => new Buckets(fillMs, max, now())
  const networks = new Map(WIDTHS.map((width) => [width, newTable(maxKeys)]))
  const single = newTable(maxKeys)
  const shared = newTable(1)

  function tableOf(key: string): Buckets {
    const slash = key.lastIndexOf('/')
    return (slash < 0 ? undefined : networks.get(key.slice(slash))) ?? single
  }

  /**
   * Returns the bucket of the client, or of the narrowest network around it that has a bucket or
   * room for one.
   */
  function bucketOf(key: string, at: number): { table: Buckets; key: string } {
    for (let prefix: string | undefined = key; prefix !== undefined; prefix = widerPrefix(prefix)) {
      const table = tableOf(prefix)
      if (table.admits(prefix, at)) return { table, key: prefix }
    }
    return { table: shared, key: '' }
  }

  function measure(key: string, requests: number, counts: boolean): RateLimitResult {
    const at = now()
    const bucket = bucketOf(key, at)
    const storedFullAt = bucket.table.get(bucket.key)
    // At most an empty bucket, even when the clock was set back.
    const fullAt = Math.min(Math.max(storedFullAt, at), at + fillMs)
    const filledBy = fullAt + requests * tokenMs
    const wait = filledBy - fillMs - at
    const allowed = wait <= ROUNDING_MS
    const next = allowed ? filledBy : fullAt
    if (counts && (allowed || fullAt < storedFullAt)) bucket.table.set(bucket.key, next)
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

/**
 * Buckets of one prefix width. The value of each is the time at which it will be full (the generic
 * cell rate algorithm).
 */
class Buckets {
  readonly #fullAt = new Map<string, number>()
  readonly #fillMs: number
  readonly #max: number
  #sweptAt: number

  constructor(fillMs: number, max: number, at: number) {
    this.#fillMs = fillMs
    this.#max = max
    this.#sweptAt = at
  }

  /** True when the key has a bucket or there is room for one. */
  admits(key: string, at: number): boolean {
    const sweepMs = this.#isAtMax() ? Math.min(FULL_SWEEP_MS, this.#fillMs) : this.#fillMs
    const elapsed = at - this.#sweptAt
    if (elapsed >= sweepMs || elapsed < 0) this.#sweep(at)
    return !this.#isAtMax() || this.#fullAt.has(key)
  }

  get(key: string): number {
    return this.#fullAt.get(key) ?? 0
  }

  set(key: string, fullAt: number): void {
    this.#fullAt.set(key, fullAt)
  }

  #isAtMax(): boolean {
    return this.#fullAt.size >= this.#max
  }

  #sweep(at: number): void {
    this.#sweptAt = at
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= at) this.#fullAt.delete(key)
  }
}

// Sums of thirds and sevenths are off by far less than this, in milliseconds, and no clock is
// finer.
const ROUNDING_MS = 1e-3
