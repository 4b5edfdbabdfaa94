import { widerPrefixes } from '@latchkey/http/client-prefix'
import type { RateLimiter, Taken } from '@latchkey/http/rate-limit'

/**
 * A rate of the whole service that no network uses up for the others. Of `count` within `perSeconds`, the widest network
 * around a client (/32 of IPv6, /16 of IPv4) may take as long as it has taken less than what is left, each narrower one
 * (/48 and /24, then /56) half as much as the one around it. So each network that takes all it can leaves half of what
 * there was to everybody else. `now` in milliseconds.
 */
export function createTotalRate(
  { count, perSeconds }: { readonly count: number; readonly perSeconds: number },
  now: () => number,
): RateLimiter {
  const periodMs = perSeconds * 1000
  const recent: { readonly at: number; readonly networks: readonly string[] }[] = []
  const takenIn = new Map<string, number>()

  function add(networks: readonly string[], requests: 1 | -1): void {
    for (const network of networks) {
      const taken = (takenIn.get(network) ?? 0) + requests
      if (taken === 0) takenIn.delete(network)
      else takenIn.set(network, taken)
    }
  }

  function forget(at: number): void {
    for (let [oldest] = recent; oldest && oldest.at <= at - periodMs; [oldest] = recent) {
      add(oldest.networks, -1)
      recent.shift()
    }
  }

  function measure(key: string, counts: boolean): Taken {
    const at = now()
    forget(at)
    const networks = widerPrefixes(key).toReversed()
    const left = count - recent.length
    const isShare = networks.every((network, depth) => (takenIn.get(network) ?? 0) * 2 ** depth < left)
    const allowed = left > 0 && isShare
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
