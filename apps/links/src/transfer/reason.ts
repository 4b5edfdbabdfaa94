import { TOO_DEEP, TOO_LONG, findExcess } from '@latchkey/database/json-excess'
import { Failure } from '@latchkey/http/failure'
import { z } from 'zod'

/** Features of links in other programs that an import may have to drop. */
const featureNames = {
  valid_since: 'start date',
  max_visits: 'click limit',
  forward_query: 'forwarding of query parameters',
  ios: 'destination for iOS',
  android: 'destination for Android',
  geo: 'destinations by country',
  expired_url: 'destination after expiry',
  rules: 'redirect rules',
  split: 'split between destinations',
  region: 'destinations by region',
  cloaking: 'cloaking',
} as const
export type ForeignFeature = keyof typeof featureNames

/** The closed list of codes of reasons (L25.7). */
export const reasonCodes = [
  // The link exists, or its slug does.
  'slug_exists',
  'url_exists',
  'slug_taken',
  'slug_not_owned',
  'slug_not_alone',
  // The link differs from the file.
  'owner_changed',
  'auto_slug_changed',
  'slug_renamed',
  'slug_overwritten',
  'features_dropped',
  'field_cut',
  'field_dropped',
  'domain_dropped',
  'password_unknown',
  'link_disabled',
  'slug_case',
  // The row is invalid.
  'url_required',
  'url_invalid',
  'slug_required',
  'slug_invalid',
  'domain_unknown',
  'too_many_slugs',
  'redirect_loop',
  'too_many_hops',
  'field_too_long',
  'field_malformed',
  'time_invalid',
  'field_invalid',
  // The row cannot be read.
  'field_count',
  'not_json',
  'not_utf8',
  'too_long',
  'too_deep',
  'too_many_values',
  // The file cannot be read, or not to its end.
  'file_empty',
  'file_not_utf8',
  'file_malformed',
  'file_unsupported',
  'column_missing',
  'too_many_columns',
  'entries_missing',
  'quote_not_closed',
  'json_truncated',
] as const
export type ReasonCode = (typeof reasonCodes)[number]

/** Kinds of files that are recognised, and refused with what to export instead. */
const unsupportedKinds = {
  bookmarks:
    'the file has bookmarks of a browser, which have no slugs: make a CSV file of it with the columns url and label',
  html: 'the file is a web page, perhaps one that asks to sign in: download the export again, as CSV or JSON',
  sql: 'the file is a dump in SQL: export the table of links as CSV with the names of its columns in the first line (phpMyAdmin: Export, Custom, CSV)',
  zip: 'the file is a spreadsheet or an archive: save the table as CSV, or unpack the archive',
  gzip: 'the file is compressed: unpack it first',
  sqlite:
    'the file is an SQLite database: export its table of links as CSV with the names of its columns in the first line',
} as const
export type UnsupportedKind = keyof typeof unsupportedKinds

/** A reason for clients: its code, and the values that a text about it needs. */
export const CodedReason = z.object({
  code: z.enum(reasonCodes),
  field: z.string().exactOptional().meta({ description: 'The field, such as `label` or `tags.0`.' }),
  slug: z.string().exactOptional(),
  new_slug: z.string().exactOptional(),
  domain: z.string().exactOptional(),
  url: z.string().exactOptional().meta({ description: 'The destination that the slug has or had.' }),
  owner: z.string().exactOptional(),
  features: z.array(z.enum(Object.keys(featureNames) as ForeignFeature[])).exactOptional(),
  max: z.int().exactOptional(),
  fields: z.int().exactOptional().meta({ description: 'The number of fields.' }),
  expected: z.int().exactOptional(),
  missing: z.array(z.string()).exactOptional().meta({ description: 'Columns, one of which is required.' }),
  columns: z.array(z.string()).exactOptional(),
  kind: z.enum(Object.keys(unsupportedKinds) as UnsupportedKind[]).exactOptional(),
  other_slug: z.string().exactOptional().meta({ description: 'The slug that it differs from only in case.' }),
})
export type CodedReason = z.output<typeof CodedReason>

/** The reason for the result of a row, or a difference between its link and the file. */
export interface Reason extends CodedReason {
  /** English. */
  text: string
}

export function featuresDropped(features: ForeignFeature[]): Reason {
  const names = features.map((feature) => featureNames[feature])
  return { code: 'features_dropped', features, text: `not imported: ${names.join(', ')}` }
}

export function fieldDropped(field: string): Reason {
  return { code: 'field_dropped', field, text: `${field}: is not valid, and was left out` }
}

export function fieldCut(field: string, max: number): Reason {
  return { code: 'field_cut', field, max, text: `${field}: was cut to ${max}` }
}

export const PASSWORD_UNKNOWN: Reason = {
  code: 'password_unknown',
  text: 'its password could not be imported: the link stays locked until its owner sets a new one',
}

export const LINK_DISABLED: Reason = {
  code: 'link_disabled',
  text: 'what limits its visitors is not valid: the link is disabled until its owner enables it',
}

export function fileUnsupported(kind: UnsupportedKind): Reason {
  return { code: 'file_unsupported', kind, text: unsupportedKinds[kind] }
}

export const NOT_UTF8: Reason = { code: 'not_utf8', text: 'is not UTF-8 text' }
export const FILE_NOT_UTF8: Reason = {
  code: 'file_not_utf8',
  text: `the file ${NOT_UTF8.text}; save it as UTF-8`,
}
export const NOT_JSON: Reason = { code: 'not_json', text: 'is not a JSON object' }
export const ENTRY_TOO_LONG: Reason = { code: 'too_long', text: TOO_LONG }
export const ENTRY_TOO_DEEP: Reason = { code: 'too_deep', text: TOO_DEEP }

/** Returns the limit that the JSON text of an entry exceeds; undefined if it exceeds none. */
export function findExcessReason(text: string): Reason | undefined {
  const excess = findExcess(text)
  if (excess === undefined) return undefined
  const limitReason = [ENTRY_TOO_LONG, ENTRY_TOO_DEEP].find((reason) => reason.text === excess)
  return limitReason ?? { code: 'too_many_values', text: excess }
}

/** Creates the failure of a row that cannot be stored. */
export function refuseRow(reason: Reason): RowRefusal {
  return new RowRefusal(reason)
}

export class RowRefusal extends Failure {
  readonly reason: Reason

  constructor(reason: Reason) {
    super('invalid_request', { status: 400, text: reason.text })
    this.reason = reason
  }
}
