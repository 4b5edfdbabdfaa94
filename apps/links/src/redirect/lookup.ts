import type { ConnectionFigures } from '@latchkey/database/pool'

/** What a redirect needs of an enabled slug of a link that is not disabled. Expiry is judged at each request. */
export interface Target {
  linkId: number
  location: string
  /** Of the answer. Made once, since they cost more than all the rest of a `Response`, which copies them. */
  headers: Headers
  /** Unix seconds; null never expires. */
  expiresAt: number | null
}

/** What a look-up keeps in memory and how often that was enough, for metrics. Plain numbers: this is counted on every hit. */
export interface CacheFigures {
  readonly entries: number
  hits: number
  misses: number
}

/** Finds targets by folded slug: at once from SQLite, at once or later from PostgreSQL. */
export interface Lookup {
  readonly cache: Readonly<CacheFigures>
  /** Undefined where there are none. */
  readonly connections?: ConnectionFigures
  find(slug: string): Target | undefined | Promise<Target | undefined>
  close(): Promise<void>
}

/** Undefined when the URL does not parse: that is no target. */
export function targetOf(linkId: number, url: string, expiresAt: number | null): Target | undefined {
  const location = locationOf(url)
  if (location === undefined) return undefined
  const headers = new Headers({ Location: location, 'Cache-Control': 'private, no-store' })
  return { linkId, location, headers, expiresAt }
}

/**
 * A URL as WHATWG serialises it, for the `Location` header: a bare host gains its slash, letters beyond ASCII are
 * encoded. Undefined for what does not parse, which is then no target.
 */
export function locationOf(url: string): string | undefined {
  return URL.parse(url)?.href
}
