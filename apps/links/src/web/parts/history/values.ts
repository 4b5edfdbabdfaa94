import type { Result } from '../../call.ts'
import type { OwnKey } from '../../texts/index.ts'

export type Change = Result<'listChanges'>[number]

/** The fields with names, in the order of their display. */
const FIELDS = [
  'url',
  'name',
  'label',
  'description',
  'primary_slug',
  'slugs',
  'legacy_paths',
  'domain',
  'expires_at',
  'disabled_at',
  'archived_at',
  'behaviour',
  'password',
  'created_by',
  'icon',
  'accent',
  'share',
  'bundles',
  'links',
  'links_omitted',
] as const
type Field = (typeof FIELDS)[number]

/** Fields that follow from the change itself. */
const OF_CHANGE: ReadonlySet<string> = new Set(['created_at', 'created_via'])

export interface ValueChange {
  field: Field
  name: OwnKey
  /** Undefined for a value that is not shown, such as that before a creation. */
  before: unknown
  after: unknown
}

/**
 * The values that a change replaced, and their replacements. Unset values of a creation or deletion
 * are left out.
 */
export function valueChangesOf({ before, after }: Pick<Change, 'before' | 'after'>): ValueChange[] {
  const others = Object.keys({ ...before, ...after }).filter(
    (field) => !OF_CHANGE.has(field) && !(FIELDS as readonly string[]).includes(field),
  )
  return [...FIELDS, ...(others as Field[])].flatMap((field) => {
    const [old, current] = [before?.[field], after?.[field]]
    if (isUnset(old) && isUnset(current)) return []
    return [{ field, name: `history.field.${field}` as const, before: old, after: current }]
  })
}

/**
 * True also for an empty list: the slugs of a link that a plan creates are chosen when it is
 * applied.
 */
export const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
