/** Counts the visitors of links with a maximum, in the database that all nodes share. */
export interface VisitLimitStore {
  /** Counts up to `wanted` visitors in one transaction, and returns how many of them get through. */
  reserve(linkId: number, wanted: number): Promise<number>
  /** Whether a visitor would get through. */
  hasVisitsLeft(linkId: number): Promise<boolean>
  release(linkId: number): Promise<void>
}

/**
 * Lets visitors through as long as places are left. Visitors who arrive while a transaction runs
 * share the next one, so many visitors cost few transactions, and no node holds places that it does
 * not need.
 */
export class ClickLimits {
  readonly #store: VisitLimitStore
  /** Visitors who wait, by link. A transaction is running for each link in the map. */
  readonly #waiting = new Map<number, PromiseWithResolvers<boolean>[]>()

  constructor(store: VisitLimitStore) {
    this.#store = store
  }

  /** True if the visitor gets through, and is counted. Rejects if that is unknown. */
  reserve(linkId: number): Promise<boolean> {
    const visitor = Promise.withResolvers<boolean>()
    const waiting = this.#waiting.get(linkId)
    if (waiting) waiting.push(visitor)
    else {
      this.#waiting.set(linkId, [])
      void this.#serve(linkId, [visitor])
    }
    return visitor.promise
  }

  hasVisitsLeft(linkId: number): Promise<boolean> {
    return this.#store.hasVisitsLeft(linkId)
  }

  release(linkId: number): Promise<void> {
    return this.#store.release(linkId)
  }

  async #serve(linkId: number, first: readonly PromiseWithResolvers<boolean>[]): Promise<void> {
    for (let visitors = first; visitors.length > 0;) {
      try {
        const reserved = await this.#store.reserve(linkId, visitors.length)
        for (const [index, visitor] of visitors.entries()) visitor.resolve(index < reserved)
      } catch (error) {
        for (const visitor of visitors) visitor.reject(error)
      }
      visitors = this.#waiting.get(linkId) ?? []
      this.#waiting.set(linkId, [])
    }
    this.#waiting.delete(linkId)
  }
}
