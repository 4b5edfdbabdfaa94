import { z } from 'zod'
import { codePoints } from '../text.ts'
import { isReserved } from './reserved.ts'

const LIMIT = 128
/** Checked before folding, so that no look-alike (the Kelvin sign, the long s) folds into ASCII. */
const CHARSET = /^[A-Za-z0-9](?:[A-Za-z0-9._~-]*[A-Za-z0-9])?$/

/** Lower-cases a slug whose charset was checked: only then are its letters A-Z, and nothing else can fold. */
export function foldSlug(slug: string): string {
  return slug.toLowerCase()
}

/** True for every slug that could be stored, in either case. */
export function isSlug(value: string): boolean {
  return value.length <= LIMIT && CHARSET.test(value)
}

/** The first problem of a custom slug (L8.1, L8.2), or undefined. */
export function slugProblem(value: string): string | undefined {
  if (value.trim() === '') return 'Custom slug must not be empty'
  if (value.startsWith('_')) return 'Slug must not start with underscore'
  if (codePoints(value) > LIMIT) return 'Slug must be 128 characters or fewer'
  if (!CHARSET.test(value))
    return 'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -'
  return isReserved(foldSlug(value)) ? 'Slug is reserved' : undefined
}

/** A custom slug from a body, folded. */
export const CustomSlug = z
  .string({ error: (issue) => (issue.input === undefined ? 'slug is required' : undefined) })
  .superRefine((value, context) => {
    const message = slugProblem(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .transform(foldSlug)
  .meta({
    description: 'Custom slug. Upper-case letters are lower-cased.',
    maxLength: LIMIT,
    pattern: '^[A-Za-z0-9]([A-Za-z0-9._~-]*[A-Za-z0-9])?$',
    examples: ['launch-2026'],
  })

/** A slug in a path, in any case; what could not be a slug is no path. */
export const SlugParam = z
  .string()
  .refine(isSlug)
  .transform(foldSlug)
  .meta({ description: 'A slug, in any case.', maxLength: LIMIT })

/** A slug in a query, in any case; unlike in a path, what could be none is worth a word. */
export const SlugQuery = z
  .string()
  .refine(
    isSlug,
    'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -',
  )
  .transform(foldSlug)
  .meta({ maxLength: LIMIT })
