import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { trackPlan } from '../changes/change-tracker.ts'
import { readPlanChanges } from '../history/list.ts'
import { undoRows } from '../history/undo/undo.ts'
import type { UndoResult } from '../history/undo/schema.ts'
import { requireOwnPlan } from './apply.ts'
import { type PlanRow, updatePlan } from './store.ts'

/** Undoes a plan in one transaction, as far as nothing was changed since. */
export async function undoAppliedPlan(context: Context, id: number): Promise<UndoResult & { row: PlanRow }> {
  await context.flushClicks()
  return context.database.write(async (tx) => {
    const plan = await requireOwnPlan(tx, context, id)
    if (plan.state !== 'applied') throw failure('plan_not_applied')
    trackPlan(tx, id)
    const rows = await readPlanChanges(tx, id)
    if (rows.length < plan.change_count) throw failure('plan_history_deleted')
    const undo = await undoRows(tx, context, { rows, isForAll: false })
    // A plan of which nothing was undone stays applied, and can be undone later.
    const isUndone = undo.undone > 0 || rows.length === 0
    const row = isUndone ? await updatePlan(tx, id, { state: 'undone', undone_at: context.now }) : plan
    return { ...undo, row }
  })
}
