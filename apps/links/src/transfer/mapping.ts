import { unescapeFormulas } from '@latchkey/http/csv'
import { z } from 'zod'
import { columnKey } from './csv.ts'
import { CLICK_TOTALS, type FileFormat, ownFormat, wholePath } from './csv-formats.ts'

/** The fields of a plain CSV file that columns can be mapped to. */
export const mappableFields = [
  'url',
  'slug',
  'domain',
  'label',
  'created_at',
  'expires_at',
  'disabled_at',
  'created_by',
  'auto_slug',
  'custom_slugs',
  'disabled_slugs',
  'behaviour',
  'tags',
  'clicks',
] as const
export type MappableField = (typeof mappableFields)[number]

/**
 * The column of each field. A field without an entry is read from the column with its own name, and
 * one with an empty text from none.
 */
export type ColumnMapping = Readonly<Partial<Record<MappableField, string>>>

/** Splits `FIELD=COLUMN`. Names of columns may contain `=`. */
function splitPair(pair: string): [field: string, column: string | undefined] {
  const [field = '', ...column] = pair.split('=')
  return [field.trim(), column.length === 0 ? undefined : column.join('=').trim()]
}

const isMappable = (field: string): field is MappableField =>
  (mappableFields as readonly string[]).includes(field)

function findPairProblem(pairs: readonly string[]): string | undefined {
  const fields = new Set<string>()
  for (const pair of pairs) {
    const [field, column] = splitPair(pair)
    if (column === undefined) return `${JSON.stringify(pair)} is not FIELD=COLUMN`
    if (!isMappable(field)) return `${JSON.stringify(field)} is not one of: ${mappableFields.join(', ')}`
    if (fields.has(field)) return `${field} can be mapped to one column only`
    fields.add(field)
  }
  return undefined
}

/** A mapping as a list of `FIELD=COLUMN`, of the command line and of the API. */
export const MappingPairs = z.array(z.string()).superRefine((pairs, context) => {
  const message = findPairProblem(pairs)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

/** `pairs` are valid `MappingPairs`. */
export function mappingOf(pairs: readonly string[]): ColumnMapping {
  return Object.fromEntries(pairs.map(splitPair))
}

/**
 * Creates the format of a plain CSV file with mapped columns. A slug may then be a whole short URL.
 */
export function mappedFormat(columnOf: ColumnMapping): FileFormat {
  const plain = ownFormat(unescapeFormulas)
  const columns = Object.values({ url: 'url', ...columnOf }).filter((column) => column !== '')
  const columnFor = (field: string): string => {
    // Several names mean a total of clicks, and only mapped ones count.
    if (columnOf.clicks !== undefined && CLICK_TOTALS.includes(field))
      return field === 'clicks' ? columnOf.clicks : ''
    return isMappable(field) ? (columnOf[field] ?? field) : field
  }
  return {
    requiredColumns: columns.map((column) => [column]),
    fieldsOf: (cells, now) =>
      plain.fieldsOf((field) => {
        const column = columnFor(field)
        const cell = column === '' ? undefined : cells(column)
        // An address without a path is no slug, and is refused unchanged.
        return field === 'slug' ? wholePath(cell) || cell : cell
      }, now),
  }
}

/** Other common names of columns, in lower case without blanks, underscores and hyphens. */
const SYNONYMS: Readonly<Partial<Record<MappableField, readonly string[]>>> = {
  url: ['destination', 'destinationurl', 'target', 'targeturl', 'longurl', 'longlink', 'originalurl'],
  slug: [
    'slashtag',
    'shorturl',
    'shortlink',
    'shortcode',
    'backhalf',
    'alias',
    'keyword',
    'key',
    'code',
    'path',
  ],
  label: ['title', 'name', 'description'],
  created_at: ['created', 'createdon', 'createddate', 'datecreated', 'creationdate', 'timestamp', 'date'],
  expires_at: ['expires', 'expiry', 'expirydate', 'expiration', 'expirationdate', 'validuntil'],
  created_by: ['owner', 'creator', 'author', 'user'],
  tags: ['tag', 'labels', 'category', 'categories'],
  clicks: CLICK_TOTALS.map(columnKey),
}

/**
 * Suggests the field of each column by its name. A field is suggested once: for the column with its
 * own name, else for the first one with another name for it.
 */
export function suggestFields(columns: readonly string[]): (MappableField | null)[] {
  const keys = columns.map(columnKey)
  const fieldAt = new Map<number, MappableField>()
  for (const field of mappableFields) {
    const names = [columnKey(field), ...(SYNONYMS[field] ?? [])]
    const exact = keys.indexOf(columnKey(field))
    const at = exact === -1 ? keys.findIndex((key, n) => names.includes(key) && !fieldAt.has(n)) : exact
    if (at !== -1) fieldAt.set(at, field)
  }
  return columns.map((_, at) => fieldAt.get(at) ?? null)
}
