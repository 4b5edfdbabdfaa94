/**
 * Runs jobs in the background, some at once. Jobs beyond the queue are dropped rather than wait
 * without limit.
 */
export class BackgroundQueue<Job> {
  readonly #options: BackgroundQueueOptions<Job>
  readonly #running = new Set<Promise<void>>()
  readonly #queue: Job[] = []
  readonly #abort = new AbortController()
  #isDraining = false

  constructor(options: BackgroundQueueOptions<Job>) {
    this.#options = options
  }

  /** Returns false if the job is dropped. */
  enqueue(job: Job): boolean {
    if (this.#isDraining || this.#queue.length >= this.#options.maxQueued) return false
    this.#queue.push(job)
    this.#startNext()
    return true
  }

  /** Starts no more jobs. Running ones continue. */
  drain(): void {
    this.#isDraining = true
    this.#queue.length = 0
  }

  /** Aborts running jobs, and waits for those that cannot be aborted any more. */
  async close(): Promise<void> {
    this.drain()
    this.#abort.abort()
    await Promise.all(this.#running)
  }

  #startNext(): void {
    const { run, onError, maxConcurrent } = this.#options
    const job = this.#running.size < maxConcurrent ? this.#queue.shift() : undefined
    if (job === undefined) return
    const running = run(job, this.#abort.signal).catch(onError)
    this.#running.add(running)
    void running.finally(() => {
      this.#running.delete(running)
      this.#startNext()
    })
  }
}

export interface BackgroundQueueOptions<Job> {
  run: (job: Job, abort: AbortSignal) => Promise<void>
  onError: (error: unknown) => void
  maxConcurrent: number
  maxQueued: number
}
