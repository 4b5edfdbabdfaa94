import { z } from 'zod'
import { OwnDomain } from '../../domains/schema.ts'
import { CHARSET_PROBLEM, MAX_SLUG_LENGTH, foldSlug, isSlug, findSlugProblem } from '../../urls/slug.ts'

const Flag = z.union([z.literal(0), z.literal(1)])

export const Slug = z
  .object({
    link_id: z.int(),
    slug: z.string(),
    domain: OwnDomain,
    is_custom: Flag,
    is_primary: Flag,
    click_count: z
      .int()
      .meta({ description: 'Raw clicks: of all time, or in the window if `range` is given.' }),
    created_at: z.int(),
    disabled_at: z.int().nullable(),
  })
  .meta({ id: 'Slug' })
export type Slug = z.output<typeof Slug>

const SLUG_PATTERN = '^[A-Za-z0-9]([A-Za-z0-9._~-]*[A-Za-z0-9])?$'

/** A custom slug from a body, folded. */
export const CustomSlug = z
  .string({ error: (issue) => (issue.input === undefined ? 'slug is required' : undefined) })
  .superRefine((value, context) => {
    const slugProblem = findSlugProblem(value)
    if (!slugProblem) return
    const { problem, message } = slugProblem
    context.addIssue({ code: 'custom', message, params: { problem } })
  })
  .transform(foldSlug)
  .meta({
    description: 'Custom slug. Upper-case letters are lower-cased.',
    maxLength: MAX_SLUG_LENGTH,
    pattern: SLUG_PATTERN,
    examples: ['launch-2026'],
  })

/** A slug in a path, in any case. A path with an invalid slug does not exist. */
export const SlugParam = z
  .string()
  .refine(isSlug)
  .transform(foldSlug)
  .meta({ description: 'A slug, in any case.', maxLength: MAX_SLUG_LENGTH, pattern: SLUG_PATTERN })

/**
 * A slug in a query, in any case. Unlike in a path, an invalid one is an error with its own
 * message.
 */
export const SlugQuery = z
  .string()
  .refine(isSlug, CHARSET_PROBLEM)
  .transform(foldSlug)
  .meta({ maxLength: MAX_SLUG_LENGTH, pattern: SLUG_PATTERN })
