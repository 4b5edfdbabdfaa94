import { Failure, transportFailure } from '@latchkey/http/failure'
import { type RateLimiter, createRateLimiter } from '@latchkey/http/rate-limit'
import { type Costs, ITEMS_PER_REQUEST, createCosts } from '../api/costs.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Two separate limiters: a flood from unknown addresses never uses up the rate limit of
 * authenticated callers.
 */
export interface Limiters {
  callers: RateLimiter
  addresses: RateLimiter
}

export function createLimiters({ rateLimit }: Pick<Settings, 'rateLimit'>): Limiters | undefined {
  return rateLimit === null
    ? undefined
    : { callers: createRateLimiter(rateLimit), addresses: createRateLimiter(rateLimit) }
}

/**
 * Counts requests and returns the headers with the remaining number. Throws the refusal for a
 * caller over the limit.
 */
export function requireAllowed(
  limiter: RateLimiter | undefined,
  key: string,
  requests = 1,
): Record<string, string> {
  const result = limiter?.take(key, requests)
  if (!result) return {}
  const headers = {
    'RateLimit-Limit': String(result.limit),
    'RateLimit-Remaining': String(result.remaining),
    'RateLimit-Reset': String(result.resetSeconds),
  }
  if (result.allowed) return headers
  // Waiting would not help.
  if (requests > result.limit)
    throw transportFailure('invalid_request', {
      text: `request: must be a batch of at most ${result.limit}`,
      headers,
    })
  const refusalHeaders = { ...headers, 'Retry-After': String(result.retryAfterSeconds) }
  throw transportFailure('too_many_requests', { headers: refusalHeaders })
}

/**
 * The costs of a request that was counted as one already. They update `headers` with the number of requests
 * that remains.
 */
export function createRequestCosts(
  limiter: RateLimiter | undefined,
  key: string,
  headers: Record<string, string>,
): Costs {
  return createCosts((requests, total) => {
    const limit = Number(headers['RateLimit-Limit'] ?? Infinity)
    // Waiting would not help.
    if (total >= limit)
      throw transportFailure('invalid_request', {
        text: `request: must have at most ${(limit - 1) * ITEMS_PER_REQUEST} links`,
      })
    try {
      Object.assign(headers, requireAllowed(limiter, key, requests))
    } catch (error) {
      if (error instanceof Failure) Object.assign(headers, error.headers)
      throw error
    }
  })
}
