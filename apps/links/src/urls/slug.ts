import { isReserved } from './reserved.ts'

export const MAX_SLUG_LENGTH = 128
/** Limit of the slugs of a link: every answer that contains the link lists all of them. */
export const MAX_SLUGS = 5_000
/** Limit of the slugs that a person may add to a link of another owner. */
export const MAX_GUEST_SLUGS = 50
/** Checked before folding: no look-alike (the Kelvin sign, the long s) may fold into ASCII. */
const CHARSET = /^[A-Za-z0-9](?:[A-Za-z0-9._~-]*[A-Za-z0-9])?$/

export const CHARSET_PROBLEM =
  'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -'

/**
 * Lower-cases a slug after the check of its characters: its letters are then A-Z only, and nothing
 * else can fold.
 */
export function foldSlug(slug: string): string {
  return slug.toLowerCase()
}

/** Whether `value` could be a stored slug, in either case. */
export function isSlug(value: string): boolean {
  return value.length <= MAX_SLUG_LENGTH && CHARSET.test(value)
}

/**
 * The folded slug that a path (without its leading slash) names (L12.3); undefined if it names none.
 * Short URLs that were printed for another service may end in a slash.
 */
export function slugOfPath(path: string): string | undefined {
  if (isSlug(path)) return foldSlug(path)
  const name = path.endsWith('/') ? path.slice(0, -1) : path
  const decoded = name.includes('%') ? decodePath(name) : name
  return isSlug(decoded) ? foldSlug(decoded) : undefined
}

/** A path that is no UTF-8 names nothing. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}

/** The host of a short domain as it is stored; null for the default domain (L31.1). */
export type Domain = string | null

/**
 * Returns the key of a slug, under which all tables store it: the slug itself on the default domain,
 * else with its host before it, as in `go.example.org/launch`. No slug contains a slash.
 */
export function slugKey(domain: Domain, slug: string): string {
  return domain === null ? slug : `${domain}/${slug}`
}

/** The slug of a key, with its domain off the default domain. */
export function parseSlugKey(key: string): { slug: string; domain?: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { slug: key } : { slug: key.slice(slash + 1), domain: key.slice(0, slash) }
}

export interface SlugProblem {
  problem: 'required' | 'invalid' | 'too_long' | 'reserved'
  message: string
}

/** Returns the first problem of a custom slug (L8.1, L8.2), or undefined. */
export function findSlugProblem(value: string): SlugProblem | undefined {
  if (value.trim() === '') return { problem: 'required', message: 'Custom slug must not be empty' }
  if (value.startsWith('_')) return { problem: 'invalid', message: 'Slug must not start with underscore' }
  // A code point takes at most two units, so much longer text is refused without counting.
  if (value.length > 2 * MAX_SLUG_LENGTH || Array.from(value).length > MAX_SLUG_LENGTH)
    return { problem: 'too_long', message: 'Slug must be 128 characters or fewer' }
  if (!CHARSET.test(value)) return { problem: 'invalid', message: CHARSET_PROBLEM }
  return isReserved(foldSlug(value)) ? { problem: 'reserved', message: 'Slug is reserved' } : undefined
}
