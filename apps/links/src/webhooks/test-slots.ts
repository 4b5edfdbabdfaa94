import { transportFailure } from '@latchkey/http/failure'
import { createRateLimiter } from '@latchkey/http/rate-limit'

/** Tests of a person at once, and the seconds in which as many more are possible. */
const RATE = { count: 10, perSeconds: 60 }
/** A receiver may take all the time of an attempt: whose receivers do so waits for them. */
const MAX_RUNNING = 5
const RETRY_AFTER_SECONDS = 5

/** Limits the tests of webhooks, for each person alone. */
export class TestSlots {
  readonly #rate = createRateLimiter(RATE)
  /** The running tests of each person. */
  readonly #running = new Map<string, number>()

  /** Throws 429 if the person has too many tests. */
  async run<Result>(identity: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(identity) ?? 0
    if (running >= MAX_RUNNING) throw tooMany(RETRY_AFTER_SECONDS)
    const { allowed, retryAfterSeconds } = this.#rate.take(identity)
    if (!allowed) throw tooMany(retryAfterSeconds)
    this.#running.set(identity, running + 1)
    try {
      return await work()
    } finally {
      const left = (this.#running.get(identity) ?? 1) - 1
      if (left > 0) this.#running.set(identity, left)
      else this.#running.delete(identity)
    }
  }
}

function tooMany(retryAfterSeconds: number) {
  return transportFailure('too_many_requests', { headers: { 'Retry-After': String(retryAfterSeconds) } })
}
