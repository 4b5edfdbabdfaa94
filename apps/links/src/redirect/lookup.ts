import type { ConnectionCounts } from '@latchkey/database/pool'
import type { Destination } from '../links/behaviour/evaluate.ts'
import { parseProgram } from '../links/behaviour/program.ts'
import { locationOf } from '../links/location.ts'

/** Size and hits of the cache, for metrics. Plain numbers, because they change on every hit. */
export interface CacheStats {
  readonly entries: number
  readonly hits: number
  readonly misses: number
}

/**
 * Finds destinations by folded slug, enabled ones of enabled links: synchronously from SQLite,
 * possibly asynchronously from PostgreSQL. Expiry is checked at each request.
 */
export interface Lookup {
  /** Undefined on SQLite, which is read at each redirect. */
  readonly cache?: CacheStats
  /** Undefined without connections. */
  readonly connections?: ConnectionCounts
  find(slug: string): Destination | undefined | Promise<Destination | undefined>
  close(): Promise<void>
}

/** The columns of a link that a redirect reads. */
export interface DestinationRow {
  id: number
  url: string
  expires_at: number | null
  behaviour: string | null
}

/** Undefined if the URL does not parse; the link then has no destination. */
export function toDestination({ id, url, expires_at, behaviour }: DestinationRow): Destination | undefined {
  const location = locationOf(url)
  if (location === undefined) return undefined
  const program = behaviour === null ? null : parseProgram(behaviour)
  return { linkId: id, location, expiresAt: expires_at, program }
}
