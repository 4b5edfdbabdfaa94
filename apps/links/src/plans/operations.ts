import type { Repetition } from '@latchkey/http/operation'
import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { IdParams } from '../api/fields.ts'
import { pageAnswer, pageHeaders } from '../api/paging.ts'
import { requireMayDiscard } from '../policies/require-policy.ts'
import { applyStoredPlan, requireOpenPlan } from './apply.ts'
import { storePlan } from './create.ts'
import { plannableOperations } from './plannable.ts'
import { BODY_LIMIT_BYTES, NewPlan, Plan, PlanSummary, PlanUndo, PlansQuery } from './schema.ts'
import type { Plan as PlanAnswer } from './schema.ts'
import { type PlanRow, findPlan, selectPlans, toPlan, toPlanSummary, updatePlan } from './store.ts'
import { undoAppliedPlan } from './undo.ts'

/** The refusals of the operations that a plan may have, without `If-Match` and few clicks. */
const opFailures = [...plannableOperations.values()]
  .flatMap(({ failures = [] }) => failures)
  .filter((code) => code !== 'link_changed' && code !== 'deletion_stopped')

const tag = 'Plans'
const path = '/plans/{id}'

function answerOf({ database: { read: db, dialect }, now }: Context, row: PlanRow): Promise<PlanAnswer> {
  return toPlan({ db, dialect }, row, now)
}

async function readVisiblePlan(context: Context, id: number): Promise<PlanAnswer> {
  const { database, identity, isAdmin } = context
  const row = await findPlan(database.read, id)
  if (!row || (row.identity !== identity && !isAdmin)) throw failure('plan_not_found')
  return answerOf(context, row)
}

/** A plan is stored once. A repeated request returns the plan in its present state (L28.2). */
const repetition: Repetition<Context> = {
  reduce: ({ id }) => ({ id }),
  complete: (context, { id }) => readVisiblePlan(context, Number(id)),
}

export const createPlan = operation({
  id: 'createPlan',
  repetition,
  methods: ['POST'],
  path: '/plans',
  scope: 'create',
  tag,
  summary: 'Plan operations: check them and see what they would change, without changing it',
  body: NewPlan,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  result: Plan,
  status: 201,
  lasting: true,
  failures: [
    'too_many_plans',
    'operation_not_plannable',
    'password_not_plannable',
    'reference_unknown',
    'too_many_clicks_to_plan',
    ...new Set(opFailures),
  ],
  handler: async (context, { body }) => answerOf(context, await storePlan(context, body)),
})

export const listPlans = operation({
  id: 'listPlans',
  methods: ['GET'],
  path: '/plans',
  scope: 'read',
  tag,
  summary: 'List your plans, latest first; administrators those of everyone',
  query: PlansQuery,
  result: z.array(PlanSummary),
  async handler({ database, identity, isAdmin, now }, { query: { cursor, limit, ...filter } }) {
    const visible = { ...filter, reader: isAdmin ? undefined : identity, now }
    const { items, ...rest } = await selectPlans(database.read, visible, { cursor, limit })
    return { ...rest, items: items.map((row) => toPlanSummary(row, now)) }
  },
  headers: pageHeaders,
  answer: pageAnswer,
})

export const getPlan = operation({
  id: 'getPlan',
  methods: ['GET'],
  path,
  scope: 'read',
  tag,
  summary: 'Read a plan with everything that it changes',
  params: IdParams,
  result: Plan,
  failures: ['plan_not_found'],
  handler: (context, { params }) => readVisiblePlan(context, params.id),
})

export const applyPlan = operation({
  id: 'applyPlan',
  repetition,
  methods: ['POST'],
  path: `${path}/apply`,
  scope: 'create',
  tag,
  summary: 'Apply a plan: all of it, or nothing if something was changed since or an operation is refused',
  params: IdParams,
  result: Plan,
  lasting: true,
  failures: ['plan_not_found', 'plan_not_open', 'plan_outdated'],
  handler: async (context, { params }) => answerOf(context, await applyStoredPlan(context, params.id)),
})

export const discardPlan = operation({
  id: 'discardPlan',
  repetition,
  methods: ['POST'],
  path: `${path}/discard`,
  scope: 'create',
  tag,
  summary: 'Discard a plan, which can then no longer be applied',
  params: IdParams,
  result: Plan,
  failures: ['plan_not_found', 'plan_not_open'],
  async handler(context, { params }) {
    const row = await context.database.write(async (tx) => {
      const { id, assistant } = await requireOpenPlan(tx, context, params.id)
      await requireMayDiscard(tx, context.source, { assistant })
      return updatePlan(tx, id, { state: 'discarded' })
    })
    return answerOf(context, row)
  },
})

export const undoPlan = operation({
  id: 'undoPlan',
  repetition: {
    reduce: ({ plan, ...undo }) => ({ ...undo, plan_id: (plan as PlanAnswer).id }),
    complete: async (context, { plan_id, ...undo }) => ({
      ...undo,
      plan: await readVisiblePlan(context, Number(plan_id)),
    }),
  },
  methods: ['POST'],
  path: `${path}/undo`,
  scope: 'create',
  tag,
  summary: 'Undo an applied plan where nothing was changed since, and list what stays',
  params: IdParams,
  result: PlanUndo,
  lasting: true,
  failures: ['plan_not_found', 'plan_not_applied', 'plan_history_deleted'],
  async handler(context, { params }) {
    const { row, ...undo } = await undoAppliedPlan(context, params.id)
    return { ...undo, plan: await answerOf(context, row) }
  },
})

/** Plans of several operations (L29.3). */
export const planOperations = [createPlan, listPlans, getPlan, applyPlan, discardPlan, undoPlan]
