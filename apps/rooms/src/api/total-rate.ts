import type { RateLimiter, RateLimitResult } from '@latchkey/http/rate-limit'
import { hasShare, networksOf } from './network-share.ts'

/**
 * A rate of the whole instance, `count` requests in `perSeconds`, of which each network has a
 * share. `now` returns milliseconds.
 */
export function createTotalRate(
  { count, perSeconds }: { readonly count: number; readonly perSeconds: number },
  now: () => number,
): RateLimiter {
  const periodMs = perSeconds * 1000
  const recent: { readonly at: number; readonly networks: readonly string[] }[] = []
  const usedCounts = new Map<string, number>()

  function add(networks: readonly string[], requests: 1 | -1): void {
    for (const network of networks) {
      const usedCount = (usedCounts.get(network) ?? 0) + requests
      if (usedCount === 0) usedCounts.delete(network)
      else usedCounts.set(network, usedCount)
    }
  }

  function forget(at: number): void {
    for (let [oldest] = recent; oldest && oldest.at <= at - periodMs; [oldest] = recent) {
      add(oldest.networks, -1)
      recent.shift()
    }
  }

  function measure(key: string, counts: boolean): RateLimitResult {
    const at = now()
    forget(at)
    const networks = networksOf(key)
    const allowed = hasShare(networks, count - recent.length, (network) => usedCounts.get(network) ?? 0)
    if (allowed && counts) {
      recent.push({ at, networks })
      add(networks, 1)
    }
    const secondsOf = (take: { at: number } | undefined) =>
      take ? Math.max(1, Math.ceil((take.at + periodMs - at) / 1000)) : 0
    return {
      allowed,
      limit: count,
      remaining: count - recent.length,
      resetSeconds: secondsOf(recent.at(-1)),
      retryAfterSeconds: allowed ? 0 : secondsOf(recent[0]),
    }
  }

  return { take: (key) => measure(key, true), peek: (key) => measure(key, false) }
}
