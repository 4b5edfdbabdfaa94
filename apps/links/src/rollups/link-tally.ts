import { filteredClicks } from '../clicks/store.ts'
import type { ClickCounts } from '../db/click-tables.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { PackedReader, PackedWriter } from './packed.ts'

export interface LinkClicks {
  link_id: number
  clicks: number
}

/** Link ids are dense, so links are stored in pages of an array. */
const LINKS_PER_PAGE = 256
const COUNTS = 4

/** Four counts per link, added up period by period, for as many links as an instance has. */
export class LinkTally {
  readonly #pages = new Map<number, Float64Array>()
  /** Pages that no other tally shares. */
  readonly #writable = new Set<number>()

  /** A `sign` of -1 subtracts the clicks. */
  add(linkId: number, counts: ClickCounts, sign: 1 | -1 = 1): void {
    addAt(this.#page(Math.floor(linkId / LINKS_PER_PAGE)), COUNTS * (linkId % LINKS_PER_PAGE), counts, sign)
  }

  /**
   * Adds the output of `toPacked`. Years of an instance have many links, so each page is looked up
   * once for all of its links.
   */
  addPacked(links: Uint8Array): void {
    const reader = new PackedReader(links)
    let [linkId, first, end] = [0, 0, 0]
    let page: Float64Array = new Float64Array()
    while (!reader.isAtEnd) {
      linkId += reader.read()
      if (linkId >= end) {
        const number = Math.floor(linkId / LINKS_PER_PAGE)
        page = this.#page(number)
        first = number * LINKS_PER_PAGE
        end = first + LINKS_PER_PAGE
      }
      addAt(page, COUNTS * (linkId - first), reader.readCounts(), 1)
    }
  }

  /** Shares all pages, which are copied on write. */
  copy(): LinkTally {
    const copy = new LinkTally()
    for (const [number, page] of this.#pages) copy.#pages.set(number, page)
    this.#writable.clear()
    return copy
  }

  createOverlay(): LinkTally {
    return this.copy()
  }

  get byteLength(): number {
    return this.#pages.size * COUNTS * LINKS_PER_PAGE * Float64Array.BYTES_PER_ELEMENT
  }

  /** Every link with clicks, by id: the difference from the previous id, then its counts. */
  toPacked(): Uint8Array {
    const writer = new PackedWriter()
    let previousId = 0
    this.forEach((linkId, counts) => {
      writer.add(linkId - previousId)
      writer.addCounts(counts)
      previousId = linkId
    })
    return writer.toBytes()
  }

  /** Links with clicks that pass the filters, by id. */
  toLinkClicks(filters: ViewerFilters): LinkClicks[] {
    const linkClicks: LinkClicks[] = []
    this.forEachFiltered(filters, (link_id, clicks) => void linkClicks.push({ link_id, clicks }))
    return linkClicks
  }

  /** Like `toLinkClicks`, without allocating an object per link. */
  forEachFiltered(filters: ViewerFilters, callback: (linkId: number, clicks: number) => void): void {
    this.forEach((linkId, counts) => {
      const clicks = filteredClicks(counts, filters)
      if (clicks > 0) callback(linkId, clicks)
    })
  }

  /** Every link with clicks, by id. One counts object is reused for all links. */
  forEach(callback: (linkId: number, counts: Readonly<ClickCounts>) => void): void {
    const counts = { clicks: 0, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
    for (const [number, page] of [...this.#pages].toSorted(([a], [b]) => a - b)) {
      for (let index = 0; index < LINKS_PER_PAGE; index++) {
        const at = COUNTS * index
        counts.clicks = page[at] ?? 0
        if (counts.clicks === 0) continue
        counts.bots = page[at + 1] ?? 0
        counts.self_referrers = page[at + 2] ?? 0
        counts.bot_self_referrers = page[at + 3] ?? 0
        callback(number * LINKS_PER_PAGE + index, counts)
      }
    }
  }

  /** Returns the page for writing. */
  #page(number: number): Float64Array {
    const existing = this.#pages.get(number)
    if (existing && this.#writable.has(number)) return existing
    const page = existing?.slice() ?? new Float64Array(COUNTS * LINKS_PER_PAGE)
    this.#pages.set(number, page)
    this.#writable.add(number)
    return page
  }
}

function addAt(page: Float64Array, at: number, counts: Readonly<ClickCounts>, sign: 1 | -1): void {
  page[at] = (page[at] ?? 0) + sign * counts.clicks
  page[at + 1] = (page[at + 1] ?? 0) + sign * counts.bots
  page[at + 2] = (page[at + 2] ?? 0) + sign * counts.self_referrers
  page[at + 3] = (page[at + 3] ?? 0) + sign * counts.bot_self_referrers
}
