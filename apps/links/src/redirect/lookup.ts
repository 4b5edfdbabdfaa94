import type { ConnectionCounts } from '@latchkey/database/pool'

/** What a redirect needs of an enabled slug of a link that is not disabled. Expiry is judged at each request. */
export interface Destination {
  linkId: number
  /** The `Location` header's value. */
  location: string
  /** Unix seconds; null never expires. */
  expiresAt: number | null
}

/** What a look-up keeps in memory and how often that was enough, for metrics. Plain numbers: this is counted on every hit. */
export interface CacheStats {
  readonly entries: number
  readonly hits: number
  readonly misses: number
}

/** Finds targets by folded slug: at once from SQLite, at once or later from PostgreSQL. */
export interface Lookup {
  /** Undefined where none is needed: SQLite is read at each redirect. */
  readonly cache?: CacheStats
  /** Undefined where there are none. */
  readonly connections?: ConnectionCounts
  find(slug: string): Destination | undefined | Promise<Destination | undefined>
  close(): Promise<void>
}

/**
 * A URL as WHATWG serialises it, for the `Location` header: a bare host gains its slash, letters beyond ASCII are
 * encoded. Undefined for what does not parse, which is then no target.
 */
export function locationOf(url: string): string | undefined {
  return URL.parse(url)?.href
}
