import type { AnyOperation } from '@latchkey/http/operation'
import { bundleOperations } from '../bundles/operations.ts'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { historyOperations } from '../history/operations.ts'
import { behaviourOperations } from '../links/behaviour/operations.ts'
import { bulkOperations } from '../bulk/operations.ts'
import { LinkId } from '../api/fields.ts'
import { linkOperations } from '../links/operations.ts'
import { slugOperations } from '../links/slugs/operations.ts'
import { ownershipOperations } from '../ownership/operations.ts'
import type { Op } from './schema.ts'

const candidates: readonly AnyOperation<Context>[] = [
  ...linkOperations,
  ...bulkOperations,
  ...behaviourOperations,
  ...slugOperations,
  ...bundleOperations,
  ...ownershipOperations,
  ...historyOperations,
]

/** The operations of a plan by their ids: those that write links or bundles. */
export const plannableOperations: ReadonlyMap<string, AnyOperation<Context>> = new Map(
  candidates.filter(({ scope }) => scope === 'create').map((operation) => [operation.id, operation]),
)

/** Throws if the operation may not be part of a plan. */
export function requirePlannable({ operation: id, body }: Op): AnyOperation<Context> {
  const operation = plannableOperations.get(id)
  if (!operation) throw failure('operation_not_plannable')
  // Plans are stored, and passwords are stored as hashes only.
  if (typeof body?.['password'] === 'string') throw failure('password_not_plannable')
  return operation
}

/** The links and bundles that operations name by ids that are known before them. */
export function subjectsOf(ops: readonly Op[]): { links: number[]; bundles: number[] } {
  const named = ops.map(({ operation: id, params, body }) => {
    const path = plannableOperations.get(id)?.path ?? ''
    return {
      links: [path.startsWith('/links/') ? params?.['id'] : body?.['link_id'], body?.['ids']].flat(),
      bundles: [path.startsWith('/bundles/') ? params?.['id'] : undefined],
    }
  })
  return {
    links: named.flatMap(({ links }) => links).flatMap(toId),
    bundles: named.flatMap(({ bundles }) => bundles).flatMap(toId),
  }
}

function toId(value: unknown): number[] {
  const isId = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value))
  const { data } = LinkId.safeParse(isId ? Number(value) : undefined)
  return data === undefined ? [] : [data]
}

/** A field whose object stands for the id of what an earlier operation creates. */
const REFERENCE = '$op'

/** Replaces references in `params` and `body` with the ids in these results. */
export function resolveReferences({ params, query, body }: Op, results: readonly unknown[]) {
  return { params: resolve(params, results), query, body: resolve(body, results) } as {
    params?: object | undefined
    query?: object | undefined
    body?: object | undefined
  }
}

function resolve(value: unknown, results: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, results))
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value)
  if (keys.length === 1 && keys[0] === REFERENCE)
    return idOf(results, (value as { [REFERENCE]: unknown })[REFERENCE])
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner, results)]))
}

function idOf(results: readonly unknown[], at: unknown): number {
  const { id } = ((typeof at === 'number' ? results[at] : undefined) ?? {}) as { id?: unknown }
  if (typeof id !== 'number') throw failure('reference_unknown')
  return id
}
