import { findFirstClickTime, findFirstClickTimeOfInstance } from '../../clicks/store.ts'
import type { Db } from '../../db/tables.ts'
import { NO_FILTERS, type ViewerFilters } from '../../clicks/filters.ts'
import {
  type Block,
  type BlockValue,
  type Part,
  Scan,
  type ScanRequest,
  countClicksPerLink,
  findParts,
  nameOf,
  readBlocks,
  readLinkBlock,
  viewerConditions,
} from '../../rollups/index.ts'
import { type Window, sum } from '../../time/window.ts'
import { type ValueDimension, columnOf, valueDimensions } from './dimensions.ts'
import type { Limits, RankedDimension, StatsSource, WindowStats } from './source.ts'
import { findActiveMembers, findRawStart } from './subjects.ts'
import type { CalendarWindow } from './windows.ts'

/** Which clicks are read. Several values of one filter: any of them; several filters: all. */
export interface ClickFilter {
  /** The links that may pass; undefined for all. */
  linkIds: readonly number[] | undefined
  /** Reads only links that are in no active bundle, or in one of these bundles. */
  unbundledOr: readonly number[] | undefined
  slugs: readonly string[] | undefined
  values: Partial<Record<ValueDimension, readonly string[]>>
}

/** The caller of a filtered read, and the listener for its progress. */
export interface ReadOptions {
  now: number
  filters: ViewerFilters
  signal: AbortSignal
  onProgress(progress: Progress): void
}

/** Clicks that were read so far, and all that are to be read. */
export interface Progress {
  clicks: number
  of: number
}

/** Limit of the clicks that are read from rows, for links with a small part of a window. */
const MAX_LINK_CLICKS = 100_000
/** The number of clicks of blocks that are read in the time of one row. */
const BLOCK_CLICKS_PER_ROW = 25
/** The number of rows up to which reading costs nothing. */
const FEW_CLICKS = 2_000

/** The sources for a window: blocks and raw clicks, or the clicks of some links. */
interface Plan {
  parts?: readonly Part[]
  links?: Window & { linkIds: readonly number[] }
  clicks: number
}

/** The raw clicks that pass a filter. Use it in a `snapshot`. */
export class FilteredSource implements StatsSource {
  readonly hasSlugs = true
  readonly #db: Db
  readonly #filter: ClickFilter
  readonly #options: ReadOptions
  readonly #plans = new Map<Window, Plan>()
  readonly #progress: Progress = { clicks: 0, of: 0 }

  constructor(db: Db, filter: ClickFilter, options: ReadOptions) {
    this.#db = db
    this.#filter = filter
    this.#options = options
  }

  /** The first click of the subject, whether it passes the other filters or not. */
  findFirstClick(): Promise<number | undefined> {
    const { now, filters } = this.#options
    const { linkIds } = this.#filter
    return linkIds
      ? findFirstClickTime(this.#db, linkIds, now, filters)
      : findFirstClickTimeOfInstance(this.#db, now, filters)
  }

  /** Finds what there is to read in all windows, for the progress. */
  async prefetch(windows: readonly Window[]): Promise<void> {
    for (const window of windows) {
      const plan = await this.#plan(window)
      this.#plans.set(window, plan)
      this.#progress.of += plan.clicks
    }
  }

  async read(window: CalendarWindow, limits: Limits): Promise<WindowStats> {
    if (!this.#plans.has(window)) await this.prefetch([window])
    const columns = Object.keys(limits) as RankedDimension[]
    const scan = new Scan({
      window: await this.#clipToKept(window),
      starts: window.calendar.starts,
      conditions: { ...viewerConditions(this.#options.filters), ...conditionsOf(this.#filter) },
      passesLink: await findLinkCondition(this.#db, this.#filter),
      passesSlug: this.#filter.slugs && includes(this.#filter.slugs),
      columns,
    })
    for await (const block of this.#readBlocks(window)) {
      scan.add(block)
      this.#progress.clicks += block.rows
      this.#options.onProgress({ ...this.#progress })
      await nextTurn()
      this.#options.signal.throwIfAborted()
    }
    return {
      visitors: scan.visitors,
      links: scan.links,
      buckets: scan.buckets,
      rankings: Object.fromEntries(columns.map((column) => [column, scan.rank(column, limits[column] ?? 0)])),
    }
  }

  /** The part of a window whose raw clicks are available. It may be empty. */
  async #clipToKept({ from, to }: Window): Promise<Window> {
    return { from: Math.max(from, (await findRawStart(this.#db)) ?? 0), to }
  }

  /** If the links have few of the clicks, these are read from their rows. */
  async #plan(window: Window): Promise<Plan> {
    const available = await this.#clipToKept(window)
    if (available.from > available.to) return { clicks: 0 }
    const parts = await findParts(this.#db, available)
    const all = sum(parts.map((part) => part.clicks))
    const { linkIds } = this.#filter
    if (!linkIds) return { parts, clicks: all }
    const clicks = sum(await countClicksPerLink(this.#db, linkIds, available, NO_FILTERS))
    const maxClicks = Math.min(MAX_LINK_CLICKS, Math.max(FEW_CLICKS, all / BLOCK_CLICKS_PER_ROW))
    return clicks > maxClicks ? { parts, clicks: all } : { links: { linkIds, ...available }, clicks }
  }

  async *#readBlocks(window: Window): AsyncGenerator<Block> {
    const { parts = [], links } = this.#plans.get(window) ?? {}
    if (links) yield readLinkBlock(this.#db, links.linkIds, links)
    else yield* readBlocks(this.#db, parts)
  }
}

/** Whether the clicks of a link pass the filter; undefined if those of all links do. */
export async function findLinkCondition(
  db: Db,
  { linkIds, unbundledOr }: ClickFilter,
): Promise<((linkId: number) => boolean) | undefined> {
  const isChosen = linkIds && includes(linkIds)
  if (!unbundledOr) return isChosen
  const isMember = includes(unbundledOr)
  const isBundled = includes([...(await findActiveMembers(db)).values()].flat())
  return (linkId) => (isChosen?.(linkId) ?? true) && (isMember(linkId) || !isBundled(linkId))
}

/** The conditions of a filter on the values of a click. */
export function conditionsOf({ values }: ClickFilter): ScanRequest['conditions'] {
  const chosen = valueDimensions.flatMap((name) => {
    const wanted = values[name]
    return wanted ? [[columnOf[name], includes(wanted)] as const] : []
  })
  return Object.fromEntries(
    chosen.map(([column, isWanted]) => [column, (value: BlockValue) => isWanted(nameOf(column, value))]),
  )
}

function includes<Value>(values: readonly Value[]): (value: Value) => boolean {
  const set = new Set(values)
  return (value) => set.has(value)
}

/** Lets the thread receive the message that cancels the read. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
