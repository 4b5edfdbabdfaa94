import { MAX_ENTRY_LENGTH } from '@latchkey/database/json-excess'
import { CsvError, parse } from 'csv-parse'
import { UnreadableFile, type ParsedLine, type Source, textOf } from './lines.ts'
import { FILE_NOT_UTF8, type Reason } from './reason.ts'

/** Returns a cell of one record by the name of its column; undefined for a missing column. */
export type Cells = (column: string) => string | undefined

/** The header of a CSV file. */
export interface CsvFile {
  /** Whether the file has this column. */
  readonly has: (column: string) => boolean
  /** Names as they are written in the file. */
  readonly columns: readonly string[]
}

const MAX_COLUMNS = 1_000
/** What databases write for no value, unless it is quoted. */
const NULLS: ReadonlySet<string> = new Set(['NULL', 'null', '\\N'])

const EMPTY: Reason = {
  code: 'file_empty',
  text: 'the file has no header row',
}
const QUOTE_NOT_CLOSED: Reason = {
  code: 'quote_not_closed',
  text: 'a closing quote is missing here or below',
}
const RECORD_TOO_LONG: Reason = {
  code: 'too_long',
  text: 'the record is too long: a closing quote may be missing',
}

/** Header names match regardless of case, spaces, underscores and hyphens (L21). */
export function columnKey(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

/**
 * Reads a JSON object like a record: `a.b` is `b` in `a`. A list becomes its words, or the names of
 * its objects, each followed by `|`, or JSON if they have none.
 */
export function cellsOfObject(object: Readonly<Record<string, unknown>>): Cells {
  const keys = new Map(Object.entries(object).map(([key, value]) => [columnKey(key), value] as const))
  return (column) => {
    const [outer = '', inner] = column.split('.')
    const value = keys.get(columnKey(outer))
    if (inner === undefined || !isObject(value)) return inner === undefined ? textOfValue(value) : undefined
    return cellsOfObject(value)(inner)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOfValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => !isObject(item) || 'name' in item))
    return value
      .map((item: unknown) => `${textOfValue(isObject(item) ? item['name'] : item) ?? ''}|`)
      .join('')
  return JSON.stringify(value)
}

/**
 * Reads the records under the header. `findProblem` may refuse the header; then reading ends.
 * Records shorter than the header, or longer with more than blank cells, are problems; records of
 * blank cells are skipped. Bytes that are not UTF-8 are NUL in cells.
 */
export async function* readCsv(
  source: Source,
  findProblem: (file: CsvFile) => Reason | undefined,
): AsyncGenerator<ParsedLine<Cells>> {
  let header: Header | undefined
  let isEmpty = true
  for await (const { line, ...read } of recordsOf(source)) {
    isEmpty = false
    if ('problem' in read) {
      yield { line, ...read }
    } else if (!header) {
      header = headerOf(read.value.slice(0, MAX_COLUMNS))
      const problem = findHeaderProblem(header, read.value.length, findProblem)
      if (problem === undefined) continue
      yield { line, problem }
      return
    } else {
      yield { line, ...cellsOf(header, read.value) }
    }
  }
  if (isEmpty) yield { line: 1, problem: EMPTY }
}

type Header = { index: ReadonlyMap<string, number>; columns: readonly string[] }

function headerOf(names: readonly string[]): Header {
  const columns = names.map((name) => name.replaceAll('\0', '\ufffd'))
  // The first of two columns with the same name counts.
  const index = new Map(columns.map((name, at) => [columnKey(name), at] as const).toReversed())
  return { index, columns }
}

function findHeaderProblem(
  { index, columns }: Header,
  count: number,
  findProblem: (file: CsvFile) => Reason | undefined,
): Reason | undefined {
  if (count > MAX_COLUMNS)
    return {
      code: 'too_many_columns',
      max: MAX_COLUMNS,
      text: `the file has more than ${MAX_COLUMNS} columns`,
    }
  const problem = findProblem({ has: (column) => index.has(columnKey(column)), columns })
  return problem && columns.some((column) => column.includes('\ufffd')) ? FILE_NOT_UTF8 : problem
}

function cellsOf(
  { index, columns }: Header,
  record: readonly string[],
): { value: Cells } | { problem: Reason } {
  const [fields, expected] = [record.length, columns.length]
  if (fields < expected || record.slice(expected).some((cell) => cell.trim() !== '')) {
    const text = `has ${fields} fields, but the header has ${expected}`
    return { problem: { code: 'field_count', fields, expected, text } }
  }
  return { value: (column) => record[index.get(columnKey(column)) ?? -1] }
}

