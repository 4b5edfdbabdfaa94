import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { LONGEST_LINE, Unreadable, type Read, type Source, textOf } from './lines.ts'

/** One record by the names of its columns; undefined for columns that the file has not. */
export type Cells = (column: string) => string | undefined

/** The header of a CSV file, then its records. */
export interface CsvFile {
  /** Which of these columns the file has. */
  readonly has: (column: string) => boolean
  /** As they are written in the file. */
  readonly columns: readonly string[]
}

/** Header names match whatever their case, spaces, underscores and hyphens (L21). */
function columnKey(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

/**
 * Reads records under the header. `problemOf` may refuse the header; then nothing more is read. Records shorter or longer
 * than the header are problems; records of blank cells are passed over.
 */
export async function* readCsv(
  source: Source,
  problemOf: (file: CsvFile) => string | undefined,
): AsyncGenerator<Read<Cells>> {
  let header: Header | undefined
  for await (const { line, ...read } of recordsOf(source)) {
    if ('problem' in read) {
      yield { line, ...read }
    } else if (!header) {
      header = headerOf(read.value)
      const { index, columns } = header
      const problem = problemOf({ has: (column) => index.has(columnKey(column)), columns })
      if (problem === undefined) continue
      yield { line, problem }
      return
    } else {
      yield { line, ...cellsOf(header, read.value) }
    }
  }
  if (!header) yield { line: 1, problem: 'the file is empty: it has no line with the names of its columns' }
}

type Header = { index: ReadonlyMap<string, number>; columns: readonly string[] }

function headerOf(columns: readonly string[]): Header {
  // Of two columns with one name the first counts.
  const index = new Map(columns.map((name, at) => [columnKey(name), at] as const).toReversed())
  return { index, columns }
}

function cellsOf(
  { index, columns }: Header,
  record: readonly string[],
): { value: Cells } | { problem: string } {
  if (record.length !== columns.length)
    return { problem: `has ${record.length} fields where the header has ${columns.length}` }
  return { value: (column) => record[index.get(columnKey(column)) ?? -1] }
}

interface CsvRecord {
  record: string[]
  info: { empty_lines: number }
}

async function* recordsOf(source: Source): AsyncGenerator<Read<string[]>> {
  let line = 1
  let emptyLines = 0
  const parser = parse({
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    // A stray quote is a character like any other; refusing it would refuse everything up to the next one.
    relax_quotes: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: LONGEST_LINE,
  })
  // A failure of the source destroys the parser with the same error, which then comes out of the loop.
  pipeline(textOf(source), parser, () => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      line += info.empty_lines - emptyLines
      emptyLines = info.empty_lines
      if (record.some((cell) => cell.trim() !== '')) yield { line, value: record }
      line += 1 + record.reduce((ends, cell) => ends + lineEnds(cell), 0)
    }
  } catch (error) {
    const problem = unreadable(error)
    if (problem === undefined) throw error
    yield { line, problem }
  }
}

function lineEnds(cell: string): number {
  return cell.match(/\r\n|\n|\r/g)?.length ?? 0
}

function unreadable(error: unknown): string | undefined {
  if (error instanceof Unreadable) return error.message
  if (!(error instanceof CsvError)) return undefined
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote opens here or later and never closes'
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return 'the record is too long; a quote that never closes does this'
  return error.message
}
