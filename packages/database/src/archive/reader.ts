import { z } from 'zod'
import { MAX_ENTRY_LENGTH, TOO_LONG, findExcess } from '../json-excess.ts'
import { type Column, type ArchiveFormat, tablesOf } from './format.ts'

export type Value = string | number | null

/** Rows of one table, in the order of its columns. */
export interface Batch<Table extends string = string> {
  table: Table
  columns: readonly string[]
  rows: Value[][]
  /** Number of rows in the whole file. */
  of: number
}

/** Bytes of a content, in their order. */
export interface ContentPiece {
  key: string
  piece: Uint8Array
  isLast: boolean
}

/** The file is not a valid archive. None of its rows is kept. */
export class InvalidArchive extends Error {
  override readonly name = 'UnusableFile'
}

const Numbers = z.record(z.string(), z.int().min(0))
const Header = z.object({
  format: z.string(),
  version: z.int(),
  counts: Numbers,
  last_ids: Numbers.default({}),
})
const TableLine = z.object({ table: z.string(), columns: z.array(z.string()).min(1) })
const ContentLine = z.object({ content: z.string(), bytes: z.int().min(1) })
const EndLine = z.object({ end: z.literal(true) })

const ROWS_AT_ONCE = 2_000
/** Lines up to this many characters are cheap to parse whatever they contain. */
const LONG_LINE = 4_096

/**
 * Reads an archive of `writeArchive` and checks every value and that the file is complete. Throws
 * `InvalidArchive` otherwise. Returns the last ids of the numbered tables.
 */
export async function* readArchive<Table extends string>(
  source: AsyncIterable<Uint8Array>,
  format: ArchiveFormat<Table>,
): AsyncGenerator<Batch<Table> | ContentPiece, Readonly<Record<string, number>>> {
  const file = new ArchiveParser(format)
  for await (const lines of blocksOfLines(source, file))
    for (const line of lines) {
      const part = file.push(line)
      if (part) yield part
    }
  return file.finish()
}

async function* blocksOfLines(
  source: AsyncIterable<Uint8Array>,
  file: { line: number },
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      throw new InvalidArchive(`after line ${file.line}: is not UTF-8 text`)
    }
  }
  let rest = ''
  for await (const bytes of source) {
    const lines = (rest + decode(bytes)).split('\n')
    rest = lines.pop() ?? ''
    yield lines
    if (rest.length > MAX_ENTRY_LENGTH) throw new InvalidArchive(`line ${file.line + 1}: ${TOO_LONG}`)
  }
  rest += decode()
  if (rest !== '') yield [rest]
}

class ArchiveParser<Table extends string> {
  readonly #format: ArchiveFormat<Table>
  line = 0
  #counts: Readonly<Record<string, number>> | undefined
  #lastIds: Readonly<Record<string, number>> = {}
  #of = 0
  #table: Table | undefined
  #columns: readonly string[] = []
  #kinds: readonly Column[] = []
  #rows: Value[][] = []
  readonly #seen = new Map<string, number>()
  /** The content that is being read, and the number of its bytes that are missing. */
  #content: { key: string; left: number } | undefined
  #ended = false

  constructor(format: ArchiveFormat<Table>) {
    this.#format = format
  }

