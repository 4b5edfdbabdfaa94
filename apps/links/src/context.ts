import type { Database } from '@latchkey/database/database'
import { operationsOf } from '@latchkey/http/operation'
import type { ViewerFilters } from './analytics/filters.ts'
import type { Range } from './analytics/schema.ts'
import type { Tables } from './db/tables.ts'
import type { ChangeSubscription } from './events/feed.ts'
import type { SlugSpace } from './links/slugs/generator.ts'
import type { RunningImport } from './transfer/running-imports.ts'

/** How a link or bundle came to be (L3.8). */
export type CreatedVia = 'api' | 'sdk' | 'app' | 'mcp' | 'import'

/** What every operation runs with: who asks, when, and where it acts. */
export interface Context {
  database: Database<Tables>
  /** The caller; owner of what they create. */
  identity: string
  createdVia: CreatedVia
  /** Which clicks the caller's figures leave out: none on the public API. */
  filters: ViewerFilters
  /** What a missing range means to the caller where a figure needs one; `all` on the public API. */
  defaultRange: Range
  /** Unix seconds at which the request arrived. */
  now: number
  /** Unix seconds at which the assertion that let the caller in ends; undefined where nothing says so. */
  admittedUntil?: number | undefined
  /** How many API keys a person can have. */
  keysPerPerson: number
  /** Origin of the short URLs, without a trailing slash. */
  origin: string
  slugSpace: SlugSpace
  /** The caller prefers PNG to SVG where both would do. */
  acceptsPng: boolean
  /** The caller wants news of long work line by line, as NDJSON. */
  acceptsNdjson: boolean
  /** Logs what goes wrong when the answer is under way and can no longer say so. */
  reportError(error: unknown): void
  /** The caller's import, which ends with this request; throws when the caller or the node has too many. */
  startImport(): Promise<RunningImport>
  /** Ends when whatever changes from now on will be told. */
  followChanges(): Promise<ChangeSubscription>
  /** Added to the answer, where it has headers. */
  headers: Record<string, string>
  /**
   * Ends when every click that this node has redirected so far is counted; false when the database refuses them or takes too
   * long: then the answer says since when clicks may be missing.
   */
  flushClicks(): Promise<boolean>
  /**
   * Whether this node has redirected a click of this link or slug that is not counted yet. For who must know in the middle of
   * a write, when it is too late to count it; asked before the database is, so that none is counted in between.
   */
  hasPendingClicks(of: { linkId: number } | { slug: string }): boolean
  /** Fetches the target's title in the background and stores it as label; undefined when titles are not wanted. */
  enqueueTitleFetch?: ((linkId: number, url: string) => void) | undefined
}

export const operation = operationsOf<Context>()
