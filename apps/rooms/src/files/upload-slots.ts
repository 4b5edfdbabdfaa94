import { failure } from '../api/failures.ts'

const RETRY_SECONDS = '5'

/** Bounds the uploads that run at once: what they have sent is on the disk, and in no total of files yet. */
export class UploadSlots {
  /** Running uploads, by turn. */
  readonly #running = new Map<string, number>()

  /** Throws 429 if `max` uploads of this turn are running. */
  async run<Result>(turn: string, max: number, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(turn) ?? 0
    if (running >= max) throw failure('rate_limited', { headers: { 'Retry-After': RETRY_SECONDS } })
    this.#running.set(turn, running + 1)
    try {
      return await work()
    } finally {
      const left = (this.#running.get(turn) ?? 1) - 1
      if (left > 0) this.#running.set(turn, left)
      else this.#running.delete(turn)
    }
  }
}
