import { withSavepoint } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import { addMembers } from '../../bundles/store.ts'
import type { Context } from '../../api/context.ts'
import type { Tx } from '../../db/tables.ts'
import { errorCodeOf, failure } from '../../api/failures.ts'
import { yieldToRedirects } from '../../bulk/pace.ts'
import type { ChangeRow } from '../list.ts'
import { lockSubjects } from '../../changes/states.ts'
import { undoBundle } from './bundle.ts'
import { undoLink } from './link.ts'
import { lockForUndo } from './lock.ts'
import { undoMembership } from './membership.ts'
import type { RemainingChange, UndoResult } from './schema.ts'
import { type Step, planSteps } from './steps.ts'
import type { UndoRun } from './run.ts'

/**
 * Writes the reverse of these changes, where nothing was changed since, and lists the others. What
 * the caller may not write stays.
 */
export async function undoRows(
  tx: Tx,
  context: Context,
  { rows, isForAll }: { rows: readonly ChangeRow[]; isForAll: boolean },
): Promise<UndoResult> {
  const run: UndoRun = { tx, context, isForAll, memberships: [] }
  context.costs.ofAttempt().count(rows.length)
  await lockForUndo(tx, context.database.dialect, rows)
  const { steps, later } = await planSteps(tx, rows)
  const refusals = await undoSteps(run, steps)
  await restoreMemberships(run)
  return {
    undone: steps.length - refusals.size,
    remaining: [
      ...[...refusals].map(([step, refusal]) => toRemaining(step.rows[0], refusal)),
      ...later.map((row) => toRemaining(row, failure('later_change'))),
    ],
  }
}

/**
 * Undoes the steps, the latest first, and those that were refused again as long as others succeed:
 * a slug may become free, and a link may come back. Returns the refusals that stay.
 */
async function undoSteps(run: UndoRun, steps: readonly Step[]): Promise<Map<Step, Failure>> {
  let refusals = new Map<Step, Failure>()
  for (let pending = steps; pending.length > 0; pending = [...refusals.keys()]) {
    refusals = new Map()
    for (const [at, step] of pending.entries()) {
      await yieldToRedirects(run.context.database, at)
      await withSavepoint(run.tx, () => undoStep(run, step)).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
        refusals.set(step, error)
      })
    }
    if (refusals.size === pending.length) break
  }
  return refusals
}

async function undoStep(run: UndoRun, { linkId, bundleId, rows }: Step): Promise<void> {
  if (linkId !== null && bundleId !== null)
    await undoMembership(run, { link_id: linkId, bundle_id: bundleId }, rows)
  else if (linkId !== null) await undoLink(run, linkId, rows)
  else if (bundleId !== null) await undoBundle(run, bundleId, rows)
}

async function restoreMemberships({ tx, context, memberships }: UndoRun): Promise<void> {
  const { links, bundles } = await lockSubjects(tx, context.database.dialect, {
    links: memberships.map((pair) => pair.link_id),
    bundles: memberships.map((pair) => pair.bundle_id),
  })
  const possible = memberships.filter((pair) => links.has(pair.link_id) && bundles.has(pair.bundle_id))
  await addMembers(tx, possible)
}

function toRemaining(row: ChangeRow | undefined, refusal: Failure): RemainingChange {
  if (!row) throw new Error('A step without a change')
  const { kind, link_id, bundle_id } = row
  return { kind, link_id, bundle_id, code: errorCodeOf(refusal), reason: refusal.message }
}
