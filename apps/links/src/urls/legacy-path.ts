import { isReserved } from './reserved.ts'
import { type Domain, foldSlug, isSlug, slugKey, slugOfPath } from './slug.ts'

/** In UTF-8. */
export const MAX_LEGACY_PATH_BYTES = 512
/** Limit of the legacy paths of a link: every answer that contains the link lists all of them. */
export const MAX_LEGACY_PATHS = 1_000

const CONTROL_CHARACTER = /\p{Cc}/u
const LONE_SURROGATE = /\p{Surrogate}/u
/** A part that browsers resolve before they ask. */
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/
/** Paths that the service answers itself, with those that it may answer one day. */
const SERVICE_PATH = /^(?:_(?:\/|$)|\.|oauth\/)/
/** Pages of a link: its preview and what it leads to. */
const LINK_PAGE = /^(.+)(?:\/preview|\+)$/s

/**
 * Returns why a path, without its leading slash and decoded, cannot be a legacy path (L43.1), or
 * undefined. Text that is a slug as it stands is none: it is added as a slug.
 */
export function findLegacyPathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (Buffer.byteLength(path) > MAX_LEGACY_PATH_BYTES) return `is longer than ${MAX_LEGACY_PATH_BYTES} bytes`
  if (CONTROL_CHARACTER.test(path) || LONE_SURROGATE.test(path)) return 'has characters that no path can have'
  if (DOT_SEGMENT.test(path)) return 'has a part of dots, which browsers resolve'
  const [, slug = ''] = LINK_PAGE.exec(path) ?? []
  if (SERVICE_PATH.test(path) || isReserved(path) || isSlug(slug)) return 'is a path of the service itself'
  return isSlugAsWritten(path) ? 'is a slug, which a link gets without this' : undefined
}

/** Whether the path is a slug without a change of its letters. */
export function isSlugAsWritten(path: string): boolean {
  return isSlug(path) && foldSlug(path) === path
}

/**
 * The legacy paths that a path of a request (without its leading slash) may name, the exact one
 * first: decoded once as UTF-8, and without a slash at its end. None for a path that is not UTF-8,
 * has an encoded slash, which separates nothing, or can be none: it would fill the cache of the
 * look-up, and PostgreSQL refuses NUL.
 */
export function legacyPathsOf(path: string): string[] {
  const decoded = path.includes('%') ? decodePath(path) : path
  if (decoded === undefined || decoded === '' || CONTROL_CHARACTER.test(decoded)) return []
  if (Buffer.byteLength(decoded) > MAX_LEGACY_PATH_BYTES + '/'.length) return []
  return decoded.endsWith('/') && decoded.length > 1 ? [decoded, decoded.slice(0, -1)] : [decoded]
}

/** Decodes a path as UTF-8. Undefined if it is none, or has an encoded slash, which separates nothing. */
export function decodePath(path: string): string | undefined {
  if (/%2f/i.test(path)) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** The path of a URL, encoded, without its leading slash. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/**
 * The key of a legacy path beside the keys of slugs, none of which begins with a slash:
 * `//2BG`, or `/go.example.org/2BG` on a further domain.
 */
export function legacyKey(domain: Domain, path: string): string {
  return `/${domain ?? ''}/${path}`
}

export function isLegacyKey(key: string): boolean {
  return key.startsWith('/')
}

/** The host, empty for the default domain, and the path of a key. */
export function parseLegacyKey(key: string): { domain: string; path: string } {
  const slash = key.indexOf('/', 1)
  return { domain: key.slice(1, slash), path: key.slice(slash + 1) }
}

/**
 * The keys that a path of a request may have, in the order of their look-ups (L43.1): on its domain,
 * then on the one that it answers for as well. What is written like a slug is no legacy path.
 */
export function keysOfPath(
  path: string,
  { domain, aliasOf }: { domain: Domain; aliasOf: Domain | undefined },
): string[] {
  const slug = slugOfPath(path)
  if (slug === path) {
    const key = slugKey(domain, slug)
    return aliasOf === undefined ? [key] : [key, slugKey(aliasOf, slug)]
  }
  const legacyPaths = legacyPathsOf(path)
  return (aliasOf === undefined ? [domain] : [domain, aliasOf]).flatMap((host) => [
    ...legacyPaths.map((legacyPath) => legacyKey(host, legacyPath)),
    ...(slug === undefined ? [] : [slugKey(host, slug)]),
  ])
}
