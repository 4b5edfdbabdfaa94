import type { ClickCounts } from '../db/click-tables.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { PackedReader, PackedWriter } from './packed.ts'

/** The names of values that were added by key; undefined until they are needed. */
export interface NameSource {
  names: readonly string[] | undefined
}

/**
 * Keys and counts in the format of `PackedWriter`, and the names in the same order as a JSON array.
 */
export interface PackedValues {
  sums: Uint8Array
  names: string
}

/** The top values, as entry numbers, and the number of all values with their clicks. */
export interface TopEntries {
  entries: readonly number[]
  total: number
  clicks: number
}

/**
 * 128 bits of a value's SHA-256. No collisions are known, so statistics are exact without comparing
 * names.
 */
const WORDS = 4
const COUNTS = 4
const FIRST_SIZE = 32
/** The load factor is at most one half, or probing slows down. */
const SLOTS = 2

const digest = new Uint8Array(64)
const digestWords = new Uint32Array(digest.buffer)

/**
 * Four counts per value. Keys identify values until a name is needed: a page adds up a hundred
 * thousand values and shows a hundred. The fields are plain, not `#private`, because the engine is
 * faster with them.
 */
export class ValueCounts {
  private size = 0
  /** Open addressing. A slot holds the entry number plus one. */
  private slots = new Int32Array(SLOTS * FIRST_SIZE)
  private keys = new Uint32Array(WORDS * FIRST_SIZE)
  private counts = new Float64Array(COUNTS * FIRST_SIZE)
  /** The source of each name, and the index of the name in that source. */
  private sources = new Int32Array(FIRST_SIZE)
  private nameIndexes = new Int32Array(FIRST_SIZE)
  private readonly ownNames: string[] = []
  private readonly entryOfName = new Map<string, number>()
  private readonly nameSources: NameSource[] = [{ names: this.ownNames }]
  /** The counts under this overlay, of which only the number of values can be read. */
  private base: ValueCounts | undefined
  /** Results of `countDistinct` for each combination of filters, until values are added. */
  private distinctCache: (number | undefined)[] = []

  add(name: string, counts: Readonly<ClickCounts>): void {
    let entry = this.entryOfName.get(name)
    if (entry === undefined) {
      Bun.SHA256.hash(name, digest)
      const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = digestWords
      entry = this.entryOf(k0, k1, k2, k3)
      // A name in memory is better than one that must be loaded.
      this.sources[entry] = 0
      this.nameIndexes[entry] = this.ownNames.push(name) - 1
      this.entryOfName.set(name, entry)
    }
    this.addToEntry(entry, counts)
  }

  /** Reserves space for this many values, which is cheaper than growing repeatedly. */
  reserve(size: number): void {
    if (size <= this.sources.length) return
    this.resize(2 ** Math.ceil(Math.log2(size)))
  }

  /** Copies the counts, of which none may have been added by name. Names are loaded again. */
  copy(): ValueCounts {
    const copy = new ValueCounts()
    copy.size = this.size
    copy.slots = this.slots.slice()
    copy.keys = this.keys.slice()
    copy.counts = this.counts.slice()
    copy.sources = this.sources.slice()
    copy.nameIndexes = this.nameIndexes.slice()
    for (const source of this.nameSources.slice(1)) copy.nameSources.push({ ...source, names: undefined })
    return copy
  }

  /**
   * An overlay of these counts. Avoids a copy, since there are many; only `countDistinct` works on
   * it.
   */
  createOverlay(): ValueCounts {
    const overlay = new ValueCounts()
    overlay.base = this
    return overlay
  }

