import type { ClickTable } from '../../db/click-tables.ts'
import { PackedReader, PackedWriter } from '../packed.ts'

/**
 * Columns that are stored together, as one code per click for a combination of values. They depend
 * on each other, so there are few combinations.
 */
export const groups = {
  place: ['country'],
  agent: ['device_type', 'os', 'browser', 'is_bot'],
  source: ['referrer', 'referrer_host', 'is_self_referrer'],
  campaign: ['link_mode', 'utm_source', 'utm_medium', 'utm_campaign'],
  channel: ['channel', 'variant'],
} as const satisfies Record<string, readonly (keyof ClickTable)[]>
export type Group = keyof typeof groups
export const groupNames = Object.keys(groups) as readonly Group[]

export type BlockColumn = (typeof groups)[Group][number]
export type BlockValue = string | number | null
export const blockColumns = groupNames.flatMap((group): readonly BlockColumn[] => groups[group])

/** A click as a block stores it. */
export type BlockClick = Pick<ClickTable, BlockColumn | 'link_id' | 'slug' | 'clicked_at' | 'visitor_fp'>

/**
 * Clicks of a time as columns, ordered by link and slug, then by time. Each function decodes a
 * column, so call it once.
 */
export interface Block {
  /** Unix seconds from which `seconds` count. */
  readonly start: number
  readonly lastSecond: number
  readonly rows: number
  /** The clicks of one slug follow each other, in a run. */
  readonly runs: () => { linkIds: readonly number[]; rows: readonly number[] }
  /** The slug of each run. */
  readonly slugs: () => readonly string[]
  readonly values: (column: BlockColumn) => readonly BlockValue[]
  /** The combinations of a group: for each the indexes of the values of its columns. */
  readonly tuples: (group: Group) => readonly number[]
  readonly codes: (group: Group) => Uint32Array
  readonly seconds: () => Uint32Array
  /** Numbers from 1 on; 0 is unknown. */
  readonly visitors: () => Uint32Array
  readonly visitorCount: number
  /**
   * Two words for each visitor, by which the visitors of several blocks of a day are compared.
   * Without them, no other block has clicks of the same days.
   */
  readonly visitorKeys: () => Uint32Array | undefined
}

interface Head {
  rows: number
  lastSecond: number
  visitors: number
  /** Bytes of each section. */
  sections: number[]
}

const HEAD_BYTES = 4
const ZSTD_LEVEL = 3

/** The bytes of a block. `unpackBlock` reads them. */
export function packBlock(block: Block): Uint8Array {
  const { linkIds, rows } = block.runs()
  const sections = [
    packNumbers(linkIds.map((id, n) => id - (linkIds[n - 1] ?? 0))),
    packNumbers(rows),
    packJson(block.slugs()),
    ...groupNames.map((group) => packNumbers(block.tuples(group))),
    ...blockColumns.map((column) => packJson(block.values(column))),
    ...groupNames.map((group) => packWords(block.codes(group))),
    packWords(deltasOf(block.seconds(), rows)),
    packWords(block.visitors()),
    packWords(block.visitorKeys() ?? new Uint32Array()),
  ]
  const head: Head = {
    rows: block.rows,
    lastSecond: block.lastSecond,
    visitors: block.visitorCount,
    sections: sections.map(({ length }) => length),
  }
  const headText = packJson(head)
  const length = new Uint8Array(HEAD_BYTES)
  new DataView(length.buffer).setUint32(0, headText.length, true)
  return Bun.zstdCompressSync(Buffer.concat([length, headText, ...sections]), { level: ZSTD_LEVEL })
}

/** Reads the output of `packBlock` for a block that starts at this moment (Unix seconds). */
export function unpackBlock(packed: Uint8Array, start: number): Block {
  const bytes = Bun.zstdDecompressSync(packed)
  const headEnd = HEAD_BYTES + bytes.readUint32LE(0)
  const { rows, lastSecond, visitors, sections } = JSON.parse(
    bytes.toString('utf8', HEAD_BYTES, headEnd),
  ) as Head
  let at = headEnd
  const parts = sections.map((length) => bytes.subarray(at, (at += length)))
  const next = () => parts.shift() ?? NOTHING
  const [linkDeltas, runRows, slugs] = [next(), next(), next()]
  const tuples = new Map(groupNames.map((group) => [group, next()]))
  const values = new Map(blockColumns.map((column) => [column, next()]))
  const codes = new Map(groupNames.map((group) => [group, next()]))
  const [seconds, visitorNumbers, keys] = [next(), next(), next()]
  const words = (part: Buffer | undefined) => unpackWords(part ?? NOTHING, rows)
  return {
    start,
    lastSecond,
    rows,
    runs: () => ({ linkIds: sumsOf(unpackNumbers(linkDeltas)), rows: unpackNumbers(runRows) }),
    slugs: () => unpackJson(slugs) as string[],
    values: (column) => unpackJson(values.get(column) ?? NOTHING) as BlockValue[],
    tuples: (group) => unpackNumbers(tuples.get(group) ?? NOTHING),
    codes: (group) => words(codes.get(group)),
    seconds: () => addDeltas(words(seconds), unpackNumbers(runRows)),
    visitors: () => words(visitorNumbers),
    visitorCount: visitors,
    visitorKeys: () => (keys.length === 0 ? undefined : unpackWords(keys, 2 * visitors)),
  }
}

const NOTHING = Buffer.alloc(0)

function packJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function unpackJson(text: Buffer): unknown {
  return JSON.parse(text.toString())
}

function packNumbers(numbers: readonly number[]): Uint8Array {
  const writer = new PackedWriter()
  for (const number of numbers) writer.add(number)
  return writer.toBytes()
}

function unpackNumbers(bytes: Uint8Array): number[] {
  const reader = new PackedReader(bytes)
  const numbers: number[] = []
  while (!reader.isAtEnd) numbers.push(reader.read())
  return numbers
}

function sumsOf(deltas: readonly number[]): number[] {
  let sum = 0
  return deltas.map((delta) => (sum += delta))
}

/** The seconds since the previous click of a run, which take fewer bytes. */
function deltasOf(seconds: Uint32Array, runs: readonly number[]): Uint32Array {
  const deltas = seconds.slice()
  let end = 0
  for (const rows of runs) {
    const first = end
    end += rows
    for (let row = end - 1; row > first; row--) deltas[row] = (deltas[row] ?? 0) - (deltas[row - 1] ?? 0)
  }
  return deltas
}

function addDeltas(deltas: Uint32Array, runs: readonly number[]): Uint32Array {
  let row = 0
  for (const rows of runs) {
    let second = 0
    for (const end = row + rows; row < end; row++) deltas[row] = second += deltas[row] ?? 0
  }
  return deltas
}

/** Words in as few bytes as the largest needs: the first bytes of all words, then the second ones. */
function packWords(words: Uint32Array): Uint8Array {
  const { length } = words
  const width = Math.ceil(Math.log2(1 + words.reduce((max, word) => Math.max(max, word), 0)) / 8)
  const bytes = new Uint8Array(width * length)
  for (let plane = 0; plane < width; plane++)
    for (let row = 0; row < length; row++) bytes[plane * length + row] = (words[row] ?? 0) >>> (8 * plane)
  return bytes
}

function unpackWords(bytes: Uint8Array, length: number): Uint32Array {
  const words = new Uint32Array(length)
  if (bytes.length === length) words.set(bytes)
  else
    for (let plane = 0; plane * length < bytes.length; plane++)
      for (let row = 0; row < length; row++)
        words[row] = (words[row] ?? 0) | ((bytes[plane * length + row] ?? 0) << (8 * plane))
  return words
}
