import { z } from 'zod'
import { type Source, Unreadable, textOf } from '../lines.ts'
import {
  type Column,
  FORMAT,
  type InstanceTable,
  type LastIds,
  type TableFormat,
  VERSION,
  instanceTableNames,
  instanceTables,
} from './tables.ts'

export type Value = string | number | null

/** Rows of one table, in the order of its columns. */
export interface Batch {
  table: InstanceTable
  columns: readonly string[]
  rows: Value[][]
  /** Rows of the whole file. */
  of: number
}

/** The file is not what it should be; nothing of it is kept. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

const Counts = z.record(z.string(), z.int().min(0))
const Id = z.int().min(0).default(0)
const Header = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  counts: Counts,
  last_ids: z.object({ link: Id, bundle: Id, api_key: Id }).prefault({}),
})
const TableLine = z.object({
  table: z.enum(instanceTableNames),
  columns: z.array(z.string()).min(1),
})
const EndLine = z.object({ end: z.literal(true) })

const ROWS_AT_ONCE = 2_000

/** Reads a file of `exportInstance`, checked value by value and complete, or throws `UnusableFile` where it is not. */
export async function* readInstance(source: Source): AsyncGenerator<Batch, LastIds> {
  const file = new InstanceFile()
  for await (const lines of blocksOfLines(source, file))
    for (const line of lines) {
      const batch = file.take(line)
      if (batch) yield batch
    }
  return file.finish()
}

async function* blocksOfLines(source: Source, file: InstanceFile): AsyncGenerator<string[]> {
  let rest = ''
  try {
    for await (const text of textOf(source)) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      yield lines
    }
  } catch (error) {
    if (error instanceof Unreadable) throw new UnusableFile(`line ${file.line + 1}: ${error.message}`)
    throw error
  }
  if (rest !== '') yield [rest]
}

class InstanceFile {
  line = 0
  #counts: Readonly<Record<string, number>> | undefined
  #lastIds: LastIds = { link: 0, bundle: 0, api_key: 0 }
  #of = 0
  #table: InstanceTable | undefined
  #columns: readonly string[] = []
  #kinds: readonly Column[] = []
  #rows: Value[][] = []
  readonly #seen = new Map<string, number>()
  #ended = false

  /** A batch that the line completes. */
  take(text: string): Batch | undefined {
    this.line++
    if (text === '') return undefined
    const value = this.#parse(text)
    if (this.#ended) throw this.#unusable('nothing may follow the end')
    if (!this.#counts) return this.#begin(value)
    if (!Array.isArray(value)) return this.#turn(value)
    this.#rows.push(this.#check(value))
    return this.#rows.length >= ROWS_AT_ONCE ? this.#flush() : undefined
  }

  finish(): LastIds {
    if (!this.#counts) throw new UnusableFile('The file is empty')
    if (!this.#ended) throw new UnusableFile(`The file breaks off after line ${this.line}`)
    for (const [table, count] of Object.entries(this.#counts)) {
      const seen = this.#seen.get(table) ?? 0
      if (seen !== count)
        throw new UnusableFile(`The file has ${seen} rows of ${table} where its first line says ${count}`)
    }
    return this.#lastIds
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw this.#unusable('is not JSON')
    }
  }

  #begin(value: unknown): undefined {
    const header = Header.safeParse(value)
    if (!header.success) throw this.#unusable('is not the first line of an export with --everything')
    if (header.data.version !== VERSION)
      throw this.#unusable(
        `the file is of version ${header.data.version}, this program reads version ${VERSION}`,
      )
    this.#counts = header.data.counts
    this.#lastIds = header.data.last_ids
    this.#of = Object.values(this.#counts).reduce((sum, count) => sum + count, 0)
  }

  /** A line between rows: the next table, or the end. */
  #turn(value: unknown): Batch | undefined {
    const batch = this.#flush()
    if (EndLine.safeParse(value).success) {
      this.#ended = true
      return batch
    }
    const line = TableLine.safeParse(value)
    if (!line.success) throw this.#unusable('is neither a row nor a table nor the end')
    const { table, columns } = line.data
    const format: TableFormat = instanceTables[table]
    const kinds = columns.map((column) => format.columns[column])
    const unknown = columns.find((_, at) => kinds[at] === undefined)
    if (unknown !== undefined) throw this.#unusable(`${table} has no column "${unknown}"`)
    this.#table = table
    this.#columns = columns
    this.#kinds = kinds.filter((kind) => kind !== undefined)
    return batch
  }

  #flush(): Batch | undefined {
    const rows = this.#rows
    const table = this.#table
    if (!table || rows.length === 0) return undefined
    this.#rows = []
    this.#seen.set(table, (this.#seen.get(table) ?? 0) + rows.length)
    return { table, columns: this.#columns, rows, of: this.#of }
  }

  #check(row: unknown[]): Value[] {
    if (!this.#table) throw this.#unusable('a row before its table')
    if (row.length !== this.#columns.length)
      throw this.#unusable(
        `has ${row.length} values where ${this.#table} has ${this.#columns.length} columns`,
      )
    for (let at = 0; at < row.length; at++) {
      const kind = this.#kinds[at]
      if (kind && !fits(row[at], kind)) throw this.#unusable(`${this.#columns[at]}: is no ${kind.type}`)
    }
    return row as Value[]
  }

  #unusable(problem: string): UnusableFile {
    return new UnusableFile(`line ${this.line}: ${problem}`)
  }
}

function fits(value: unknown, { type, nullable }: Column): boolean {
  if (value === null) return nullable
  return type === 'int' ? Number.isSafeInteger(value) : typeof value === 'string'
}
