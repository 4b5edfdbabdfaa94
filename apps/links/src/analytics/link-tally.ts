import { countedOf } from '../clicks/store.ts'
import type { ClickCounts } from '../db/tables.ts'
import type { ViewerFilters } from './filters.ts'
import { PackedReader, PackedWriter } from './packed.ts'

export interface LinkClicks {
  link_id: number
  clicks: number
}

/** Ids follow each other closely, so links lie in pages of an array. */
const LINKS_A_PAGE = 256
const COUNTS = 4

/** Four counts of each of many links: as many as an instance has, added up period by period. */
export class LinkTally {
  readonly #pages = new Map<number, Float64Array>()
  /** Those that no other tally has. */
  readonly #own = new Set<number>()

  /** `sign` -1 takes the clicks out again. */
  add(linkId: number, counts: ClickCounts, sign: 1 | -1 = 1): void {
    addAt(this.#page(Math.floor(linkId / LINKS_A_PAGE)), COUNTS * (linkId % LINKS_A_PAGE), counts, sign)
  }

  /** Adds what `packed` has packed. Years of an instance are many links: a page is looked up once for those on it. */
  addPacked(links: Uint8Array): void {
    const reader = new PackedReader(links)
    let [linkId, first, end] = [0, 0, 0]
    let page: Float64Array = new Float64Array()
    while (!reader.isAtEnd) {
      linkId += reader.read()
      if (linkId >= end) {
        const number = Math.floor(linkId / LINKS_A_PAGE)
        page = this.#page(number)
        first = number * LINKS_A_PAGE
        end = first + LINKS_A_PAGE
      }
      addAt(page, COUNTS * (linkId - first), reader.readCounts(), 1)
    }
  }

  /** Another one with the same clicks; pages are copied when either is added to. */
  copy(): LinkTally {
    const copy = new LinkTally()
    for (const [number, page] of this.#pages) copy.#pages.set(number, page)
    this.#own.clear()
    return copy
  }

  over(): LinkTally {
    return this.copy()
  }

  get byteLength(): number {
    return this.#pages.size * COUNTS * LINKS_A_PAGE * Float64Array.BYTES_PER_ELEMENT
  }

  /** Every link with clicks, by id: each the distance from the one before, and its counts. */
  packed(): Uint8Array {
    const writer = new PackedWriter()
    let before = 0
    this.each((linkId, counts) => {
      writer.add(linkId - before)
      writer.addCounts(counts)
      before = linkId
    })
    return writer.written()
  }

  /** The links with clicks that a viewer counts, by id. */
  counted(filters: ViewerFilters): LinkClicks[] {
    const found: LinkClicks[] = []
    this.eachCounted(filters, (link_id, clicks) => void found.push({ link_id, clicks }))
    return found
  }

  /** The same without an object for each. */
  eachCounted(filters: ViewerFilters, use: (linkId: number, clicks: number) => void): void {
    this.each((linkId, counts) => {
      const clicks = countedOf(counts, filters)
      if (clicks > 0) use(linkId, clicks)
    })
  }

  /** Every link with clicks, by id. The counts are one object for all, since there are many. */
  each(use: (linkId: number, counts: Readonly<ClickCounts>) => void): void {
    const counts = { clicks: 0, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
    for (const [number, page] of [...this.#pages].toSorted(([a], [b]) => a - b)) {
      for (let place = 0; place < LINKS_A_PAGE; place++) {
        const at = COUNTS * place
        counts.clicks = page[at] ?? 0
        if (counts.clicks === 0) continue
        counts.bots = page[at + 1] ?? 0
        counts.self_referrers = page[at + 2] ?? 0
        counts.bot_self_referrers = page[at + 3] ?? 0
        use(number * LINKS_A_PAGE + place, counts)
      }
    }
  }

  /** For adding to it. */
  #page(number: number): Float64Array {
    const known = this.#pages.get(number)
    if (known && this.#own.has(number)) return known
    const page = known?.slice() ?? new Float64Array(COUNTS * LINKS_A_PAGE)
    this.#pages.set(number, page)
    this.#own.add(number)
    return page
  }
}

function addAt(page: Float64Array, at: number, counts: Readonly<ClickCounts>, sign: 1 | -1): void {
  page[at] = (page[at] ?? 0) + sign * counts.clicks
  page[at + 1] = (page[at + 1] ?? 0) + sign * counts.bots
  page[at + 2] = (page[at + 2] ?? 0) + sign * counts.self_referrers
  page[at + 3] = (page[at + 3] ?? 0) + sign * counts.bot_self_referrers
}
