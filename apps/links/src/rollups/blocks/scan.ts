import { isAppReferrer } from '../../clicks/referrer.ts'
import type { ViewerFilters } from '../../clicks/filters.ts'
import type { Ranking } from '../rankings.ts'
import { DAY, type Window } from '../../time/window.ts'
import { type Block, type BlockColumn, type BlockValue, type Group, groupNames, groups } from './block.ts'
import { KeyMap } from './key-map.ts'

/** The clicks that pass, and the columns that are counted. */
export interface ScanRequest {
  window: Window
  /** Buckets: ascending, each ends where the next one starts. */
  starts: readonly number[]
  /** For each column that is filtered, whether a value passes. */
  conditions: Partial<Record<BlockColumn, (value: BlockValue) => boolean>>
  /** Whether the clicks of a link pass, and those of a slug; undefined for all. */
  passesLink?: ((linkId: number) => boolean) | undefined
  passesSlug?: ((slug: string) => boolean) | undefined
  /** Columns whose values are counted. */
  columns: readonly (BlockColumn | 'slug')[]
}

/** The conditions of viewer filters. */
export function viewerConditions({ bots, selfReferrers }: ViewerFilters): ScanRequest['conditions'] {
  return {
    ...(bots && { is_bot: (value) => value === 0 }),
    ...(selfReferrers && { is_self_referrer: (value) => value === 0 }),
  }
}

/** A slot of seconds, for which the bucket is looked up. No two buckets start in one slot. */
const SLOT_BITS = 10

/** Counts the clicks of blocks that pass. Blocks are added in the order of their days. */
export class Scan {
  readonly #request: ScanRequest
  readonly #values: ReadonlyMap<BlockColumn | 'slug', Map<string, number>>
  readonly #links = new Map<number, number>()
  readonly #buckets: Float64Array
  #visitors = 0
  /** The visitors of the last day that has several blocks. */
  #day = { start: 0, visitors: new KeyMap() }
  #rows = new Uint32Array(1024)

  constructor(request: ScanRequest) {
    this.#request = request
    this.#values = new Map(request.columns.map((column) => [column, new Map<string, number>()]))
    this.#buckets = new Float64Array(request.starts.length)
  }

