import { Failure } from '@latchkey/http/failure'
import { readCsv } from './csv.ts'
import { csvFormats } from './csv-formats.ts'
import { type ImportRow, type RowDefaults, type RowFields, toImportRow } from './import-row.ts'
import { type Read, type Source, readJsonLines } from './lines.ts'
import { fieldsOfLink } from './link-object.ts'

export const importFormats = ['csv', 'shrtnr', 'ndjson', 'yourls', 'kutt', 'shlink', 'bitly'] as const
export type ImportFormat = (typeof importFormats)[number]

/** A line of the file: the link it describes, or what is wrong with it. */
export type ReadRow = Read<ImportRow> & {
  /** Clicks that the file gives only as a sum; undefined where it has no such column. */
  clicks?: number | undefined
}

/** Reads a file of any format row by row, holding no more of it than a row. */
export function readRows(
  source: Source,
  format: ImportFormat,
  defaults: RowDefaults,
): AsyncGenerator<ReadRow> {
  if (format === 'ndjson') return convert(readJsonLines(source), fieldsOfLink, defaults)
  const { needs, fieldsOf } = csvFormats[format]
  const records = readCsv(source, ({ has, columns }) => {
    const missing = needs.find((names) => !names.some(has))
    return missing && `the file has no column "${missing.join('" or "')}", only: ${columns.join(', ')}`
  })
  return convert(records, fieldsOf, defaults)
}

async function* convert<Value>(
  lines: AsyncIterable<Read<Value>>,
  fieldsOf: (value: Value, now: number) => RowFields,
  defaults: RowDefaults,
): AsyncGenerator<ReadRow> {
  for await (const read of lines) {
    if ('problem' in read) yield read
    else yield { line: read.line, ...rowOf(() => fieldsOf(read.value, defaults.now), defaults) }
  }
}

type Outcome = { value: ImportRow; clicks: number | undefined } | { problem: string }

function rowOf(fieldsOf: () => RowFields, defaults: RowDefaults): Outcome {
  try {
    const fields = fieldsOf()
    return { value: toImportRow(fields, defaults), clicks: fields.clicks }
  } catch (error) {
    if (error instanceof Failure) return { problem: error.message }
    throw error
  }
}
