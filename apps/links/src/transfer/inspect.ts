import { Failure } from '@latchkey/http/failure'
import { type Cells, type CsvFile, cellsOfObject, columnKey, readCsv } from './csv.ts'
import { type FileFormat, csvFormats } from './csv-formats.ts'
import type { ImportFormat } from './formats.ts'
import { readJsonObjects } from './json-objects.ts'
import { type Source, UnreadableFile, firstCharacter } from './lines.ts'
import { type MappableField, suggestFields } from './mapping.ts'
import type { Reason } from './reason.ts'
import { DEFAULT_DOMAIN_ONLY, type ImportDomains, findDomain } from './row-domain.ts'
import { readTextFile } from './text-file.ts'

interface InspectedColumn {
  /** The name in the file. */
  name: string
  /** The first values. */
  samples: string[]
  /** The field that the name suggests; null for an unknown name. */
  field: MappableField | null
}

interface InspectedFile {
  format: ImportFormat
  /** The columns that can be mapped. Empty for JSON. */
  columns: InspectedColumn[]
  /** Why no import can read the file; null if one may. */
  problem: Reason | null
}

/** Formats of other programs that are recognised by their columns, the most specific first. */
const FOREIGN_FORMATS = ['yourls', 'kutt', 'shlink', 'bitly', 'dub', 'shortio'] as const

const MAX_SAMPLES = 3
const MAX_SAMPLE_LENGTH = 120

/** Recognises the format of a file and its columns by its beginning. */
export async function inspectFile(
  beginning: Source,
  domains: ImportDomains = DEFAULT_DOMAIN_ONLY,
): Promise<InspectedFile> {
  try {
    return await inspectText(Buffer.concat(await Array.fromAsync(readTextFile(beginning))), domains)
  } catch (error) {
    if (error instanceof UnreadableFile) return { format: 'csv', columns: [], problem: error.reason }
    throw error
  }
}

async function inspectText(start: Buffer, domains: ImportDomains): Promise<InspectedFile> {
  const [first, source] = await firstCharacter(chunkOf(start))
  if (first === '{' || first === '[')
    return { format: await recogniseJson(start, first), columns: [], problem: null }
  let header: CsvFile | undefined
  const records: Cells[] = []
  const lines = readCsv(source, (file) => {
    header = file
    return undefined
  })
  for await (const line of lines) {
    if ('value' in line) records.push(line.value)
    if (records.length === MAX_SAMPLES) break
  }
  if (header === undefined) return { format: 'csv', columns: [], problem: null }
  const columns = inspectColumns(header.columns, records).map((column) => withOwnDomain(column, domains))
  return { format: recogniseTable(header), columns, problem: null }
}

/** A domain of another program is no domain of its links here. */
function withOwnDomain(column: InspectedColumn, domains: ImportDomains): InspectedColumn {
  if (column.field !== 'domain') return column
  const isOwn = column.samples.every((domain) => findDomain(domain, domains) !== undefined)
  return isOwn ? column : { ...column, field: null }
}

async function* chunkOf(bytes: Uint8Array): Source {
  yield bytes
}

function recogniseTable({ has }: CsvFile): ImportFormat {
  const program = FOREIGN_FORMATS.find((format) =>
    csvFormats[format].requiredColumns.every((names) => names.some(has)),
  )
  return program ?? 'csv'
}

/** Finds the first format that can read an entry. */
async function recogniseJson(start: Uint8Array, first: '{' | '['): Promise<ImportFormat> {
  for (const format of FOREIGN_FORMATS) {
    const { listPath = [], fieldsOf }: FileFormat = csvFormats[format]
    for await (const entry of readJsonObjects(chunkOf(start), listPath)) {
      if ('value' in entry && isLink(fieldsOf, cellsOfObject(entry.value))) return format
      break
    }
  }
  return first === '{' ? 'ndjson' : 'shrtnr'
}

function isLink(fieldsOf: FileFormat['fieldsOf'], cells: Cells): boolean {
  try {
    return fieldsOf(cells, 0).url !== undefined
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Columns without a name and repeated ones cannot be mapped, because fields are read by name. */
function inspectColumns(names: readonly string[], records: readonly Cells[]): InspectedColumn[] {
  const keys = names.map(columnKey)
  const columns = names.filter((_, at) => keys[at] !== '' && keys.indexOf(keys[at] ?? '') === at)
  const fields = suggestFields(columns)
  return columns.map((name, at) => {
    const cells = records.map((record) => record(name)?.trim() ?? '')
    const samples = cells.filter((cell) => cell !== '').map((cell) => cell.slice(0, MAX_SAMPLE_LENGTH))
    return { name, samples, field: fields[at] ?? null }
  })
}
