import type { MappableField } from '../../../transfer/mapping.ts'
import type { Result } from '../../call.ts'
import type { OwnKey } from '../../texts/index.ts'

export type InspectedFile = Result<'inspectImport'>

/** The field of each column of the file; null if the column is ignored. */
export type ColumnFields = readonly (MappableField | null)[]

export const fieldTexts = {
  url: 'links.url',
  slug: 'transfer.slug',
  domain: 'domains.domain',
  label: 'transfer.label',
  created_at: 'link.created',
  expires_at: 'links.expires',
  disabled_at: 'transfer.disabledSince',
  created_by: 'links.owner',
  tags: 'transfer.tags',
  clicks: 'transfer.clickTotal',
  auto_slug: 'transfer.autoSlug',
  custom_slugs: 'transfer.moreSlugs',
  disabled_slugs: 'transfer.disabledSlugs',
  behaviour: 'transfer.behaviour',
} as const satisfies Record<MappableField, OwnKey>

export const mappableFields = Object.keys(fieldTexts) as MappableField[]

/** Whether the column has a field that another column has, too. */
export function isRepeated(fields: ColumnFields, at: number): boolean {
  const field = fields[at] ?? null
  return field !== null && fields.some((other, index) => index !== at && other === field)
}

/** Whether a file can be read with these fields: a destination, and one column for each field. */
export function isMapped(fields: ColumnFields): boolean {
  return fields.includes('url') && !fields.some((_, at) => isRepeated(fields, at))
}

/**
 * Returns the mapping for the server. Fields without a column are in it, so that no column is read
 * for its name alone.
 */
export function mappingPairs({ columns }: InspectedFile, fields: ColumnFields): string[] {
  return mappableFields.map((field) => `${field}=${columns[fields.indexOf(field)]?.name ?? ''}`)
}
