import { transportFailure } from '@latchkey/http/failure'
import { type RateLimiter, createRateLimiter } from '@latchkey/http/rate-limit'
import type { Settings } from '../settings.ts'

/** Apart, so that a flood of strangers can never take the room of callers who are known. */
export interface Limiters {
  callers: RateLimiter
  addresses: RateLimiter
}

export function createLimiters({ rateLimit }: Pick<Settings, 'rateLimit'>): Limiters | undefined {
  return rateLimit === null
    ? undefined
    : { callers: createRateLimiter(rateLimit), addresses: createRateLimiter(rateLimit) }
}

/** Counts requests, and returns the headers that say how many are left. Throws what a caller with too many is refused with. */
export function take(limiter: RateLimiter | undefined, key: string, requests = 1): Record<string, string> {
  const taken = limiter?.take(key, requests)
  if (!taken) return {}
  const headers = {
    'RateLimit-Limit': String(taken.limit),
    'RateLimit-Remaining': String(taken.remaining),
    'RateLimit-Reset': String(taken.resetSeconds),
  }
  if (taken.allowed) return headers
  // No wait would help.
  if (requests > taken.limit)
    throw transportFailure('invalid_input', {
      text: `request: must be a batch of at most ${taken.limit}`,
      headers,
    })
  const refused = { ...headers, 'Retry-After': String(taken.retryAfterSeconds) }
  throw transportFailure('too_many_requests', { headers: refused })
}
