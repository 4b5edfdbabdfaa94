import type { Database } from '@latchkey/database/database'
import { operationsOf } from '@latchkey/http/operation'
import type { FilteredRead } from '../analytics/explorer/filtered-read.ts'
import type { FilteredReads } from '../analytics/explorer/filtered-reads.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import type { Range } from '../time/schema.ts'
import type { Tables } from '../db/tables.ts'
import type { Sites } from '../domains/sites.ts'
import type { ChangeSubscription } from '../live/feed.ts'
import type { ChangeSource } from '../changes/source.ts'
import type { SlugSpace } from '../links/slugs/generator.ts'
import type { VisitSource } from '../explain/visit-source.ts'
import type { Costs } from './costs.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { RunningImport } from '../transfer/running-imports.ts'

/** How a link or bundle was created (L3.8). */
export type CreatedVia = 'api' | 'sdk' | 'app' | 'mcp' | 'import'

/** Input of every operation: the caller, the time and the services. */
export interface Context {
  /** Its writes are part of the history of what they change (L29.1). */
  database: Database<Tables>
  /** The caller, who owns the links and bundles that the operation creates. */
  identity: string
  createdVia: CreatedVia
  /** The author of the writes in history. */
  source: ChangeSource
  /** Clicks that the caller's statistics exclude: none on the public API. */
  filters: ViewerFilters
  /** The range of statistics if the caller gives none; `all` on the public API. */
  defaultRange: Range
  /** The caller may set what belongs to the instance (L25.4). */
  isAdmin: boolean
  /** Throws 401 if the caller was revoked since the request began. For operations that wait. */
  requireCaller?: (() => Promise<void>) | undefined
  /** The `If-Match` header: the caller's write is only for these versions of the link. */
  ifMatch?: string | null
  /** Unix seconds at which the request arrived. */
  now: number
  /** Unix seconds at which the caller's assertion expires; undefined if no expiry is known. */
  admittedUntil?: number | undefined
  /** Maximum number of API keys per person. */
  keysPerPerson: number
  /** Origin of the short URLs of the default domain, without a trailing slash. */
  origin: string
  sites: Sites
  slugSpace: Pick<SlugSpace, 'findLength' | 'recordSlug'>
  /** What the request costs the caller, if they have a rate limit. */
  costs: Costs
  webhooks: Webhooks
  /** The caller prefers PNG to SVG where both are possible. */
  acceptsPng: boolean
  /** The caller accepts the progress of long operations as NDJSON. */
  acceptsNdjson: boolean
  /** Logs an error that occurs after the response has started and can no longer report it. */
  reportError(error: unknown): void
  /**
   * Starts the caller's import, which ends with this request. Throws if the caller or the node has
   * too many.
   */
  startImport(): Promise<RunningImport>
  /**
   * Reads filtered statistics beside the redirects, until the caller leaves or the request is
   * aborted.
   */
  readFiltered(read: FilteredRead): ReturnType<FilteredReads['run']>
  /** Resolves once the subscription receives every later change. */
  followChanges(): Promise<ChangeSubscription>
  /** This request as the visit of a short URL, to explain redirects (L27). */
  visitSource(): VisitSource
  /** Headers of the answer, if it has any. */
  headers: Record<string, string>
  /**
   * Resolves once every click that this node has redirected so far is counted. Returns false if the
   * database refuses them or takes too long: the answer then says from when clicks may be missing.
   */
  flushClicks(): Promise<boolean>
  /**
   * Whether this node has redirected a click of this link or slug that is not counted yet. For use
   * in the middle of a write, when it is too late to count the click. Call it before you query the
   * database: no click can then be counted in between.
   */
  hasPendingClicks(of: { linkId: number } | { slug: string }): boolean
  /**
   * Fetches the title of the destination in the background and stores it as label; undefined if
   * titles are disabled.
   */
  enqueueTitleFetch?: ((linkId: number, url: string) => void) | undefined
  /** Fetches the icon of a site in the background and stores it; undefined if icons are disabled. */
  enqueueFaviconFetch?: ((site: URL) => void) | undefined
}

/** Declares an operation, which counts its items before it does anything. */
export const operation = operationsOf<Context>(({ costs }, items) => costs.count(items))
