import type { ConnectionCounts } from '@latchkey/database/pool'

/**
 * The data of a redirect, for an enabled slug of an enabled link. Expiry is checked at each
 * request.
 */
export interface Destination {
  linkId: number
  /** The value of the `Location` header. */
  location: string
  /** Unix seconds; null never expires. */
  expiresAt: number | null
}

/** Size and hits of the cache, for metrics. Plain numbers, because they change on every hit. */
export interface CacheStats {
  readonly entries: number
  readonly hits: number
  readonly misses: number
}

/**
 * Finds destinations by folded slug: synchronously from SQLite, possibly asynchronously from
 * PostgreSQL.
 */
export interface Lookup {
  /** Undefined on SQLite, which is read at each redirect. */
  readonly cache?: CacheStats
  /** Undefined without connections. */
  readonly connections?: ConnectionCounts
  find(slug: string): Destination | undefined | Promise<Destination | undefined>
  close(): Promise<void>
}

/**
 * Serialises a URL per WHATWG for the `Location` header: a bare host gains its slash, and
 * characters beyond ASCII are encoded. Undefined if it does not parse; the link then has no
 * destination.
 */
export function locationOf(url: string): string | undefined {
  return URL.parse(url)?.href
}
