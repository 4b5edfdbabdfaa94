import { Failure } from '@latchkey/http/failure'
import { cellsOfObject, readCsv } from './csv.ts'
import { type FileFormat, csvFormats } from './csv-formats.ts'
import {
  type ImportRow,
  type RowDefaults,
  type RowFields,
  reasonOfFailure,
  toImportRow,
} from './import-row.ts'
import { readJsonObjects } from './json-objects.ts'
import { type ParsedLine, type Source, UnreadableFile, firstCharacter, readJsonLines } from './lines.ts'
import { fieldsOfLink } from './link-object.ts'
import { type ColumnMapping, mappedFormat } from './mapping.ts'
import type { Reason } from './reason.ts'
import { readTextFile } from './text-file.ts'

export const importFormats = [
  'csv',
  'shrtnr',
  'ndjson',
  'yourls',
  'kutt',
  'shlink',
  'bitly',
  'dub',
  'shortio',
] as const
export type ImportFormat = (typeof importFormats)[number]

/** A line of the file: the link that it describes, or its problem. */
export type ParsedRow = ParsedLine<ImportRow> & {
  /** Clicks that the file gives only as a total; undefined without such a column. */
  clicks?: number | undefined
}

export interface RowSource {
  source: Source
  format: ImportFormat
  /** With `csv`: fields and the columns they are read from. */
  columnOf?: ColumnMapping
}

/** Reads a file of any format row by row, with no more than one row in memory. */
export async function* readRows(
  { source: file, format, columnOf }: RowSource,
  defaults: RowDefaults,
): AsyncGenerator<ParsedRow> {
  const source = readTextFile(file)
  if (format === 'ndjson') yield* convert(readJsonLines(source), fieldsOfLink, defaults)
  else if (format === 'csv')
    yield* readTable(source, columnOf ? mappedFormat(columnOf) : csvFormats.csv, defaults)
  else {
    const begun = await firstCharacter(source).catch(reasonOfUnreadable)
    if ('code' in begun) yield { line: 1, problem: begun }
    else if (begun[0] === '{' || begun[0] === '[') yield* readAnswers(begun[1], format, defaults)
    else yield* readTable(begun[1], csvFormats[format], defaults)
  }
}

function reasonOfUnreadable(error: unknown): Reason {
  if (error instanceof UnreadableFile) return error.reason
  throw error
}

function readTable(source: Source, { requiredColumns, fieldsOf }: FileFormat, defaults: RowDefaults) {
  const records = readCsv(source, ({ has, columns }) => {
    const missing = requiredColumns.find((names) => !names.some(has))
    if (!missing) return undefined
    const text = `the file has no column "${missing.join('" or "')}", only: ${columns.join(', ')}`
    return { code: 'column_missing', missing: [...missing], columns: [...columns], text }
  })
  return convert(records, fieldsOf, defaults)
}

/** Reads the answers of a program's API. */
function readAnswers(source: Source, format: Exclude<ImportFormat, 'ndjson' | 'csv'>, defaults: RowDefaults) {
  const { listPath = [], fieldsOf }: FileFormat = csvFormats[format]
  const objects = readJsonObjects(source, listPath)
  return format === 'shrtnr'
    ? convert(objects, fieldsOfLink, defaults)
    : convert(objects, (object, now) => fieldsOf(cellsOfObject(object), now), defaults)
}

async function* convert<Value>(
  lines: AsyncIterable<ParsedLine<Value>>,
  fieldsOf: (value: Value, now: number) => RowFields,
  defaults: RowDefaults,
): AsyncGenerator<ParsedRow> {
  for await (const entry of lines) {
    if ('problem' in entry) yield entry
    else yield { line: entry.line, ...rowOf(() => fieldsOf(entry.value, defaults.now), defaults) }
  }
}

type RowResult = { value: ImportRow; clicks: number | undefined } | { problem: Reason }

function rowOf(fieldsOf: () => RowFields, defaults: RowDefaults): RowResult {
  try {
    const fields = fieldsOf()
    const { clicks } = fields
    return { value: toImportRow(fields, defaults), clicks: Number.isNaN(clicks) ? 0 : clicks }
  } catch (error) {
    if (error instanceof Failure) return { problem: reasonOfFailure(error) }
    throw error
  }
}
