import type { Result } from '../../call.ts'
import type { OwnKey } from '../../texts/index.ts'

export type Change = Result<'listChanges'>[number]

/** The fields on display, in their order. */
const FIELDS = [
  'url',
  'name',
  'label',
  'description',
  'primary_slug',
  'slugs',
  'expires_at',
  'disabled_at',
  'archived_at',
  'behaviour',
  'password',
  'created_by',
  'icon',
  'accent',
  'share',
] as const
type Field = (typeof FIELDS)[number]

export interface ValueChange {
  field: Field
  name: OwnKey
  /** Undefined for a value that is not shown, such as that before a creation. */
  before: unknown
  after: unknown
}

/** What a change replaced, by what. Of a creation and a deletion only the values that are set. */
export function valueChangesOf({ before, after }: Pick<Change, 'before' | 'after'>): ValueChange[] {
  return FIELDS.flatMap((field) => {
    const [old, current] = [before?.[field], after?.[field]]
    if ([old, current].every(isUnset)) return []
    return [{ field, name: `history.field.${field}` as const, before: old, after: current }]
  })
}

/** True as well for no slugs: those of a link that a plan creates are chosen when it is applied. */
const isUnset = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

/** Texts of strangers, which are quoted. */
const QUOTED: ReadonlySet<string> = new Set<Field>(['name', 'label', 'description'])
const TIMES: ReadonlySet<string> = new Set<Field>(['expires_at', 'disabled_at', 'archived_at'])

/** Long enough for usual URLs. The values are texts of strangers, and must not fill the page. */
const MAX_LENGTH = 160

/** A value as text; undefined for none. */
export function textOfValue(
  field: Field,
  value: unknown,
  { moment, set }: { moment: (seconds: number) => string; set: string },
): string | undefined {
  if (value === null || value === undefined) return undefined
  if (TIMES.has(field) && typeof value === 'number') return moment(value)
  if (field === 'password' || field === 'share') return set
  const text =
    field === 'slugs'
      ? (value as { slug: string }[]).map(({ slug }) => slug).join(', ')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
  if (text === '') return undefined
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
  return QUOTED.has(field) ? `“${short}”` : short
}