async function* recordsOf(source: Source): AsyncGenerator<ParsedLine<string[]>> {
  let parser: RecordParser | undefined
  let start = ''
  try {
    for await (const text of textOf(source)) {
      if (parser) {
        yield* parser.push(text)
        continue
      }
      start += text
      // The header may follow blank lines.
      if (start.trim() === '' && start.length < MAX_ENTRY_LENGTH) continue
      const { line, delimiter } = separatorOf(start)
      // A line end of two characters may be in two parts.
      if (line !== '' && line === start && line.endsWith('\r')) continue
      parser = new RecordParser(delimiter, lineEnds(line))
      yield* parser.push(start.slice(line.length))
    }
    if (parser) yield* parser.end()
  } catch (error) {
    const problem = reasonOfReadError(error)
    if (problem === undefined) throw error
    yield { line: parser?.line ?? 1, problem }
  } finally {
    parser?.close()
  }
}

const DELIMITERS = [',', ';', '\t'] as const
/** Excel writes and reads the separator in a line of its own. */
const SEPARATOR_LINE = /^\s*("?)sep=([^"\w\r\n])\1[ \t,;]*(?:\r\n|\n|\r)/i

/** The separator of the columns, and the line before the header that names it. */
function separatorOf(text: string): { line: string; delimiter: string } {
  const [line = '', , delimiter] = SEPARATOR_LINE.exec(text) ?? []
  return { line, delimiter: delimiter ?? findDelimiter(text) }
}

/**
 * Finds the separator of the columns: the one that occurs most often in the header outside quotes.
 * Without any, and in case of doubt, it is the comma.
 */
function findDelimiter(text: string): string {
  const [header = ''] = text
    .trimStart()
    .slice(0, MAX_HEADER_LENGTH)
    .replaceAll(QUOTED, '')
    .split(/[\r\n]/, 1)
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

const MAX_HEADER_LENGTH = 64 * 1024
/** A quoted cell, which may contain separators and line ends. */
const QUOTED = /"(?:[^"]|"")*"/g

/**
 * Feeds csv-parse and collects each record as soon as it is parsed. The stream's own buffer, with
 * the good records before an error, is lost when the parser fails.
 */
class RecordParser {
  #line = 1
  #emptyLines = 0
  #records: ParsedLine<string[]>[] = []
  readonly #parser: ReturnType<typeof parse>

  constructor(delimiter: string, linesBefore: number) {
    this.#line += linesBefore
    this.#parser = parse({
      delimiter,
      skip_empty_lines: true,
      relax_column_count: true,
      // A stray quote is an ordinary character. Refusing it would refuse everything up to the next
      // one.
      relax_quotes: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: MAX_ENTRY_LENGTH,
      cast: (cell, { quoting }) => (!quoting && NULLS.has(cell) ? '' : cell),
      on_record: (record: string[], { empty_lines }) => {
        this.#add(record, empty_lines)
        return undefined
      },
    })
    // The callbacks of `write` and `end` also receive it. Without a listener it would end the
    // process.
    this.#parser.on('error', () => {})
    this.#parser.resume()
  }

  /** The line on which the next record begins. */
  get line(): number {
    return this.#line + this.#parser.info.empty_lines - this.#emptyLines
  }

  push(text: string): AsyncGenerator<ParsedLine<string[]>> {
    return this.#results((done) => this.#parser.write(text, done))
  }

  end(): AsyncGenerator<ParsedLine<string[]>> {
    return this.#results((done) => this.#parser.end(done))
  }

  close(): void {
    this.#parser.destroy()
  }

  async *#results(
    work: (done: (error?: Error | null) => void) => unknown,
  ): AsyncGenerator<ParsedLine<string[]>> {
    const error = await new Promise<Error | null | undefined>((resolve) => void work(resolve))
    const records = this.#records
    this.#records = []
    yield* records
    if (error) throw error
  }

  #add(record: string[], emptyLines: number): void {
    this.#line += emptyLines - this.#emptyLines
    this.#emptyLines = emptyLines
    if (record.some((cell) => cell.trim() !== '')) this.#records.push({ line: this.#line, value: record })
    this.#line += 1 + record.reduce((ends, cell) => ends + lineEnds(cell), 0)
  }
}

const LINE_END = /\r\n|\n|\r/g

function lineEnds(cell: string): number {
  let count = 0
  LINE_END.lastIndex = 0
  while (LINE_END.test(cell)) count++
  return count
}

function reasonOfReadError(error: unknown): Reason | undefined {
  if (error instanceof UnreadableFile) return error.reason
  if (!(error instanceof CsvError)) return undefined
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return QUOTE_NOT_CLOSED
  if (error.code === 'CSV_MAX_RECORD_SIZE') return RECORD_TOO_LONG
  return { code: 'file_malformed', text: error.message }
}
