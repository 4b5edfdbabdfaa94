/**
 * Runs jobs in the background, some at once, for their owners in turn: who starts many, or slow ones,
 * waits for them alone. Jobs beyond an owner's queue are dropped rather than wait without limit.
 */
export class BackgroundQueue<Job> {
  readonly #options: BackgroundQueueOptions<Job>
  readonly #running = new Map<Promise<void>, string>()
  /** The jobs of each owner, the next one's first. */
  readonly #queues = new Map<string, Job[]>()
  readonly #abort = new AbortController()
  #isDraining = false

  constructor(options: BackgroundQueueOptions<Job>) {
    this.#options = options
  }

  /** Returns false if the job is dropped. */
  enqueue(owner: string, job: Job): boolean {
    const queue = this.#queues.get(owner) ?? []
    if (this.#isDraining || queue.length >= this.#options.maxQueued) return false
    queue.push(job)
    this.#queues.set(owner, queue)
    this.#startNext()
    return true
  }

  /** Starts no more jobs. Running ones continue. */
  drain(): void {
    this.#isDraining = true
    this.#queues.clear()
  }

  /** Aborts running jobs, and waits for those that cannot be aborted any more. */
  async close(): Promise<void> {
    this.drain()
    this.#abort.abort()
    await Promise.all(this.#running.keys())
  }

  #startNext(): void {
    const { run, onError, maxConcurrent } = this.#options
    if (this.#running.size >= maxConcurrent) return
    const owner = this.#queues.keys().find((waitingOwner) => this.#mayRun(waitingOwner))
    const job = owner === undefined ? undefined : this.#take(owner)
    if (owner === undefined || job === undefined) return
    const running = run(job, this.#abort.signal).catch(onError)
    this.#running.set(running, owner)
    void running.finally(() => {
      this.#running.delete(running)
      this.#startNext()
    })
  }

  /** One owner has at most half of the places. */
  #mayRun(owner: string): boolean {
    const own = this.#running.values().filter((runningOwner) => runningOwner === owner)
    return [...own].length < this.#options.maxConcurrent / 2
  }

  /** Takes the owner's first job, and puts the owner behind all others. */
  #take(owner: string): Job | undefined {
    const [job, ...rest] = this.#queues.get(owner) ?? []
    this.#queues.delete(owner)
    if (rest.length > 0) this.#queues.set(owner, rest)
    return job
  }
}

export interface BackgroundQueueOptions<Job> {
  run: (job: Job, abort: AbortSignal) => Promise<void>
  onError: (error: unknown) => void
  maxConcurrent: number
  /** The limit of each owner. */
  maxQueued: number
}
