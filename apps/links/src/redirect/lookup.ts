import type { ConnectionCounts } from '@latchkey/database/pool'
import type { Destination } from '../links/behaviour/evaluate.ts'
import { parseProgram } from '../links/behaviour/program.ts'
import { locationOf } from '../urls/location.ts'

/** Size and hits of the cache, for metrics. Plain numbers, because they change on every hit. */
export interface CacheStats {
  readonly entries: number
  readonly hits: number
  readonly misses: number
}

/** Null for a slug that exists and has no destination, undefined for an unknown one. */
export type LookupResult = Destination | null | undefined

/**
 * Finds destinations by the key of a slug or a legacy path, enabled ones of enabled links:
 * synchronously from SQLite, possibly asynchronously from PostgreSQL. Expiry is checked at each
 * request.
 */
export interface Lookup {
  /** Undefined on SQLite, which is read at each redirect. */
  readonly cache?: CacheStats
  /** Undefined without connections. */
  readonly connections?: ConnectionCounts
  find(key: string): LookupResult | Promise<LookupResult>
  close(): Promise<void>
}

/** The columns of a link that a redirect reads. */
export interface DestinationRow {
  id: number
  url: string
  expires_at: number | null
  behaviour: string | null
}

/** The row of the link of a legacy path. */
export interface LegacyRow extends DestinationRow {
  primary_slug: string
  disabled_at: number | null
}

/** Null if the URL does not parse; the link then has no destination. */
export function toDestination({ id, url, expires_at, behaviour }: DestinationRow): Destination | null {
  const location = locationOf(url)
  if (location === undefined) return null
  const program = behaviour === null ? null : parseProgram(behaviour)
  return { linkId: id, location, expiresAt: expires_at, program }
}

/** Clicks of a legacy path count for the primary slug. */
export function toLegacyDestination(row: LegacyRow): Destination | null {
  const destination = row.disabled_at === null ? toDestination(row) : null
  return destination && { ...destination, primarySlug: row.primary_slug }
}
