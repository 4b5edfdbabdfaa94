import { type RateLimiter, type RateLimitResult, createRateLimiter } from '@latchkey/http/rate-limit'
import type { Rates } from '../context.ts'
import { failure } from '../failures.ts'
import type { LimitName, Limits } from '../limits.ts'
import { createTotalRate } from './total-rate.ts'

const SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, '10s': 10 }

/** Too often to tell all nodes of each, or of this node alone. */
const LOCAL_ONLY: ReadonlySet<LimitName> = new Set([
  'http_per_minute',
  'http_anonymous_per_minute',
  'socket_messages_per_10s',
])

/** Of the whole service; their keys are client prefixes all the same, since each network gets its share. */
const TOTALS: ReadonlySet<LimitName> = new Set(['guest_create_total_per_minute'])

export interface SharedRates extends Rates {
  /** Another node has counted this. */
  applyRemote(limit: LimitName, key: string): void
}

/**
 * One counter for each limit that is a rate, told by its name; `now` in milliseconds. What is counted is told to `share`, so
 * that all nodes count together while they hear of each other, and each for itself while they do not (R19.2). As nobody
 * waits for that, a few more may pass within the milliseconds that it takes.
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
    if (perSeconds !== undefined) limiters.set(name, create({ count, perSeconds }, now))
  }
  const limiterOf = (limit: LimitName) => {
    const limiter = limiters.get(limit)
    if (!limiter) throw new TypeError(`${limit} is no rate`)
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
  }
}

function requireAllowed({ allowed, retryAfterSeconds }: RateLimitResult): void {
  if (!allowed) throw failure('rate_limited', { headers: { 'Retry-After': String(retryAfterSeconds) } })
}
