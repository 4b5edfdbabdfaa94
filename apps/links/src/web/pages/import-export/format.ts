import type { Input } from '../../call.ts'

export type Format = NonNullable<NonNullable<Input<'importLinks'>['query']>['format']>

export const formats: readonly Format[] = [
  'csv',
  'ndjson',
  'shrtnr',
  'yourls',
  'kutt',
  'shlink',
  'bitly',
  'dub',
]

/** Columns that identify the program of a file, in lower case without blanks and underscores. */
const SIGNATURES: readonly (readonly [format: Format, requiredColumn: string, oneOf: readonly string[]])[] = [
  ['yourls', 'keyword', ['url']],
  ['kutt', 'target', ['address']],
  ['bitly', 'longurl', ['bitlink', 'link', 'customback-half', 'customback-halves', 'custombitlink']],
  ['shlink', 'longurl', ['shortcode', 'shorturl']],
  ['dub', 'destinationurl', ['shortlink']],
]

/** Guesses the format of a file from its beginning. */
export function guessFormat(head: string): Format {
  const [first = ''] = head
    .replace(/^\ufeff/, '')
    .trimStart()
    .split(/[\r\n]/)
  if (first.startsWith('{')) return 'ndjson'
  const columns = first.split(/[,;\t]/).map((name) => name.replaceAll(/["\s_]/g, '').toLowerCase())
  const signature = SIGNATURES.find(
    ([, requiredColumn, oneOf]) =>
      columns.includes(requiredColumn) && oneOf.some((name) => columns.includes(name)),
  )
  return signature?.[0] ?? 'csv'
}
