import type { Database } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { Context } from '../api/context.ts'
import type { Tables, Tx } from '../db/tables.ts'
import { failure, failures } from '../api/failures.ts'
import { readNewChanges, trackPlan } from '../changes/change-tracker.ts'
import {
  type SubjectVersions,
  lockSubjects,
  readBundleStates,
  readLinkStates,
  versionsOf,
} from '../changes/states.ts'
import { isSameDiff, normalizeDiff, toPlanChange } from './diff.ts'
import { performOps, reserveCosts } from './perform-ops.ts'
import type { Op, PlanChange } from './schema.ts'
import { type PlanRow, lockPlan, stateOf, updatePlan } from './store.ts'

/** Returns the locked plan of the caller. Throws 404 for any other. */
export async function requireOwnPlan(tx: Tx, { database, identity }: Context, id: number): Promise<PlanRow> {
  const row = await lockPlan(tx, database, id)
  if (row?.identity !== identity) throw failure('plan_not_found')
  return row
}

/** Returns the locked plan of the caller if it can still be applied. */
export async function requireOpenPlan(tx: Tx, context: Context, id: number): Promise<PlanRow> {
  const row = await requireOwnPlan(tx, context, id)
  if (stateOf(row, context.now) !== 'open') throw failure('plan_not_open')
  return row
}

/** The refusal of a plan that only the person can apply, on the page at this address. */
export class PlanNeedsPerson extends Failure {
  readonly address: string

  constructor(origin: string, planId: number) {
    const address = `${origin}/_/admin/plans/${planId}`
    const code = 'policy_confirmation_needed'
    super(code, { status: failures[code].status, text: `A person must apply this plan: ${address}` })
    this.address = address
  }
}

/**
 * Applies a plan in one transaction: all of it, or nothing if anything that it depends on was
 * changed since. Every way to apply a plan leads here.
 */
export async function applyStoredPlan(context: Context, id: number): Promise<PlanRow> {
  try {
    return await applyInTransaction(context, id)
  } catch (error) {
    if (error instanceof Failure && error.code === 'policy_confirmation_needed')
      throw new PlanNeedsPerson(context.origin, id)
    throw error
  }
}

async function applyInTransaction(context: Context, id: number): Promise<PlanRow> {
  const isFlushed = await context.flushClicks()
  let startEffects: (() => void) | undefined
  const applied = await context.database.write(async (tx) => {
    startEffects = undefined
    const row = await requireOpenPlan(tx, context, id)
    trackPlan(tx, id)
    const ops = JSON.parse(row.ops) as Op[]
    reserveCosts(context, ops)
    await requireVersions(tx, context.database, JSON.parse(row.versions) as SubjectVersions)
    const performance = await performOps(tx, context, ops, isFlushed)
    const diff = (await readNewChanges(tx)).map(toPlanChange)
    if (!isSameDiff(normalizeDiff(diff), JSON.parse(row.diff) as PlanChange[])) throw failure('plan_outdated')
    startEffects = performance.startEffects
    // History has the diff from now on, with the real changes.
    const plan = await updatePlan(tx, id, { state: 'applied', applied_at: context.now, diff: '[]' })
    return { ...plan, diff: JSON.stringify(diff) }
  })
  startEffects?.()
  return applied
}

/** Throws unless everything still has the version that the plan depends on, and locks it. */
async function requireVersions(
  tx: Tx,
  { dialect }: Pick<Database<Tables>, 'dialect'>,
  versions: SubjectVersions,
): Promise<void> {
  const linkIds = Object.keys(versions.links).map(Number)
  const bundleIds = Object.keys(versions.bundles).map(Number)
  await lockSubjects(tx, dialect, { links: linkIds, bundles: bundleIds })
  const present = versionsOf(
    await readLinkStates(tx, dialect, linkIds),
    await readBundleStates(tx, dialect, bundleIds),
  )
  if (!Bun.deepEquals(present, versions)) throw failure('plan_outdated')
}
