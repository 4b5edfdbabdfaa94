import { isReserved } from './reserved.ts'

export const MAX_SLUG_LENGTH = 128
/** Of one link: all of them are in every answer that shows it. */
export const MAX_SLUGS = 5_000
/** Of one person on a link of another. */
export const MAX_GUEST_SLUGS = 50
/** Checked before folding, so that no look-alike (the Kelvin sign, the long s) folds into ASCII. */
const CHARSET = /^[A-Za-z0-9](?:[A-Za-z0-9._~-]*[A-Za-z0-9])?$/

export const CHARSET_PROBLEM =
  'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -'

/** Lower-cases a slug whose charset was checked: only then are its letters A-Z, and nothing else can fold. */
export function foldSlug(slug: string): string {
  return slug.toLowerCase()
}

/** True for every slug that could be stored, in either case. */
export function isSlug(value: string): boolean {
  return value.length <= MAX_SLUG_LENGTH && CHARSET.test(value)
}

export interface SlugProblem {
  problem: 'required' | 'invalid' | 'too_long' | 'reserved'
  message: string
}

/** The first problem of a custom slug (L8.1, L8.2), or undefined. */
export function findSlugProblem(value: string): SlugProblem | undefined {
  if (value.trim() === '') return { problem: 'required', message: 'Custom slug must not be empty' }
  if (value.startsWith('_')) return { problem: 'invalid', message: 'Slug must not start with underscore' }
  // A code point takes at most two units, so that what is much longer need not be walked.
  if (value.length > 2 * MAX_SLUG_LENGTH || Array.from(value).length > MAX_SLUG_LENGTH)
    return { problem: 'too_long', message: 'Slug must be 128 characters or fewer' }
  if (!CHARSET.test(value)) return { problem: 'invalid', message: CHARSET_PROBLEM }
  return isReserved(foldSlug(value)) ? { problem: 'reserved', message: 'Slug is reserved' } : undefined
}
