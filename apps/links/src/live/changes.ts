/** Changed links and bundles, by id as long as there are few ids. */
export interface Changes {
  links: number[]
  bundles: number[]
  /**
   * Statistics of the whole instance: clicks were counted, or links were created, changed or
   * deleted.
   */
  totals: boolean
  /** More has changed than is listed: everything displayed may be stale. */
  more: boolean
}

/** Ids per message. A page that shows more reloads everything anyway. */
const MAX_IDS = 500

/**
 * Changes that are pending for one reader. However slow the reader is, they take no more space than
 * one message.
 */
export class PendingChanges {
  #links = new Set<number>()
  #bundles = new Set<number>()
  #totals = false
  #more = false

  get isEmpty(): boolean {
    return this.#links.size + this.#bundles.size === 0 && !this.#totals && !this.#more
  }

  add({ links = [], bundles = [], totals = false, more = false }: Partial<Changes>): void {
    this.#totals ||= totals || links.length > 0
    this.#more ||= more
    for (const id of links) this.#addTo(this.#links, id)
    for (const id of bundles) this.#addTo(this.#bundles, id)
  }

  #addTo(ids: Set<number>, id: number): void {
    if (ids.size < MAX_IDS || ids.has(id)) ids.add(id)
    else this.#more = true
  }

  /** Returns everything so far, and clears it. */
  take(): Changes {
    const changes = {
      links: [...this.#links],
      bundles: [...this.#bundles],
      totals: this.#totals || this.#more,
      more: this.#more,
    }
    this.#links = new Set()
    this.#bundles = new Set()
    this.#totals = false
    this.#more = false
    return changes
  }
}
