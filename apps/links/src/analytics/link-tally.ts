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
  #lastNumber = -1
  #lastPage: Float64Array = new Float64Array()

  /** `sign` -1 takes the clicks out again. */
  add(
    linkId: number,
    { clicks, bots, self_referrers, bot_self_referrers }: ClickCounts,
    sign: 1 | -1 = 1,
  ): void {
    const page = this.#page(Math.floor(linkId / LINKS_A_PAGE))
    const at = COUNTS * (linkId % LINKS_A_PAGE)
    page[at] = (page[at] ?? 0) + sign * clicks
    if (bots === 0 && self_referrers === 0 && bot_self_referrers === 0) return
    page[at + 1] = (page[at + 1] ?? 0) + sign * bots
    page[at + 2] = (page[at + 2] ?? 0) + sign * self_referrers
    page[at + 3] = (page[at + 3] ?? 0) + sign * bot_self_referrers
  }

  /** Adds what `packed` has packed. */
  addPacked(links: Uint8Array): void {
    const reader = new PackedReader(links)
    let linkId = 0
    while (!reader.isAtEnd) {
      linkId += reader.read()
      this.add(linkId, reader.readCounts())
    }
  }

  /** Every link with clicks, by id: each the distance from the one before, and its counts. */
  packed(): Uint8Array {
    const writer = new PackedWriter()
    let before = 0
    for (const { link_id, ...counts } of this.links()) {
      writer.add(link_id - before)
      writer.addCounts(counts)
      before = link_id
    }
    return writer.written()
  }

  /** The links with clicks that a viewer counts, by id. */
  *counted(filters: ViewerFilters): Generator<LinkClicks> {
    for (const { link_id, ...counts } of this.links()) {
      const clicks = countedOf(counts, filters)
      if (clicks > 0) yield { link_id, clicks }
    }
  }

  /** Every link with clicks, by id. */
  *links(): Generator<ClickCounts & { link_id: number }> {
    for (const number of [...this.#pages.keys()].toSorted((a, b) => a - b)) {
      const page = this.#page(number)
      for (let place = 0; place < LINKS_A_PAGE; place++) {
        const at = COUNTS * place
        const clicks = page[at] ?? 0
        if (clicks === 0) continue
        const [bots, self_referrers, both] = [page[at + 1] ?? 0, page[at + 2] ?? 0, page[at + 3] ?? 0]
        const link_id = number * LINKS_A_PAGE + place
        yield { link_id, clicks, bots, self_referrers, bot_self_referrers: both }
      }
    }
  }

  #page(number: number): Float64Array {
    if (number === this.#lastNumber) return this.#lastPage
    let page = this.#pages.get(number)
    if (!page) this.#pages.set(number, (page = new Float64Array(COUNTS * LINKS_A_PAGE)))
    this.#lastNumber = number
    this.#lastPage = page
    return page
  }
}
