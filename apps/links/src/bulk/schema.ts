import { z } from 'zod'
import { Confirm, Owner } from '../ownership/schema.ts'
import { type Failure, transportFailure } from '@latchkey/http/failure'
import { Link, LinkChanges, LinkFilterBody } from '../links/schema.ts'
import { LinkId, MAX_ID } from '../api/fields.ts'

/** Links of one request. */
export const MAX_ITEMS = 1_000
/** Links that the filter of a change may match. */
export const MAX_MATCHES = 5_000

export const BODY_LIMIT_BYTES = 1024 * 1024

const BulkMode = z.enum(['each', 'all']).default('each').meta({
  description:
    '`each`: an item that fails leaves the others. `all`: if one fails, nothing is created, and the error names the item.',
})
export type BulkMode = z.output<typeof BulkMode>

export const BulkLinks = z
  .object({
    mode: BulkMode,
    // Items are parsed one by one: one that is not valid does not stop the others.
    items: z
      .array(z.unknown())
      .min(1)
      .max(MAX_ITEMS)
      .meta({
        items: { $ref: '#/components/schemas/NewLink' },
        description: 'Links, each as the body of `POST /links`.',
      } as z.core.GlobalMeta),
  })
  .meta({ id: 'BulkLinks' })

const set = z
  .object({
    label: LinkChanges.shape.label,
    expires_at: LinkChanges.shape.expires_at,
    disabled: z.boolean().optional(),
    bundle: z.int().min(1).max(MAX_ID).optional().meta({
      description: 'The id of a bundle, to which the links are added.',
    }),
    owner: Owner.optional(),
    confirm: Confirm,
  })
  .strict()

/** Only the admin side deletes many links at once. */
const setInAdmin = set.extend({ delete: z.literal(true).optional() })
export type BulkChange = z.output<typeof setInAdmin>

const chosen = {
  ids: z.array(LinkId).min(1).max(MAX_ITEMS).optional().meta({ description: 'Either these links …' }),
  filter: LinkFilterBody.optional().meta({
    description: `… or those that match, newest first, at most ${MAX_MATCHES}.`,
  }),
}

export const BulkChanges = z
  .object({
    ...chosen,
    set: set
      .refine(isSomething, { error: 'must change something' })
      .meta({ minProperties: 1, not: { required: ['confirm'], maxProperties: 1 } }),
  })
  .superRefine(requireOneChoice)
  .meta({ id: 'BulkChanges', oneOf: [{ required: ['ids'] }, { required: ['filter'] }] })

export const BulkChangesInAdmin = z
  .object({
    ...chosen,
    set: setInAdmin
      .refine(isSomething, { error: 'must change something' })
      .refine((change) => !change.delete || Object.keys(change).length === 1, {
        error: 'delete must be alone',
      }),
  })
  .superRefine(requireOneChoice)
export type BulkChanges = z.output<typeof BulkChangesInAdmin>

function isSomething({ confirm: _, ...change }: BulkChange): boolean {
  return Object.keys(change).length > 0
}

function requireOneChoice({ ids, filter }: Pick<BulkChanges, 'ids' | 'filter'>, context: z.RefinementCtx) {
  if ((ids === undefined) === (filter === undefined))
    context.addIssue({ code: 'custom', message: 'must have either ids or filter' })
}

export function tooManyMatches(): Failure {
  return transportFailure('invalid_request', { text: `filter: matches more than ${MAX_MATCHES} links` })
}

export const BulkResult = z
  .object({
    index: z.int().meta({ description: 'The position in the request, from 0.' }),
    status: z.int().meta({ description: 'The status that the request of one link would have.' }),
    link: Link.optional(),
    error: z.string().optional().meta({ description: 'Only of refusals.' }),
    code: z.string().optional().meta({ description: 'The error code of a refusal.' }),
  })
  .meta({ id: 'BulkResult' })
export type BulkResult = z.output<typeof BulkResult>

export const BulkResults = z.object({ results: z.array(BulkResult) }).meta({ id: 'BulkResults' })