  get byteLength(): number {
    return [this.slots, this.keys, this.counts, this.sources, this.nameIndexes].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    )
  }

  /** Adds the output of `toPacked`, whose names are in `source`. */
  addPacked(sums: Uint8Array, source: NameSource): void {
    const reader = new PackedReader(sums)
    const size = reader.read()
    this.reserve(size)
    const keys = new DataView(sums.buffer, sums.byteOffset, sums.byteLength)
    let at = reader.skipWords(WORDS * size)
    const from = this.nameSources.push(source) - 1
    for (let index = 0; index < size; index++, at += 16) {
      const before = this.size
      const entry = this.entryOf(
        keys.getUint32(at, true),
        keys.getUint32(at + 4, true),
        keys.getUint32(at + 8, true),
        keys.getUint32(at + 12, true),
      )
      if (entry === before) {
        this.sources[entry] = from
        this.nameIndexes[entry] = index
      }
      this.addToEntry(entry, reader.readCounts())
    }
  }

  /** Every value with clicks; `withNames` false leaves the names out. All names must be loaded. */
  toPacked(withNames = true): PackedValues | undefined {
    // Sorted by key: the same clicks give the same bytes, in whatever order names and counts were
    // read.
    const entries = this.listClicked().toSorted((a, b) => this.compare(a, b))
    if (entries.length === 0) return undefined
    const writer = new PackedWriter()
    writer.add(entries.length)
    for (const entry of entries) writer.addWords(this.keys.subarray(WORDS * entry, WORDS * (entry + 1)))
    for (const entry of entries) writer.addCounts(this.countsOf(entry))
    const names = withNames ? JSON.stringify(entries.map((entry) => this.nameOf(entry))) : ''
    return { sums: writer.toBytes(), names }
  }

  /** The entry numbers of values with clicks. */
  listClicked(): number[] {
    this.requireNoBase()
    const entries: number[] = []
    for (let entry = 0; entry < this.size; entry++) if (this.counts[COUNTS * entry] !== 0) entries.push(entry)
    return entries
  }

  countsOf(entry: number): ClickCounts {
    const at = COUNTS * entry
    const { counts } = this
    return {
      clicks: counts[at] ?? 0,
      bots: counts[at + 1] ?? 0,
      self_referrers: counts[at + 2] ?? 0,
      bot_self_referrers: counts[at + 3] ?? 0,
    }
  }

  /**
   * Clicks of an entry that pass the filters. Allocates no object, since there are many entries.
   */
  filteredCount(entry: number, { bots, selfReferrers }: ViewerFilters): number {
    const { counts } = this
    const at = COUNTS * entry
    let clicks = counts[at] ?? 0
    if (bots) clicks -= counts[at + 1] ?? 0
    if (selfReferrers) clicks -= counts[at + 2] ?? 0
    return bots && selfReferrers ? clicks + (counts[at + 3] ?? 0) : clicks
  }

  nameOf(entry: number): string {
    const name = this.nameSources[this.sources[entry] ?? 0]?.names?.[this.nameIndexes[entry] ?? 0]
    if (name === undefined) throw new Error('A name that was not loaded')
    return name
  }

  /** Clicks of the value with this name that pass the filters. */
  filteredCountByName(name: string, filters: ViewerFilters): number {
    Bun.SHA256.hash(name, digest)
    const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = digestWords
    const entry = this.find(k0, k1, k2, k3)
    return entry < 0 ? 0 : this.filteredCount(entry, filters)
  }

  /** The number of values with clicks that pass the filters. */
  countDistinct(filters: ViewerFilters): number {
    const index = 2 * Number(filters.bots) + Number(filters.selfReferrers)
    return (this.distinctCache[index] ??= this.base
      ? this.base.countDistinct(filters) + this.countAddedDistinct(this.base, filters)
      : this.countOwnDistinct(filters))
  }

  private countOwnDistinct(filters: ViewerFilters): number {
    let distinct = 0
    for (let entry = 0; entry < this.size; entry++) if (this.filteredCount(entry, filters) > 0) distinct++
    return distinct
  }

  /** How many more values have clicks than in `base`; negative if clicks were subtracted. */
  private countAddedDistinct(base: ValueCounts, filters: ViewerFilters): number {
    const { keys } = this
    let more = 0
    for (let entry = 0; entry < this.size; entry++) {
      const at = WORDS * entry
      const other = base.find(keys[at] ?? 0, keys[at + 1] ?? 0, keys[at + 2] ?? 0, keys[at + 3] ?? 0)
      const before = other < 0 ? 0 : base.filteredCount(other, filters)
      more += Number(before + this.filteredCount(entry, filters) > 0) - Number(before > 0)
    }
    return more
  }

  /**
   * The values with the most clicks that pass the filters, and all that tie with the last. Their
   * order then depends on names.
   */
  top(filters: ViewerFilters, max: number): TopEntries {
    this.requireNoBase()
    const entryCounts: number[] = []
    const entries: number[] = []
    let clicks = 0
    for (let entry = 0; entry < this.size; entry++) {
      const count = this.filteredCount(entry, filters)
      if (count <= 0) continue
      entries.push(entry)
      entryCounts.push(count)
      clicks += count
    }
    const total = entries.length
    if (total <= max) return { entries, total, clicks }
    const minCount = Float64Array.from(entryCounts).toSorted()[total - max] ?? 0
    return { entries: entries.filter((_, index) => (entryCounts[index] ?? 0) >= minCount), total, clicks }
  }

  /** The sources whose names these entries still need. */
  sourcesToLoad(entries: readonly number[]): NameSource[] {
    const sources = new Set(entries.map((entry) => this.sources[entry] ?? 0))
    return [...sources].flatMap((source) => this.nameSources[source] ?? []).filter(({ names }) => !names)
  }

  private compare(one: number, other: number): number {
    for (let word = 0; word < WORDS; word++) {
      const difference = (this.keys[WORDS * one + word] ?? 0) - (this.keys[WORDS * other + word] ?? 0)
      if (difference !== 0) return difference
    }
    return 0
  }

  private requireNoBase(): void {
    if (this.base) throw new Error('Of values on top of others only their number is known')
  }

  /** The entry with this key, or a negative number. */
  private find(k0: number, k1: number, k2: number, k3: number): number {
    return (this.slots[this.slotOf(k0, k1, k2, k3)] ?? 0) - 1
  }

  /** The entry with this key. A new one without clicks if the key is new. */
  private entryOf(k0: number, k1: number, k2: number, k3: number): number {
    if (this.size === this.sources.length) this.resize(2 * this.size)
    const slot = this.slotOf(k0, k1, k2, k3)
    const stored = this.slots[slot] ?? 0
    if (stored > 0) return stored - 1
    const { keys } = this
    const entry = this.size++
    this.slots[slot] = entry + 1
    const at = WORDS * entry
    keys[at] = k0
    keys[at + 1] = k1
    keys[at + 2] = k2
    keys[at + 3] = k3
    return entry
  }

  /** The slot that has this key, or that would hold it. */
  private slotOf(k0: number, k1: number, k2: number, k3: number): number {
    const { slots, keys } = this
    const mask = slots.length - 1
    let slot = k0 & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const at = WORDS * ((slots[slot] ?? 0) - 1)
      if (keys[at] === k0 && keys[at + 1] === k1 && keys[at + 2] === k2 && keys[at + 3] === k3) break
    }
    return slot
  }

  private resize(size: number): void {
    this.keys = copyInto(new Uint32Array(WORDS * size), this.keys)
    this.counts = copyInto(new Float64Array(COUNTS * size), this.counts)
    this.sources = copyInto(new Int32Array(size), this.sources)
    this.nameIndexes = copyInto(new Int32Array(size), this.nameIndexes)
    this.slots = new Int32Array(SLOTS * size)
    const mask = this.slots.length - 1
    for (let entry = 0; entry < this.size; entry++) {
      let slot = (this.keys[WORDS * entry] ?? 0) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = entry + 1
    }
  }

  private addToEntry(
    entry: number,
    { clicks, bots, self_referrers: own, bot_self_referrers: both }: ClickCounts,
  ) {
    const { counts } = this
    const at = COUNTS * entry
    this.distinctCache.length = 0
    counts[at] = (counts[at] ?? 0) + clicks
    counts[at + 1] = (counts[at + 1] ?? 0) + bots
    counts[at + 2] = (counts[at + 2] ?? 0) + own
    counts[at + 3] = (counts[at + 3] ?? 0) + both
  }
}

function copyInto<Numbers extends Uint32Array | Int32Array | Float64Array>(
  into: Numbers,
  from: Numbers,
): Numbers {
  into.set(from)
  return into
}

/** The number of values in the output of `ValueCounts.toPacked`. */
export function readSize(sums: Uint8Array): number {
  return new PackedReader(sums).read()
}
