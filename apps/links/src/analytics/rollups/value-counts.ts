import type { ClickCounts } from '../../db/tables.ts'
import type { ViewerFilters } from '../filters.ts'
import { PackedReader, PackedWriter } from './packed.ts'

/** The names of values that were added by their keys; undefined until somebody needs them. */
export interface NameSource {
  names: readonly string[] | undefined
}

/** Keys and counts as a `PackedWriter` writes them, and in the same order the names as a JSON list. */
export interface PackedValues {
  sums: Uint8Array
  names: string
}

/** The values of a list that are shown, by their number here, and how many there are. */
export interface TopEntries {
  entries: readonly number[]
  total: number
}

/** 128 bits of a value's SHA-256, of which nobody has found two alike: figures are exact without comparing names. */
const WORDS = 4
const COUNTS = 4
const FIRST_SIZE = 32
/** Half full at most, or looking takes long. */
const SLOTS = 2

const digest = new Uint8Array(64)
const digestWords = new Uint32Array(digest.buffer)

/**
 * Four counts of each of many values, which are known by a key as long as nobody asks for a name: a page adds up a hundred
 * thousand values and shows a hundred. Its fields are plain ones, for the engine's sake.
 */
export class ValueCounts {
  private size = 0
  /** Open addressing: one more than the number of the value. */
  private slots = new Int32Array(SLOTS * FIRST_SIZE)
  private keys = new Uint32Array(WORDS * FIRST_SIZE)
  private counts = new Float64Array(COUNTS * FIRST_SIZE)
  /** Which source has the name, and where in it. */
  private sources = new Int32Array(FIRST_SIZE)
  private nameIndexes = new Int32Array(FIRST_SIZE)
  private readonly ownNames: string[] = []
  private readonly entryOfName = new Map<string, number>()
  private readonly nameSources: NameSource[] = [{ names: this.ownNames }]
  /** What these are added to, if only their number is asked for. */
  private base: ValueCounts | undefined
  /** `distinct` of each choice of filters, until something is added. */
  private distinctCache: (number | undefined)[] = []

  add(name: string, counts: Readonly<ClickCounts>): void {
    let entry = this.entryOfName.get(name)
    if (entry === undefined) {
      Bun.SHA256.hash(name, digest)
      const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = digestWords
      entry = this.entryOf(k0, k1, k2, k3)
      // A name at hand is better than one to be looked up.
      this.sources[entry] = 0
      this.nameIndexes[entry] = this.ownNames.push(name) - 1
      this.entryOfName.set(name, entry)
    }
    this.addToEntry(entry, counts)
  }

  /** Makes room for so many values, which is cheaper than to grow for them one after another. */
  reserve(size: number): void {
    if (size <= this.sources.length) return
    this.resize(2 ** Math.ceil(Math.log2(size)))
  }

  /** Another one with the same values, of which none may have been added by name; names are looked up anew. */
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

  /** These and what is added to them, without a copy of them, since they are many: `distinct` alone can be asked for. */
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

  /** Adds what `packed` has packed, whose names are `source`. */
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

  /** Every value with clicks; `isNamed` false leaves the names out. All of them must have been loaded. */
  toPacked(withNames = true): PackedValues | undefined {
    // By key: whoever sums the same clicks writes the same, wherever names and counts are read from.
    const entries = this.listClicked().toSorted((a, b) => this.compare(a, b))
    if (entries.length === 0) return undefined
    const writer = new PackedWriter()
    writer.add(entries.length)
    for (const entry of entries) writer.addWords(this.keys.subarray(WORDS * entry, WORDS * (entry + 1)))
    for (const entry of entries) writer.addCounts(this.countsOf(entry))
    const names = withNames ? JSON.stringify(entries.map((entry) => this.nameOf(entry))) : ''
    return { sums: writer.toBytes(), names }
  }

  /** The values with clicks, by their number. */
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

  /** `countedOf` of a value; there are many, so no object is made for each. */
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

  /** What a viewer counts of the value with this name. */
  filteredCountByName(name: string, filters: ViewerFilters): number {
    Bun.SHA256.hash(name, digest)
    const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = digestWords
    const entry = this.find(k0, k1, k2, k3)
    return entry < 0 ? 0 : this.filteredCount(entry, filters)
  }

  /** How many values have clicks that a viewer counts. */
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

  /** How many more have clicks than `below`; less than none where clicks were taken out. */
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

  /** Those with the most clicks that a viewer counts, and all others that have as many as the last: names decide. */
  top(filters: ViewerFilters, max: number): TopEntries {
    this.requireNoBase()
    const entryCounts: number[] = []
    const entries: number[] = []
    for (let entry = 0; entry < this.size; entry++) {
      const count = this.filteredCount(entry, filters)
      if (count <= 0) continue
      entries.push(entry)
      entryCounts.push(count)
    }
    const total = entries.length
    if (total <= max) return { entries, total }
    const minCount = Float64Array.from(entryCounts).toSorted()[total - max] ?? 0
    return { entries: entries.filter((_, index) => (entryCounts[index] ?? 0) >= minCount), total }
  }

  /** Whose names of these are still missing. */
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

  /** The number of the value with this key, less than 0 if there is none. */
  private find(k0: number, k1: number, k2: number, k3: number): number {
    return (this.slots[this.slotOf(k0, k1, k2, k3)] ?? 0) - 1
  }

  /** The number of the value with this key, a new one without clicks if there was none. */
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

  /** Where the value with this key is, or would be. */
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

/** How many values `ValueCounts.packed` has packed here. */
export function readSize(sums: Uint8Array): number {
  return new PackedReader(sums).read()
}
