import {
  type Block,
  type BlockClick,
  type BlockColumn,
  type BlockValue,
  type Group,
  blockColumns,
  groupNames,
  groups,
} from './block.ts'
import { KeyMap } from './key-map.ts'

/** Numbers distinct values from 0 on. */
class Dictionary<Value> {
  readonly values: Value[] = []
  readonly #codes = new Map<Value, number>()

  codeOf(value: Value): number {
    const existing = this.#codes.get(value)
    if (existing !== undefined) return existing
    const code = this.values.push(value) - 1
    this.#codes.set(value, code)
    return code
  }
}

/** A column that grows. */
class Words {
  words = new Uint32Array(1024)
  length = 0

  add(word: number): void {
    if (this.length === this.words.length) {
      const larger = new Uint32Array(2 * this.length)
      larger.set(this.words)
      this.words = larger
    }
    this.words[this.length++] = word
  }
}

/** The combinations of a group and the code of each click. */
class GroupColumn {
  readonly tuples: number[] = []
  readonly codes = new Words()
  readonly #codeOfKey = new Map<string, number>()
  #size = 0

  /** The code of a combination. `valuesOf` is called if it is new. */
  codeOf(key: string, valuesOf: () => readonly number[]): number {
    const existing = this.#codeOfKey.get(key)
    if (existing !== undefined) return existing
    this.#codeOfKey.set(key, this.#size)
    this.tuples.push(...valuesOf())
    return this.#size++
  }
}

/** Builds a block from clicks and from other blocks. */
export class BlockBuilder {
  readonly #start: number
  /** Slugs with the ids of their links. */
  readonly #slugs = new Dictionary<string>()
  readonly #runs: { linkId: number; slug: string; rows: number }[] = []
  readonly #values: Readonly<Record<BlockColumn, Dictionary<BlockValue>>>
  readonly #groups: Readonly<Record<Group, GroupColumn>>
  readonly #slugOfRow = new Words()
  readonly #seconds = new Words()
  readonly #visitors = new Words()
  readonly #visitorKeys = new KeyMap()
  #unkeyedVisitors = 0
  #lastSecond = 0

  /** `start` in Unix seconds; no click is earlier. */
  constructor(start: number) {
    this.#start = start
    this.#values = fromNames(blockColumns, () => new Dictionary<BlockValue>())
    this.#groups = fromNames(groupNames, () => new GroupColumn())
  }

  get rows(): number {
    return this.#seconds.length
  }