  /** Returns the batch that the line completes, or the piece of a content, if any. */
  push(text: string): Batch<Table> | ContentPiece | undefined {
    this.line++
    if (text === '') return undefined
    const value = this.#parse(text)
    if (this.#ended) throw this.#invalid('nothing may follow the end')
    if (!this.#counts) return this.#begin(value)
    if (this.#content) return this.#continueContent(this.#content, value)
    if (!Array.isArray(value)) return this.#turn(value)
    this.#rows.push(this.#check(value))
    return this.#rows.length >= ROWS_AT_ONCE ? this.#flush() : undefined
  }

  finish(): Readonly<Record<string, number>> {
    if (!this.#counts) throw new InvalidArchive('The file is empty')
    if (!this.#ended) throw new InvalidArchive(`The file ends too early, after line ${this.line}`)
    for (const [table, count] of Object.entries(this.#counts)) {
      const seen = this.#seen.get(table) ?? 0
      if (seen !== count)
        throw new InvalidArchive(`The file has ${seen} rows of ${table}, but its first line says ${count}`)
    }
    return this.#lastIds
  }

  #parse(text: string): unknown {
    const excess = text.length > LONG_LINE ? findExcess(text) : undefined
    if (excess !== undefined) throw this.#invalid(excess)
    try {
      return JSON.parse(text)
    } catch {
      throw this.#invalid('is not JSON')
    }
  }

  #begin(value: unknown): undefined {
    const header = Header.safeParse(value)
    if (!header.success) throw this.#invalid('is not the first line of an export with --everything')
    const { name, version } = this.#format
    if (header.data.format !== name) throw this.#invalid(`the file is "${header.data.format}", not "${name}"`)
    if (header.data.version !== version)
      throw this.#invalid(
        `the file has version ${header.data.version}, this program reads version ${version}`,
      )
    this.#counts = header.data.counts
    this.#lastIds = header.data.last_ids
    this.#of = Object.values(this.#counts).reduce((sum, count) => sum + count, 0)
  }

  /** Handles a line between rows: the next table or content, or the end. */
  #turn(value: unknown): Batch<Table> | undefined {
    const batch = this.#flush()
    const content = this.#format.hasContents && ContentLine.safeParse(value).data
    if (content) {
      this.#content = { key: content.content, left: content.bytes }
      return batch
    }
    if (EndLine.safeParse(value).success) {
      this.#ended = true
      return batch
    }
    const line = TableLine.safeParse(value)
    if (!line.success) throw this.#invalid('is neither a row nor a table nor the end')
    const { columns } = line.data
    const table = tablesOf(this.#format).find((name) => name === line.data.table)
    if (table === undefined) throw this.#invalid(`there is no table "${line.data.table}"`)
    const { columns: current, formerColumns } = this.#format.tables[table]
    const tableColumns: Readonly<Record<string, Column>> = { ...formerColumns, ...current }
    const kinds = columns.map((column) => tableColumns[column])
    const unknown = columns.find((_, at) => kinds[at] === undefined)
    if (unknown !== undefined) throw this.#invalid(`${table} has no column "${unknown}"`)
    this.#table = table
    this.#columns = columns
    this.#kinds = kinds.filter((kind) => kind !== undefined)
    return batch
  }

  #continueContent(content: { key: string; left: number }, value: unknown): ContentPiece {
    const { key } = content
    if (typeof value !== 'string') throw this.#invalid(`the content ${key} ends too early`)
    const piece = Buffer.from(value, 'base64')
    content.left -= piece.length
    if (content.left < 0 || piece.length === 0) throw this.#invalid(`the content ${key} is damaged`)
    const isLast = content.left === 0
    if (isLast) this.#content = undefined
    return { key, piece, isLast }
  }

  #flush(): Batch<Table> | undefined {
    const rows = this.#rows
    const table = this.#table
    if (!table || rows.length === 0) return undefined
    this.#rows = []
    this.#seen.set(table, (this.#seen.get(table) ?? 0) + rows.length)
    return { table, columns: this.#columns, rows, of: this.#of }
  }

  #check(row: unknown[]): Value[] {
    if (!this.#table) throw this.#invalid('a row before its table')
    if (row.length !== this.#columns.length)
      throw this.#invalid(`has ${row.length} values where ${this.#table} has ${this.#columns.length} columns`)
    for (let at = 0; at < row.length; at++) {
      const kind = this.#kinds[at]
      if (kind && !fits(row[at], kind)) throw this.#invalid(`${this.#columns[at]}: is no ${kind.type}`)
    }
    return row as Value[]
  }

  #invalid(problem: string): InvalidArchive {
    return new InvalidArchive(`line ${this.line}: ${problem}`)
  }
}

function fits(value: unknown, { type, nullable }: Column): boolean {
  if (value === null) return nullable
  return type === 'int' ? Number.isSafeInteger(value) : typeof value === 'string'
}
