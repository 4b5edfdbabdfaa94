/** Limits how many operations run at the same time. Others wait in order. */
export class Semaphore {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(limit: number) {
    this.#free = limit
  }

  /** Rejects with the reason of `signal` if it aborts before the work starts. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    try {
      return await work()
    } finally {
      // A finished operation passes its place to the next.
      const [next] = this.#waiting
      if (next) {
        this.#waiting.delete(next)
        next()
      } else this.#free++
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(resolve)
      reject(signal?.reason)
    }
    this.#waiting.add(resolve)
    signal?.addEventListener('abort', leave, { once: true })
    await promise
    signal?.removeEventListener('abort', leave)
  }
}
