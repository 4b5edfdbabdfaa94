import { z } from 'zod'
import { MAX_IDENTITY_LENGTH } from '../access/identity.ts'
import type { Context } from '../api/context.ts'
import { MAX_ASSISTANT_LENGTH } from '../changes/source.ts'
import { listChanges } from '../history/operations.ts'
import { Change, ChangesQuery } from '../history/schema.ts'
import { MAX_ID, MAX_MOMENT } from '../api/fields.ts'
import { applyPlan, discardPlan, createPlan, getPlan, undoPlan } from '../plans/operations.ts'
import { NewPlan, Plan, PlanUndo } from '../plans/schema.ts'
import { PlanNeedsPerson } from '../plans/apply.ts'
import { perform } from '../api/perform.ts'
import { boundedText } from '../api/text.ts'
import { MAX_ITEMS, listOf, tool, truncateList } from './tool.ts'

const PlanId = z.int().min(1).max(MAX_ID).meta({ description: 'The `id` of a plan.' })

const PlanResult = Plan.extend({
  truncated: z
    .literal(true)
    .optional()
    .meta({
      description: `True if \`diff\` has only the first ${MAX_ITEMS} of \`change_count\` changes.`,
    }),
})

function toResult(plan: Plan): z.output<typeof PlanResult> {
  const { results: diff, truncated } = truncateList({ items: plan.diff, total: plan.diff.length })
  return { ...plan, diff, ...(truncated && { truncated }) }
}

const planParams = ({ plan_id }: { plan_id: number }) => ({ params: { id: plan_id } })

const Ops = NewPlan.shape.ops.refine((ops) => ops.every(({ query }) => query?.['force'] === undefined), {
  error: 'force is not possible here: links and slugs with clicks can be disabled',
})

/** Leaves plans that delete clicks to the person, by whatever way they were made. */
function requireUnforced({ identity, origin }: Context, plan: Plan): void {
  const isForced = plan.ops.some(({ query }) => query?.['force'] !== undefined)
  if (isForced && plan.state === 'open' && plan.identity === identity)
    throw new PlanNeedsPerson(origin, plan.id)
}

const MAX_CHANGES = 200

export const planTools = [
  tool({
    name: 'plan_changes',
    title: 'Plan changes',
    description:
      'Checks operations of the API and shows what they would change together, without changing anything. Show the person the warnings and the diff, and apply the plan with apply_plan once they agree. Operations have the names and inputs of the OpenAPI document, such as createLink, updateLink with params {"id": 1}, or addLinkToBundle. A plan ends after 24 hours.',
    effect: 'add',
    input: { title: NewPlan.shape.title, ops: Ops },
    output: PlanResult,
    run: async (context, body) => toResult(await perform(context, createPlan, { body })),
  }),
  tool({
    name: 'get_plan',
    title: 'Read a plan',
    description: 'Reads a plan of yours, with its state, its warnings and everything that it changes.',
    effect: 'read',
    input: { plan_id: PlanId },
    output: PlanResult,
    run: async (context, args) => toResult(await perform(context, getPlan, planParams(args))),
  }),
  tool({
    name: 'apply_plan',
    title: 'Apply a plan',
    description:
      'Applies all operations of an open plan, or none: if something that it depends on was changed since, plan again.',
    effect: 'remove',
    input: { plan_id: PlanId },
    output: PlanResult,
    async run(context, args) {
      requireUnforced(context, await perform(context, getPlan, planParams(args)))
      return toResult(await perform(context, applyPlan, planParams(args)))
    },
  }),
  tool({
    name: 'discard_plan',
    title: 'Discard a plan',
    description: 'Discards an open plan, which can then no longer be applied.',
    effect: 'set',
    input: { plan_id: PlanId },
    output: PlanResult,
    run: async (context, args) => toResult(await perform(context, discardPlan, planParams(args))),
  }),
  tool({
    name: 'undo_plan',
    title: 'Undo a plan',
    description:
      'Undoes an applied plan where nothing was changed since. `remaining` lists what stays, and why. Deleted links come back without their clicks.',
    effect: 'remove',
    input: { plan_id: PlanId },
    output: PlanUndo.extend({ plan: PlanResult }),
    async run(context, args) {
      const { plan, ...undo } = await perform(context, undoPlan, planParams(args))
      return { ...undo, plan: toResult(plan) }
    },
  }),
  tool({
    name: 'list_changes',
    title: 'List changes',
    description: `Lists who changed which links and bundles, latest first, with the values before and after: your changes, or for administrators those of everyone. Returns at most ${MAX_CHANGES}.`,
    effect: 'read',
    input: {
      identity: boundedText(MAX_IDENTITY_LENGTH).optional().meta({ description: 'The person who wrote.' }),
      assistant: boundedText(MAX_ASSISTANT_LENGTH)
        .optional()
        .meta({ description: 'The program, as in a change.' }),
      via: ChangesQuery.shape.via,
      since: z.int().min(0).max(MAX_MOMENT).optional().meta({ description: 'Unix seconds.' }),
      limit: z.int().min(1).max(MAX_CHANGES).optional().meta({ description: '50 by default.' }),
    },
    output: z.object(listOf(Change)),
    run: async (context, query) => truncateList(await perform(context, listChanges, { query })),
  }),
]
