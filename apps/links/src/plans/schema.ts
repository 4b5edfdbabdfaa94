import { text } from '@latchkey/http/text'
import { z } from 'zod'
import { changeKinds } from '../changes/kinds.ts'
import { Change } from '../history/schema.ts'
import { changeChannels } from '../changes/source.ts'
import { UndoResult } from '../history/undo/schema.ts'
import { PageQuery, pageLimit } from '../api/fields.ts'
import { planStates } from './states.ts'
import { boundedText } from '../api/text.ts'

/** Operations of one plan. */
export const MAX_OPS = 500
/** Links that the bulk operations of one plan may have together. */
export const MAX_BULK_ITEMS = 5_000
/** A plan that is not applied ends after a day, in seconds. */
export const LIFETIME_SECONDS = 86_400

/** Plans that wait to be applied, and the bytes of all that they hold. */
export const OPEN_PLANS = {
  ofPerson: { plans: 200, bytes: 64 * 1024 * 1024 },
  ofProgram: { plans: 50, bytes: 16 * 1024 * 1024 },
} as const

export const BODY_LIMIT_BYTES = 1024 * 1024

const Part = z.record(z.string().max(64), z.unknown()).optional()

export const Op = z
  .object({
    operation: z.string().max(64).meta({
      description: 'The `operationId` of an operation that writes links or bundles.',
    }),
    params: Part.meta({ description: 'Parameters of the path.' }),
    query: Part.meta({ description: 'Parameters of the query.' }),
    body: Part.meta({
      description:
        'Here and in `params`, `{"$op": 0}` stands for the `id` of what the first operation of the plan creates.',
    }),
  })
  .strict()
  .meta({ id: 'PlanOp' })
export type Op = z.output<typeof Op>

export const NewPlan = z
  .object({
    title: boundedText(120).optional(),
    ops: z.array(Op).min(1).max(MAX_OPS),
  })
  .meta({ id: 'NewPlan' })

export const PlanChange = z
  .object({
    kind: z.enum(changeKinds),
    link_id: z.int().nullable().meta({
      description: 'Negative, until the plan is applied, for a link that it creates.',
    }),
    bundle_id: z.int().nullable().meta({ description: 'As `link_id`.' }),
    before: Change.shape.before,
    after: Change.shape.after,
  })
  .meta({ id: 'PlanChange' })
export type PlanChange = z.output<typeof PlanChange>

export const warningCodes = [
  'deletes_links',
  'deletes_bundles',
  'disables_links',
  'expires_links',
  'removes_slugs',
  'changes_destinations',
  'transfers',
  'new_hosts',
  'forbidden_hosts',
  'links_of_others',
  'many_links',
  'refused_items',
] as const

export const PlanWarning = z
  .object({
    code: z.enum(warningCodes),
    count: z.int().meta({ description: 'The number of links, bundles, slugs, hosts or items.' }),
    clicks: z.int().optional().meta({
      description: 'Their clicks so far; those of deleted links are deleted with them.',
    }),
    hosts: z.array(z.string()).optional().meta({
      description:
        'All hosts of `new_hosts`, to which no link of the person leads yet, and of `forbidden_hosts`, which the policy of the program forbids. Lists of plans leave them out.',
    }),
  })
  .meta({ id: 'PlanWarning' })
export type PlanWarning = z.output<typeof PlanWarning>

export const PlanSummary = z
  .object({
    id: z.int(),
    title: z.string().nullable(),
    state: z.enum(planStates),
    identity: z.string().meta({ description: 'The person whose plan it is.' }),
    via: z.enum(changeChannels),
    assistant: Change.shape.assistant,
    assistant_name: Change.shape.assistant_name,
    created_at: z.int(),
    expires_at: z.int().meta({ description: 'It cannot be applied from then on.' }),
    applied_at: z.int().nullable(),
    undone_at: z.int().nullable(),
    op_count: z.int(),
    change_count: z.int(),
    destructive: z.boolean().meta({
      description:
        'It deletes or disables something, or changes where visitors are redirected or who owns it.',
    }),
    warnings: z.array(PlanWarning),
  })
  .meta({ id: 'PlanSummary' })
export type PlanSummary = z.output<typeof PlanSummary>

const PlanVersion = z
  .object({
    link_id: z.int().nullable(),
    bundle_id: z.int().nullable(),
    version: z.string(),
  })
  .meta({ id: 'PlanVersion' })

const PlanLink = z
  .object({
    id: z.int(),
    slug: z.string(),
    domain: z.string().optional().meta({ description: 'Absent on the default domain.' }),
    label: z.string().nullable(),
    url: z.string(),
  })
  .meta({ id: 'PlanLink' })

const PlanBundle = z.object({ id: z.int(), name: z.string() }).meta({ id: 'PlanBundle' })

export const Plan = PlanSummary.extend({
  ops: z.array(Op),
  diff: z.array(PlanChange).meta({
    description:
      'Each change, with the values of history. Before the plan is applied without automatic slugs, which are chosen then.',
  }),
  versions: z.array(PlanVersion).meta({ description: 'The versions of what the plan depends on.' }),
  links: z.array(PlanLink).meta({ description: 'The links of the plan as they are now.' }),
  bundles: z.array(PlanBundle).meta({ description: 'The bundles of the plan as they are now.' }),
}).meta({ id: 'Plan' })
export type Plan = z.output<typeof Plan>

export const PlanUndo = UndoResult.extend({ plan: Plan }).meta({ id: 'PlanUndo' })

export const PlansQuery = z.object({
  state: z.enum(planStates).optional().meta({ description: 'Only plans in this state.' }),
  identity: text().optional().meta({ description: 'The person for whom the changes were planned.' }),
  cursor: PageQuery.shape.cursor,
  limit: pageLimit(200, 50),
})
