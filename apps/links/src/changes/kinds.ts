import type { Difference } from './values.ts'

export const changeKinds = [
  'link.created',
  'link.updated',
  'link.disabled',
  'link.enabled',
  'link.transferred',
  'link.deleted',
  'bundle.created',
  'bundle.updated',
  'bundle.archived',
  'bundle.unarchived',
  'bundle.transferred',
  'bundle.deleted',
  'bundle.link_added',
  'bundle.link_removed',
] as const
export type ChangeKind = (typeof changeKinds)[number]

export function linkKind(difference: Difference): ChangeKind {
  return `link.${verbOf(difference, { field: 'disabled_at', verbs: ['disabled', 'enabled'] })}`
}

export function bundleKind(difference: Difference): ChangeKind {
  return `bundle.${verbOf(difference, { field: 'archived_at', verbs: ['archived', 'unarchived'] })}`
}

/** A difference of `field` alone switches the thing off or on. */
function verbOf<Off extends string, On extends string>(
  { before, after }: Difference,
  { field, verbs: [off, on] }: { field: string; verbs: [Off, On] },
) {
  if (before === null) return 'created'
  if (after === null) return 'deleted'
  if ('created_by' in after) return 'transferred'
  const isSwitch = Object.keys(after).length === 1 && field in after
  if (isSwitch && before[field] === null) return off
  return isSwitch && after[field] === null ? on : 'updated'
}
