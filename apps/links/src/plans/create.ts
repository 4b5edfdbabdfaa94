import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { insertEvents } from '../events/store.ts'
import { readNewChanges, readTrackedVersions } from '../changes/change-tracker.ts'
import { type SubjectVersions, lockSubjects } from '../changes/states.ts'
import { requireMayPlan } from '../policies/require-policy.ts'
import { normalizeDiff, toPlanChange } from './diff.ts'
import { performOps, reserveCosts } from './perform-ops.ts'
import { subjectsOf } from './plannable.ts'
import { makeRoom, requireRoom } from './room.ts'
import { LIFETIME_SECONDS, type Op, type PlanChange } from './schema.ts'
import { type PlanRow, insertPlan } from './store.ts'
import { findWarnings } from './warnings.ts'

interface DryRunResult {
  changes: PlanChange[]
  versions: SubjectVersions
  results: readonly unknown[]
}

/** Thrown to undo everything that the dry run of a plan has written. */
class DryRunEnded extends Error {
  override readonly name = 'DryRunEnded'
  readonly result: DryRunResult

  constructor(result: DryRunResult) {
    super('The dry run of a plan is undone')
    this.result = result
  }
}

/** Performs the operations, with all checks, in a transaction that is rolled back. */
async function dryRun(context: Context, ops: readonly Op[]): Promise<DryRunResult> {
  const isFlushed = await context.flushClicks()
  const run = async (tx: Tx) => {
    await lockSubjects(tx, context.database.dialect, subjectsOf(ops))
    const { results } = await performOps(tx, context, ops, isFlushed)
    const changes = (await readNewChanges(tx)).map(toPlanChange)
    throw new DryRunEnded({ changes, versions: await readTrackedVersions(tx), results })
  }
  try {
    return await context.database.write(run)
  } catch (error) {
    if (error instanceof DryRunEnded) return error.result
    throw error
  }
}

/** Stores a plan of operations that could all be performed now. */
export async function storePlan(
  context: Context,
  { title, ops }: { title?: string | undefined; ops: readonly Op[] },
): Promise<PlanRow> {
  await requireMayPlan(context.database.read, context.source)
  await requireRoom(context.database.read, context.source)
  reserveCosts(context, ops)
  const { changes, versions, results } = await dryRun(context, ops)
  const { database, identity, source, now } = context
  const diff = normalizeDiff(changes)
  const warnings = await findWarnings(database, { changes: diff, results, source })
  const documents = {
    ops: JSON.stringify(ops),
    diff: JSON.stringify(diff),
    warnings: JSON.stringify(warnings),
    versions: JSON.stringify(versions),
  }
  const bytes = Object.values(documents).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return database.write(async (tx) => {
    await makeRoom(tx, database, source, bytes)
    const plan = await insertPlan(tx, {
      title: title ?? null,
      state: 'open',
      identity,
      via: source.via,
      assistant: source.assistant?.id ?? null,
      assistant_name: source.assistant?.name ?? null,
      created_at: now,
      expires_at: now + LIFETIME_SECONDS,
      op_count: ops.length,
      change_count: diff.length,
      ...documents,
    })
    const data = { plan_id: plan.id, identity, via: source.via }
    await insertEvents(tx, database.dialect, [{ type: 'plan.pending', at: now, data }])
    return plan
  })
}
