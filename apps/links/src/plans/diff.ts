import type { NewChange } from '../changes/store.ts'
import { type Values, parseValues } from '../changes/values.ts'
import type { PlanChange } from './schema.ts'

export function toPlanChange({ kind, link_id, bundle_id, ...change }: NewChange): PlanChange {
  return {
    kind,
    link_id: link_id ?? null,
    bundle_id: bundle_id ?? null,
    before: parseValues(change.before_values),
    after: parseValues(change.after_values),
  }
}

/**
 * The changes without what differs each time they are made: ids and automatic slugs of what is
 * created. The ids become negative.
 */
export function normalizeDiff(changes: readonly PlanChange[]): PlanChange[] {
  const linkId = numberCreated(
    changes.filter(({ before }) => before === null).map((change) => change.link_id),
  )
  const bundleId = numberCreated(
    changes.filter(({ before }) => before === null).map((change) => change.bundle_id),
  )
  return changes.map(({ kind, link_id, bundle_id, before, after }) => ({
    kind,
    link_id: link_id === null ? null : linkId(link_id),
    bundle_id: bundle_id === null ? null : bundleId(bundle_id),
    before,
    after: before === null && after && link_id !== null ? withoutChosen(after, bundleId) : after,
  }))
}

function numberCreated(ids: readonly (number | null)[]): (id: number) => number {
  const created = [...new Set(ids.filter((id) => id !== null))].toSorted((a, b) => a - b)
  const numbers = new Map(created.map((id, at) => [id, -1 - at]))
  return (id) => numbers.get(id) ?? id
}

interface CreatedValues extends Values {
  slugs?: readonly { slug: string; is_custom: number }[]
  bundles?: readonly number[]
  primary_slug?: string
}

function withoutChosen(values: CreatedValues, bundleId: (id: number) => number): Values {
  const { slugs = [], bundles, primary_slug: primary, ...rest } = values
  const custom = slugs.filter((slug) => slug.is_custom === 1)
  return {
    ...rest,
    ...(custom.some(({ slug }) => slug === primary) && { primary_slug: primary }),
    slugs: custom,
    ...(bundles && { bundles: bundles.map(bundleId) }),
  }
}

/** Times at which something happened. They differ in each dry run. */
const EVENT_TIMES: ReadonlySet<string> = new Set(['created_at', 'disabled_at', 'archived_at'])
/** A person may apply the plan of a program. */
const CHANNEL_FIELD = 'created_via'

/** Whether two diffs are of the same changes, written at different times and through different channels. */
export function isSameDiff(one: readonly PlanChange[], other: readonly PlanChange[]): boolean {
  return Bun.deepEquals(one.map(withoutTimestamps), other.map(withoutTimestamps))
}

function withoutTimestamps(change: PlanChange): unknown {
  return JSON.parse(
    JSON.stringify({ ...change, before: null, after: change.after }, (field, value: unknown) =>
      field === CHANNEL_FIELD || (EVENT_TIMES.has(field) && typeof value === 'number') ? 0 : value,
    ),
  )
}
