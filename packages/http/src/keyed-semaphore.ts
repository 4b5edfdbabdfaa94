import { Semaphore } from './semaphore.ts'

/** Limits how many operations of each key run at the same time. Others of this key wait in order. */
export class KeyedSemaphore {
  readonly #limit: number
  readonly #entries = new Map<string, { semaphore: Semaphore; users: number }>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Rejects with the reason of `signal` if it aborts before the work starts. */
  async run<Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const entry = this.#entries.get(key) ?? { semaphore: new Semaphore(this.#limit), users: 0 }
    this.#entries.set(key, entry)
    entry.users++
    try {
      return await entry.semaphore.run(work, signal)
    } finally {
      if (--entry.users === 0) this.#entries.delete(key)
    }
  }
}
