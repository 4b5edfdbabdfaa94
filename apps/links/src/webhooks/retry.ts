import { DAY, HOUR } from '../time/window.ts'

/** Waits before further attempts, in seconds (L30.3). All later ones are a day. */
const WAITS = [5, 30, 120, 600, HOUR, 6 * HOUR]
/** Receivers that were down together are not asked together again. */
const JITTER = 0.1
/** A webhook whose attempts have failed for this long is disabled. */
export const MAX_FAILING_SECONDS = 5 * DAY

interface Failing {
  /** Failed attempts of the event, including the latest. */
  failures: number
  failingSince: number
  retryAfterSeconds: number
  now: number
  /** At least 0 and less than 1. */
  random: number
}

/** Unix seconds of the next attempt; undefined if the webhook has failed for too long. */
export function nextAttemptAt({
  failures,
  failingSince,
  retryAfterSeconds,
  now,
  random,
}: Failing): number | undefined {
  const endsAt = failingSince + MAX_FAILING_SECONDS
  if (now >= endsAt) return undefined
  const wait = Math.ceil((WAITS[failures - 1] ?? DAY) * (1 + JITTER * random))
  return Math.min(now + Math.max(wait, Math.min(retryAfterSeconds, DAY)), endsAt)
}
