export interface Timers {
  now: () => number
  after: (ms: number, act: () => void) => () => void
}

const FIRST_WAIT_MS = 500
export const MAX_WAIT_MS = 30_000
export const browserTimers: Timers = {
  // Unlike `performance.now`, this clock also runs while the machine sleeps.
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * Backoff in milliseconds with full jitter. Clients that lost the same server do not reconnect all
 * at once (R18.7).
 */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
}
