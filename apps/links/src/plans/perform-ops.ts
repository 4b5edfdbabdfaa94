import { Failure, transportFailure } from '@latchkey/http/failure'
import { type Input, countItems } from '@latchkey/http/operation'
import type { Context } from '../api/context.ts'
import type { Costs } from '../api/costs.ts'
import type { Tx } from '../db/tables.ts'
import { failure, failureAt } from '../api/failures.ts'
import { joinTransaction } from '../api/join-transaction.ts'
import { yieldToRedirects } from '../bulk/pace.ts'
import { countLifetimeClicks } from '../links/store.ts'
import { keyOf, referenceOf } from '../links/slugs/reference.ts'
import { findSlug } from '../links/slugs/store.ts'
import { parseInput } from '../api/perform.ts'
import { plannableOperations, requirePlannable, resolveReferences } from './plannable.ts'
import { MAX_BULK_ITEMS, type Op } from './schema.ts'

/** Clicks that one operation of a plan deletes: more would hold up other writers for too long. */
const MAX_DELETED_CLICKS = 2_000

interface OpsResult {
  results: unknown[]
  /** What must only happen once the transaction is committed. */
  startEffects: () => void
}

/** Performs operations as parts of one transaction. Throws the first refusal, which names its operation. */
export async function performOps(
  tx: Tx,
  context: Context,
  ops: readonly Op[],
  isFlushed: boolean,
): Promise<OpsResult> {
  const { context: joined, startFetches } = joinTransaction(context, tx, isFlushed)
  const slugs: string[] = []
  const opContext: Context = {
    ...joined,
    // The headers of request and answer do not belong to the operations.
    ifMatch: null,
    headers: {},
    costs: limitItems(joined.costs),
    slugSpace: {
      findLength: (...args) => context.slugSpace.findLength(...args),
      recordSlug: (slug) => void slugs.push(slug),
    },
  }
  joined.costs.count(ops.length)
  const results: unknown[] = []
  for (const [at, op] of ops.entries()) {
    await yieldToRedirects(context.database, at)
    results.push(await performOp(tx, opContext, op, results).catch((error: unknown) => refuse(error, at)))
  }
  return {
    results,
    startEffects() {
      for (const slug of slugs) context.slugSpace.recordSlug(slug)
      startFetches()
    },
  }
}

async function performOp(tx: Tx, context: Context, op: Op, results: readonly unknown[]): Promise<unknown> {
  const operation = requirePlannable(op)
  const input = parseInput(operation, resolveReferences(op, results))
  if (input.query?.['force'] === true) await requireFewClicks(tx, context, input)
  return operation.handler(context, input)
}

function refuse(error: unknown, at: number): never {
  throw error instanceof Failure ? failureAt(error, `ops[${at}]`) : error
}

/** The costs of the bulk operations of one plan. */
function limitItems(costs: Costs): Costs {
  let total = 0
  return {
    ...costs,
    count(items) {
      total += items
      if (total > MAX_BULK_ITEMS)
        throw transportFailure('invalid_request', {
          text: `request: must have at most ${MAX_BULK_ITEMS} links in all bulk operations of a plan`,
        })
      costs.count(items)
    },
  }
}

/** Takes the costs of all operations, as far as they are known before these are performed. */
export function reserveCosts({ costs }: Pick<Context, 'costs'>, ops: readonly Op[]): void {
  const items = ops.map(({ operation: id, body }) => countItems(plannableOperations.get(id) ?? {}, body))
  costs.reserve(items.reduce((sum, each) => sum + each, ops.length))
}

async function requireFewClicks(tx: Tx, context: Context, { params = {}, query = {} }: Input): Promise<void> {
  if ((await countClicks(tx, context, params, query)) > MAX_DELETED_CLICKS)
    throw failure('too_many_clicks_to_plan')
}

/** The clicks of the link that an operation deletes, or of the slug that it removes. */
async function countClicks(
  tx: Tx,
  context: Context,
  { id, slug }: { id?: number; slug?: string },
  query: { domain?: string },
): Promise<number> {
  if (slug === undefined) return countLifetimeClicks(tx, id ?? 0)
  const key = await keyOf(context, referenceOf(context, { params: { id, slug }, query }))
  return (await findSlug(tx, key))?.clicks ?? 0
}
