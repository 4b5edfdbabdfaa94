import { type Domain, slugKey, slugOfPath } from '../../urls/slug.ts'

/** The part of a short URL after its slug that fills a destination, as in `/pr/123` (L47.3). */
const MAX_LENGTH = 512
/** Proxies refuse headers not much longer than this. */
const MAX_LOCATION = 8_192

/** Destinations are URLs by the WHATWG standard, which encodes braces in paths alone. */
const PLACEHOLDER = /(?:\{|%7B)(path|[1-9])(?:\}|%7D)/gi

const NONE: readonly string[] = []

/** The text after the slug of a path, as in `pr/123`; undefined for a path that may be a slug by itself. */
function textAfterSlug(path: string): string | undefined {
  const slash = path.indexOf('/')
  return slash < 0 || slash === path.length - 1 ? undefined : path.slice(slash + 1)
}

/** The parameters of the path of a request, without its leading slash. */
export function parametersOf(path: string): readonly string[] {
  const text = textAfterSlug(path)
  return text === undefined ? NONE : (parseParameters(text) ?? NONE)
}

/**
 * The keys of the slug before the parameters of a path, on its domain and then on the one that it
 * answers for as well; none for a path without parameters.
 */
export function keysBeforeParameters(
  path: string,
  { domain, aliasOf }: { domain: Domain; aliasOf: Domain | undefined },
): string[] {
  if (parametersOf(path).length === 0) return []
  const slug = slugOfPath(path.slice(0, path.indexOf('/')))
  if (slug === undefined) return []
  return [slugKey(domain, slug), ...(aliasOf === undefined ? [] : [slugKey(aliasOf, slug)])]
}

/**
 * The segments of a path after the slug, decoded. Undefined for a path that no link takes: one that
 * is too long or no UTF-8, or that could lead out of the folder of a destination.
 */
export function parseParameters(path: string): readonly string[] | undefined {
  if (path.length > MAX_LENGTH) return undefined
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  if (trimmed === '') return []
  try {
    const segments = trimmed.split('/').map((segment) => decodeURIComponent(segment))
    // Some servers decode a path before they resolve it.
    const isRelative = segments.some((segment) => /^\.\.?$/m.test(segment.replaceAll(/[/\\]/g, '\n')))
    return isRelative ? undefined : segments
  } catch {
    return undefined
  }
}

/**
 * Replaces `{path}` with all parameters and `{1}` to `{9}` with one of them, by nothing if it is
 * missing. A visitor's text never changes the host: only what follows it is filled, and encoded. If
 * the destination becomes too long, it is filled with nothing.
 */
export function fillParameters(location: string, parameters: readonly string[]): string {
  const start = startOfPath(location)
  if (start < 0) return location
  const fill = (values: readonly string[]) =>
    location.slice(0, start) +
    location.slice(start).replaceAll(PLACEHOLDER, (_, name: string, at: number) => {
      const isInPath = !/[?#]/.test(location.slice(start, start + at))
      if (name.toLowerCase() !== 'path') return encodeURIComponent(values[Number(name) - 1] ?? '')
      return isInPath
        ? values.map((value) => encodeURIComponent(value)).join('/')
        : encodeURIComponent(values.join('/'))
    })
  const result = fill(parameters)
  return result.length > MAX_LOCATION ? fill([]) : result
}

/** Whether a visitor's text would choose the first segment of the path. */
export function beginsWithParameter(location: string): boolean {
  const [, first = ''] = location.slice(startOfPath(location)).split(/[/?#]/, 2)
  return first.search(PLACEHOLDER) >= 0
}

/** The position after the host of a URL, whose path begins with a slash. */
function startOfPath(location: string): number {
  return location.indexOf('/', location.indexOf('//') + 2)
}
