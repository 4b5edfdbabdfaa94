import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import { type Changes, PendingChanges } from './changes.ts'

/** Detects changes: every write of this node and, with a delay, of all others. */
export interface ChangeWatcher {
  /** Resolves once every later change will be reported. */
  start(onChanges: (changes: Partial<Changes>) => void): Promise<void>
  /** Called when no readers are left for now. */
  pause(): void
  close(): Promise<void>
}

/** Minimum interval between messages, in milliseconds. */
const MERGE_MS = 1_000
/** Delay after the first write of an action, to gather the others. */
const GATHER_MS = 50

/** One reader of changes. */
export class ChangeSubscription {
  readonly #pending = new PendingChanges()
  readonly #unsubscribe: (subscription: ChangeSubscription) => void
  #wake = Promise.withResolvers<void>()
  #lastSentMs = -Infinity
  #hasEnded = false
  readonly #end = Promise.withResolvers<void>()

  constructor(unsubscribe: (subscription: ChangeSubscription) => void) {
    this.#unsubscribe = unsubscribe
  }

  add(changes: Partial<Changes>): void {
    this.#pending.add(changes)
    // A changed file need not contain a visible change.
    if (!this.#pending.isEmpty) this.#wake.resolve()
  }

  /**
   * Changes since the last call, as soon as a message may be sent; `quiet` after this time without
   * any, `ended` for good.
   */
  async next(quietAfterMs: number): Promise<Changes | 'quiet' | 'ended'> {
    const timer = setTimeout(() => this.#wake.resolve(), quietAfterMs)
    await this.#wake.promise
    clearTimeout(timer)
    if (!this.#pending.isEmpty && !this.#hasEnded) {
      const waitMs = Math.max(GATHER_MS, this.#lastSentMs + MERGE_MS - performance.now())
      await Promise.race([Bun.sleep(waitMs), this.#end.promise])
    }
    if (this.#hasEnded) return 'ended'
    this.#wake = Promise.withResolvers<void>()
    if (this.#pending.isEmpty) return 'quiet'
    this.#lastSentMs = performance.now()
    return this.#pending.take()
  }

  end(): void {
    this.#hasEnded = true
    this.#wake.resolve()
    this.#end.resolve()
    this.#unsubscribe(this)
  }
}

/** Sends changes to open pages. Costs nothing without readers. */
export class ChangeFeed {
  readonly #watcher: ChangeWatcher
  readonly #subscriptions = new Set<ChangeSubscription>()
  #isClosed = false

  constructor(watcher: ChangeWatcher) {
    this.#watcher = watcher
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size
  }

  /** Resolves once no later change will be missed. */
  async subscribe(): Promise<ChangeSubscription> {
    requireNoTransaction('changes')
    const subscription = new ChangeSubscription((closing) => {
      this.#subscriptions.delete(closing)
      if (this.#subscriptions.size === 0) this.#watcher.pause()
    })
    this.#subscriptions.add(subscription)
    if (this.#isClosed) subscription.end()
    else
      try {
        await this.#watcher.start((changes) => {
          for (const each of this.#subscriptions) each.add(changes)
        })
      } catch (error) {
        subscription.end()
        throw error
      }
    return subscription
  }

  /** Ends all subscriptions, and later ones at once: the node is about to stop. */
  drain(): void {
    this.#isClosed = true
    for (const subscription of this.#subscriptions) subscription.end()
  }

  async close(): Promise<void> {
    this.drain()
    await this.#watcher.close()
  }
}
