import { type RateLimiter, type Taken, createRateLimiter } from '@latchkey/http/rate-limit'
import type { Rates } from '../context.ts'
import { failure } from '../failures.ts'
import type { LimitName, Limits } from '../limits.ts'

const SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, '10s': 10 }

/** One counter for each limit that is a rate, told by its name; `now` in milliseconds. */
export function createRates(limits: Limits, now: () => number): Rates {
  const limiters = new Map<LimitName, RateLimiter>()
  for (const [name, count] of Object.entries(limits) as [LimitName, number][]) {
    const perSeconds = SECONDS[/_per_(minute|hour|10s)$/.exec(name)?.[1] ?? '']
    if (perSeconds !== undefined) limiters.set(name, createRateLimiter({ count, perSeconds }, now))
  }
  const limiterOf = (limit: LimitName) => {
    const limiter = limiters.get(limit)
    if (!limiter) throw new TypeError(`${limit} is no rate`)
    return limiter
  }
  return {
    allows: (limit, key) => limiterOf(limit).take(key),
    take: (limit, key) => demand(limiterOf(limit).take(key)),
    check: (limit, key) => demand(limiterOf(limit).peek(key)),
  }
}

function demand({ allowed, retryAfterSeconds }: Taken): void {
  if (!allowed) throw failure('rate_limited', { headers: { 'Retry-After': String(retryAfterSeconds) } })
}
