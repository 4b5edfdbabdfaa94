import { type RateLimiter, type RateLimitResult, createRateLimiter } from '@latchkey/http/rate-limit'
import { failure } from './failures.ts'
import type { LimitName, Limits } from './limits.ts'
import { createTotalRate } from './total-rate.ts'

/**
 * Rate limits of R22 with the counters of this node. Throws 429 `rate_limited` with `Retry-After`.
 */
export interface Rates {
  take(limit: LimitName, key: string): void
  /** Throws like `take` but counts nothing: for operations of which only failures are counted. */
  check(limit: LimitName, key: string): void
  /** Counts what was used up already, however little was left. Fractions are allowed. */
  charge(limit: LimitName, key: string, amount: number): void
  /** For responses that are not failures of the API: returns whether the request was allowed. */
  tryTake(limit: LimitName, key: string): ReturnType<RateLimiter['take']>
}

const SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, '10s': 10 }

/**
 * Limits that are counted per node: they change too often to publish each count, or apply to one
 * node only, such as its processor.
 */
const LOCAL_ONLY: ReadonlySet<LimitName> = new Set([
  'http_per_minute',
  'http_anonymous_per_minute',
  'socket_messages_per_10s',
  'image_seconds_per_hour',
])

/**
 * Limits of the whole instance. Their keys are client prefixes as well, since each network has a
 * share.
 */
const TOTALS: ReadonlySet<LimitName> = new Set(['guest_create_total_per_minute'])

/** The limit of a person's messages, and of all that makes events for others as often. */
export function messageLimitOf({ is_guest }: { is_guest: number }): LimitName {
  return is_guest === 1 ? 'guest_messages_per_10s' : 'messages_per_10s'
}

export interface SharedRates extends Rates {
  /** Counts a request that another node has allowed. */
  applyRemote(limit: LimitName, key: string): void
}

/**
 * One counter per rate limit, whose period is part of its name. `now` returns milliseconds. Counts
 * are passed to `share`. All nodes count together while the bus connects them, and each node counts
 * alone without it (R19.2). Requests do not wait for the bus, so a few more may pass within its
 * delay of milliseconds.
 */
export function createRates(
  limits: Limits,
  now: () => number,
  share: (limit: LimitName, key: string) => void = () => {},
): SharedRates {
  const limiters = new Map<LimitName, RateLimiter>()
  for (const [name, count] of Object.entries(limits) as [LimitName, number][]) {
    const perSeconds = SECONDS[/_per_(minute|hour|10s)$/.exec(name)?.[1] ?? '']
    const create = TOTALS.has(name) ? createTotalRate : createRateLimiter
    if (perSeconds === undefined) continue
    limiters.set(name, count === 0 ? refuseAll(perSeconds) : create({ count, perSeconds }, now))
  }
  const limiterOf = (limit: LimitName) => {
    const limiter = limiters.get(limit)
    if (!limiter) throw new TypeError(`${limit} is not a rate limit`)
    return limiter
  }
  const count = (limit: LimitName, key: string) => {
    const result = limiterOf(limit).take(key)
    if (result.allowed && !LOCAL_ONLY.has(limit)) share(limit, key)
    return result
  }
  return {
    tryTake: count,
    take: (limit, key) => requireAllowed(count(limit, key)),
    applyRemote: (limit, key) => void limiters.get(limit)?.take(key),
    check: (limit, key) => requireAllowed(limiterOf(limit).peek(key)),
    charge(limit, key, amount) {
      const limiter = limiterOf(limit)
      const { allowed, remaining } = limiter.take(key, amount)
      if (!allowed) limiter.take(key, remaining)
    },
  }
}

/** Counter of a limit of 0, which turns its feature off. */
function refuseAll(perSeconds: number): RateLimiter {
  const refused = {
    allowed: false,
    limit: 0,
    remaining: 0,
    resetSeconds: perSeconds,
    retryAfterSeconds: perSeconds,
  }
  return { take: () => refused, peek: () => refused }
}

function requireAllowed({ allowed, retryAfterSeconds }: RateLimitResult): void {
  if (!allowed) throw failure('rate_limited', { headers: { 'Retry-After': String(retryAfterSeconds) } })
}