  add(block: Block): void {
    let decoded: Uint32Array | undefined
    const seconds = () => (decoded ??= block.seconds())
    const rows = this.#select(block, seconds)
    if (rows.length === 0) return
    this.#countLinks(block, rows)
    this.#countVisitors(block, rows)
    if (this.#buckets.length > 0) this.#countBuckets(block, rows, seconds())
    for (const group of groupNames) this.#countGroup(block, group, rows)
  }

  get visitors(): number {
    return this.#visitors + this.#day.visitors.size
  }

  /** Clicks of each link that has any. */
  get links(): ReadonlyMap<number, number> {
    return this.#links
  }

  get buckets(): readonly number[] {
    return [...this.#buckets]
  }

  /** The values of a column with the most clicks, ties by name. Missing values are left out. */
  rank(column: BlockColumn | 'slug', limit: number): Ranking {
    const all = [...(this.#values.get(column) ?? [])].filter(([name]) => name !== '')
    const items = all
      .map(([name, count]) => ({ name, count }))
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    return {
      items: items.slice(0, limit),
      total: items.length,
      clicks: items.reduce((sum, { count }) => sum + count, 0),
    }
  }

  /** The rows that pass, ascending. */
  #select(block: Block, seconds: () => Uint32Array): Uint32Array {
    if (this.#rows.length < block.rows) this.#rows = new Uint32Array(block.rows)
    let rows = this.#selectRuns(block)
    for (const group of groupNames) {
      const passing = this.#passingTuples(block, group)
      if (passing && rows.length > 0) rows = keepCodes(rows, block.codes(group), passing)
    }
    const { from, to } = this.#request.window
    const [low, high] = [from - block.start, to - block.start]
    const isCut = low > 0 || high < block.lastSecond
    return isCut && rows.length > 0 ? keepBetween(rows, seconds(), low, high) : rows
  }

  #selectRuns(block: Block): Uint32Array {
    const rows = this.#rows
    const { passesLink, passesSlug } = this.#request
    if (!passesLink && !passesSlug) {
      for (let row = 0; row < block.rows; row++) rows[row] = row
      return rows.subarray(0, block.rows)
    }
    const slugs = passesSlug ? block.slugs() : []
    const { linkIds, rows: lengths } = block.runs()
    let [row, passed] = [0, 0]
    for (const [n, length] of lengths.entries()) {
      const end = row + length
      const passes = (passesLink?.(linkIds[n] ?? 0) ?? true) && (passesSlug?.(slugs[n] ?? '') ?? true)
      if (passes) while (row < end) rows[passed++] = row++
      row = end
    }
    return rows.subarray(0, passed)
  }

  /** For each combination of a group 1 if it passes; undefined if all do. */
  #passingTuples(block: Block, group: Group): Uint8Array | undefined {
    const columns: readonly BlockColumn[] = groups[group]
    const conditions = columns.map((column) => this.#request.conditions[column])
    if (!conditions.some(Boolean)) return undefined
    const passing = columns.map((column, n) => {
      const passes = conditions[n]
      return passes && block.values(column).map((value) => passes(value))
    })
    if (passing.every((values) => !values || values.every(Boolean))) return undefined
    const tuples = block.tuples(group)
    const width = columns.length
    return Uint8Array.from({ length: tuples.length / width }, (_, tuple) =>
      Number(passing.every((values, n) => !values || values[tuples[tuple * width + n] ?? 0])),
    )
  }

  #countLinks(block: Block, rows: Uint32Array): void {
    const slugCounts = this.#values.get('slug')
    const slugs = slugCounts && block.slugs()
    const { linkIds, rows: lengths } = block.runs()
    let [end, place] = [0, 0]
    for (const [n, length] of lengths.entries()) {
      end += length
      const first = place
      while ((rows[place] ?? Infinity) < end) place++
      if (place === first) continue
      add(this.#links, linkIds[n] ?? 0, place - first)
      if (slugs) add(slugCounts, slugs[n] ?? '', place - first)
    }
  }

  #countVisitors(block: Block, rows: Uint32Array): void {
    const visitors = block.visitors()
    const marks = new Uint8Array(1 + block.visitorCount)
    for (let n = 0; n < rows.length; n++) marks[visitors[rows[n] ?? 0] ?? 0] = 1
    marks[0] = 0
    const keys = block.visitorKeys()
    if (!keys) {
      for (const mark of marks) this.#visitors += mark
      return
    }
    const start = block.start - (block.start % DAY)
    if (start !== this.#day.start) {
      this.#visitors += this.#day.visitors.size
      this.#day = { start, visitors: new KeyMap() }
    }
    for (const [number, mark] of marks.entries())
      if (mark === 1) this.#day.visitors.addKey(keys[2 * number - 2] ?? 0, keys[2 * number - 1] ?? 0)
  }

  #countBuckets(block: Block, rows: Uint32Array, seconds: Uint32Array): void {
    const buckets = this.#buckets
    const { bucketOf, nextOf } = this.#slots(block)
    for (let n = 0; n < rows.length; n++) {
      const second = seconds[rows[n] ?? 0] ?? 0
      const slot = second >>> SLOT_BITS
      const bucket = (bucketOf[slot] ?? 0) + (second >= (nextOf[slot] ?? 0) ? 1 : 0)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
    }
  }

  /** The bucket at the start of each slot of a block, and the second at which the next one starts. */
  #slots({ start, lastSecond }: Block): { bucketOf: Uint32Array; nextOf: Float64Array } {
    const { starts } = this.#request
    const length = (lastSecond >>> SLOT_BITS) + 1
    const bucketOf = new Uint32Array(length)
    const nextOf = new Float64Array(length)
    let bucket = 0
    for (let slot = 0; slot < length; slot++) {
      while ((starts[bucket + 1] ?? Infinity) - start <= slot << SLOT_BITS) bucket++
      bucketOf[slot] = bucket
      nextOf[slot] = (starts[bucket + 1] ?? Infinity) - start
    }
    return { bucketOf, nextOf }
  }

  #countGroup(block: Block, group: Group, rows: Uint32Array): void {
    const columns: readonly BlockColumn[] = groups[group]
    const targets = columns.flatMap((column, n) => {
      const values = this.#values.get(column)
      return values ? [{ column, n, values }] : []
    })
    if (targets.length === 0) return
    const tuples = block.tuples(group)
    const counts = countCodes(rows, block.codes(group), tuples.length / columns.length)
    for (const { column, n, values } of targets) {
      const names = block.values(column)
      const ofValue = new Uint32Array(names.length)
      for (const [tuple, count] of counts.entries()) {
        const value = tuples[tuple * columns.length + n] ?? 0
        ofValue[value] = (ofValue[value] ?? 0) + count
      }
      for (const [value, count] of ofValue.entries())
        if (count > 0) add(values, nameOf(column, names[value] ?? null), count)
    }
  }
}

/** The value as breakdowns have it: app referrers are no web addresses, and count as missing. */
export function nameOf(column: BlockColumn, value: BlockValue): string {
  const name = String(value ?? '')
  return column === 'referrer' && isAppReferrer(name) ? '' : name
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

function keepCodes(rows: Uint32Array, codes: Uint32Array, passing: Uint8Array): Uint32Array {
  let passed = 0
  for (let n = 0; n < rows.length; n++) {
    const row = rows[n] ?? 0
    rows[passed] = row
    passed += passing[codes[row] ?? 0] ?? 0
  }
  return rows.subarray(0, passed)
}

function keepBetween(rows: Uint32Array, seconds: Uint32Array, low: number, high: number): Uint32Array {
  let passed = 0
  for (let n = 0; n < rows.length; n++) {
    const row = rows[n] ?? 0
    const second = seconds[row] ?? 0
    rows[passed] = row
    if (second >= low && second <= high) passed++
  }
  return rows.subarray(0, passed)
}

function countCodes(rows: Uint32Array, codes: Uint32Array, length: number): Uint32Array {
  const counts = new Uint32Array(length)
  for (let n = 0; n < rows.length; n++) {
    const code = codes[rows[n] ?? 0] ?? 0
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}