  /** Adds a click. For a block that is stored, the clicks of a slug must come oldest first. */
  add(click: BlockClick): void {
    this.#addToRun(click.link_id, click.slug, 1)
    this.#addSecond(click.clicked_at - this.#start)
    this.#visitors.add(click.visitor_fp === null ? 0 : KEYED + this.#visitorKeys.add(click.visitor_fp))
    for (const group of groupNames) {
      const columns: readonly BlockColumn[] = groups[group]
      let key = ''
      for (const column of columns) key += `${click[column] ?? NULL}${SEPARATOR}`
      const column = this.#groups[group]
      column.codes.add(
        column.codeOf(key, () => columns.map((name) => this.#values[name].codeOf(click[name]))),
      )
    }
  }

  /** Adds the clicks of a block that does not overlap the ones that were added, and is later. */
  addBlock(block: Block): void {
    const { linkIds, rows } = block.runs()
    for (const [n, slug] of block.slugs().entries()) this.#addToRun(linkIds[n] ?? 0, slug, rows[n] ?? 0)
    const offset = block.start - this.#start
    for (const second of block.seconds()) this.#addSecond(second + offset)
    const visitors = this.#visitorNumbers(block)
    for (const visitor of block.visitors()) this.#visitors.add(visitors(visitor))
    for (const group of groupNames) {
      const codes = this.#translate(block, group)
      for (const code of block.codes(group)) this.#groups[group].codes.add(codes[code] ?? 0)
    }
  }

  /** The block of all clicks. With keys, its visitors can be compared with those of other blocks. */
  toBlock({ withKeys }: { withKeys: boolean }): Block {
    const { runs, target } = this.#sortRows()
    const sort = ({ words }: Words) => {
      const sorted = new Uint32Array(this.rows)
      for (let row = 0; row < sorted.length; row++) sorted[target[row] ?? 0] = words[row] ?? 0
      return sorted
    }
    const keys = withKeys ? this.#visitorKeys.toKeys() : undefined
    return {
      start: this.#start,
      lastSecond: this.#lastSecond,
      rows: this.rows,
      runs: () => ({ linkIds: runs.map(({ linkId }) => linkId), rows: runs.map(({ rows }) => rows) }),
      slugs: () => runs.map(({ slug }) => slug),
      values: (column) => this.#values[column].values,
      tuples: (group) => this.#groups[group].tuples,
      codes: (group) => sort(this.#groups[group].codes),
      seconds: () => sort(this.#seconds),
      visitors: () =>
        sort(this.#visitors).map((number) =>
          number < KEYED ? number : number - KEYED + this.#unkeyedVisitors,
        ),
      visitorCount: this.#unkeyedVisitors + this.#visitorKeys.size,
      visitorKeys: () => keys,
    }
  }

  #addToRun(linkId: number, slug: string, rows: number): void {
    const code = this.#slugs.codeOf(`${linkId} ${slug}`)
    const run = (this.#runs[code] ??= { linkId, slug, rows: 0 })
    run.rows += rows
    for (let row = 0; row < rows; row++) this.#slugOfRow.add(code)
  }

  #addSecond(second: number): void {
    this.#seconds.add(second)
    this.#lastSecond = Math.max(this.#lastSecond, second)
  }

  /** The numbers here of the visitors of a block. */
  #visitorNumbers(block: Block): (visitor: number) => number {
    const keys = block.visitorKeys()
    if (!keys) {
      const offset = this.#unkeyedVisitors
      this.#unkeyedVisitors += block.visitorCount
      return (visitor) => (visitor === 0 ? 0 : visitor + offset)
    }
    const numbers = [0]
    for (let at = 0; at < keys.length; at += 2)
      numbers.push(KEYED + this.#visitorKeys.addKey(keys[at] ?? 0, keys[at + 1] ?? 0))
    return (visitor) => numbers[visitor] ?? 0
  }

  /** The codes here of the combinations of a block. */
  #translate(block: Block, group: Group): number[] {
    const columns: readonly BlockColumn[] = groups[group]
    const values = columns.map((column) => block.values(column))
    const tuples = block.tuples(group)
    return Array.from({ length: tuples.length / columns.length }, (_, tuple) => {
      const own = columns.map((_column, n) => values[n]?.[tuples[tuple * columns.length + n] ?? 0] ?? null)
      const key = own.map((value) => `${value ?? NULL}${SEPARATOR}`).join('')
      return this.#groups[group].codeOf(key, () =>
        columns.map((column, n) => this.#values[column].codeOf(own[n] ?? null)),
      )
    })
  }

  /** The runs by link and slug, and the place of each row, in the order of the rows within a run. */
  #sortRows() {
    const order = this.#runs
      .map((run, code) => ({ ...run, code }))
      .toSorted((a, b) => a.linkId - b.linkId || (a.slug < b.slug ? -1 : 1))
    const next = new Uint32Array(order.length)
    let first = 0
    for (const { code, rows } of order) {
      next[code] = first
      first += rows
    }
    const target = new Uint32Array(this.rows)
    for (let row = 0; row < this.rows; row++) {
      const code = this.#slugOfRow.words[row] ?? 0
      const place = next[code] ?? 0
      target[row] = place
      next[code] = place + 1
    }
    return { runs: order, target }
  }
}

/** Characters that no stored text contains: a separator of values, and a mark of missing ones. */
const SEPARATOR = '\0'
const NULL = '\0\0'

/** Marks the numbers of visitors with keys, which follow all others in the block. */
const KEYED = 2 ** 31

function fromNames<Name extends string, Value>(
  names: readonly Name[],
  create: () => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, create()])) as Record<Name, Value>
}
