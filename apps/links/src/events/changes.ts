/** What has changed, by id as long as the ids are few. */
export interface Changes {
  links: number[]
  bundles: number[]
  /** Figures of the whole instance: clicks were counted, or links came, changed or went. */
  totals: boolean
  /** More changed than is named here: everything shown may be old. */
  more: boolean
}

/** Ids in one message; whoever shows more than this looks at all of it again anyway. */
const MAX_IDS = 500

/** Changes that are still to be told to one reader. However slow it is, they take no more room than one message. */
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

  /** Everything so far, to be told now. */
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
