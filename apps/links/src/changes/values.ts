/** The values of a link or a bundle by field. A field without a value is absent. */
export type Values = Readonly<Record<string, unknown>>

/** The values that a row of history has as JSON. */
export function parseValues(json: string | null | undefined): Values | null {
  return json ? (JSON.parse(json) as Values) : null
}

/**
 * The values that a write replaced and their replacements: null before a creation and after a
 * deletion.
 */
export interface Difference {
  before: Values | null
  after: Values | null
}

/** Fields of secrets. History has only the fact that one is set. */
const SECRETS: ReadonlySet<string> = new Set(['password', 'share'])
/** Lists, whose items are compared one by one, and what distinguishes an item. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['slugs', 'slug'],
  ['legacy_paths', 'path'],
])
/** Fields that a creation and a deletion have, and no other change: they have changes of their own. */
const WHOLE_ONLY: ReadonlySet<string> = new Set(['bundles', 'links', 'links_omitted'])

/**
 * Returns what differs between two states, complete if there is only one of them; undefined if
 * nothing does.
 */
export function findDifference(
  before: Values | undefined,
  after: Values | undefined,
): Difference | undefined {
  if (!before && !after) return undefined
  if (!before || !after) return { before: redactSecrets(before), after: redactSecrets(after) }
  const difference = compare(before, after)
  if (!difference) return undefined
  return { before: redactSecrets(difference.before), after: redactSecrets(difference.after) }
}

/** Returns the fields that differ. A value that only one side has is null on the other. */
function compare(before: Values, after: Values): { before: Values; after: Values } | undefined {
  const old: Record<string, unknown> = {}
  const current: Record<string, unknown> = {}
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (WHOLE_ONLY.has(field) || Bun.deepEquals(before[field], after[field])) continue
    const isList = LISTS.has(field)
    old[field] = isList ? without(field, before, after) : (before[field] ?? null)
    current[field] = isList ? without(field, after, before) : (after[field] ?? null)
  }
  return Object.keys(old).length === 0 ? undefined : { before: old, after: current }
}

function itemsOf(field: string, values: Values): readonly Values[] {
  return (values[field] ?? []) as readonly Values[]
}

/** The items of a list that are not the same in the list of the other values. */
function without(field: string, values: Values, others: Values): Values[] {
  const key = LISTS.get(field) ?? ''
  const same = new Map(itemsOf(field, others).map((item) => [item[key], item]))
  return itemsOf(field, values).filter((item) => !Bun.deepEquals(item, same.get(item[key])))
}

/** The values with secrets replaced by the fact that they are set. */
export function redactSecrets(values: Values | undefined): Values | null {
  if (!values) return null
  const entries = Object.entries(values)
  return Object.fromEntries(
    entries.map(([field, value]) => [field, SECRETS.has(field) && value !== null ? 'set' : value]),
  )
}

/** Returns the state before a change of this state. */
export function revert(state: Values | null, { before, after }: Difference): Values | null {
  if (before === null || after === null || state === null) return before
  const values: Record<string, unknown> = { ...state }
  for (const [field, value] of Object.entries(before))
    if (LISTS.has(field)) {
      const key = LISTS.get(field) ?? ''
      const changed = new Set(itemsOf(field, after).map((item) => item[key]))
      const unchanged = itemsOf(field, state).filter((item) => !changed.has(item[key]))
      values[field] = [...unchanged, ...itemsOf(field, before)]
    } else if (value === null) delete values[field]
    else values[field] = value
  return values
}
