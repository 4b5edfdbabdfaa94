import { type Changes, PendingChanges } from './changes.ts'

/** Where changes are noticed: every write of this node and, sooner or later, of everybody else. */
export interface Watch {
  /** Ends when every change from now on will be noted. */
  start(note: (changes: Partial<Changes>) => void): Promise<void>
  /** Nobody follows for the time being. */
  rest(): void
  close(): Promise<void>
}

/** At most one message in this time, milliseconds. */
const MERGE_MS = 1_000
/** The writes of one action come together: the first of them waits for the others. */
const GATHER_MS = 50

/** One reader of changes. */
export class Following {
  readonly #pending = new PendingChanges()
  readonly #leave: (following: Following) => void
  #wake = Promise.withResolvers<void>()
  #toldMs = -Infinity
  #ended = false

  constructor(leave: (following: Following) => void) {
    this.#leave = leave
  }

  note(changes: Partial<Changes>): void {
    this.#pending.add(changes)
    // A file that changed may have changed in nothing that is told.
    if (!this.#pending.isEmpty) this.#wake.resolve()
  }

  /** What changed since the last call, as soon as a message may be sent; `quiet` after so long, `ended` for good. */
  async next(quietAfterMs: number): Promise<Changes | 'quiet' | 'ended'> {
    const timer = setTimeout(() => this.#wake.resolve(), quietAfterMs)
    await this.#wake.promise
    clearTimeout(timer)
    if (!this.#pending.isEmpty && !this.#ended) {
      const waitMs = Math.max(GATHER_MS, this.#toldMs + MERGE_MS - performance.now())
      await Bun.sleep(waitMs)
    }
    if (this.#ended) return 'ended'
    this.#wake = Promise.withResolvers<void>()
    if (this.#pending.isEmpty) return 'quiet'
    this.#toldMs = performance.now()
    return this.#pending.take()
  }

  end(): void {
    this.#ended = true
    this.#wake.resolve()
    this.#leave(this)
  }
}

/** Tells open pages what changed. Costs nothing while nobody follows. */
export class ChangeFeed {
  readonly #watch: Watch
  readonly #followers = new Set<Following>()
  #closed = false

  constructor(watch: Watch) {
    this.#watch = watch
  }

  get followers(): number {
    return this.#followers.size
  }

  /** Ends when no change from now on will be missed. */
  async follow(): Promise<Following> {
    const following = new Following((left) => {
      this.#followers.delete(left)
      if (this.#followers.size === 0) this.#watch.rest()
    })
    this.#followers.add(following)
    if (this.#closed) following.end()
    else
      try {
        await this.#watch.start((changes) => {
          for (const follower of this.#followers) follower.note(changes)
        })
      } catch (error) {
        following.end()
        throw error
      }
    return following
  }

  /** Ends all followers, and every later one at once: the node is about to stop. */
  drain(): void {
    this.#closed = true
    for (const follower of this.#followers) follower.end()
  }

  async close(): Promise<void> {
    this.drain()
    await this.#watch.close()
  }
}
