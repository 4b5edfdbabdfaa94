/** Items that cost as much as one request more (L28.1). */
export const ITEMS_PER_REQUEST = 10

/**
 * The items of one request beyond the request itself: links, operations of a plan, changes that are undone.
 * Every operation counts them here, by whatever way it is called and in whatever it is wrapped.
 */
export interface Costs {
  /** Counts items. Throws 429, or 400 for more than any request may have. */
  count(items: number): void
  /** Takes the costs of items that are counted later: a request that is too large does nothing before it is refused. */
  reserve(items: number): void
  /** The costs of a transaction, which takes nothing again for what an earlier attempt has counted. */
  ofAttempt(): Costs
}

/** `take` gets the requests that the caller is charged, and all that this request has cost then. */
export function createCosts(take: (requests: number, total: number) => void): Costs {
  let charged = 0
  const takeUpTo = (items: number) => {
    const total = Math.ceil(items / ITEMS_PER_REQUEST)
    if (total <= charged) return
    take(total - charged, total)
    charged = total
  }
  const startAt = (start: number): Costs => {
    let counted = start
    return {
      count(items) {
        counted += items
        takeUpTo(counted)
      },
      reserve: (items) => takeUpTo(counted + items),
      ofAttempt: () => startAt(counted),
    }
  }
  return startAt(0)
}

/** The costs of callers without a rate limit. */
export function createFreeCosts(): Costs {
  return createCosts(() => undefined)
}
