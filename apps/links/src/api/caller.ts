import type { Assistant } from '../changes/source.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import type { Range } from '../time/ranges.ts'

/** How a link or bundle was created (L3.8). */
export type CreatedVia = 'api' | 'sdk' | 'app' | 'mcp' | 'import'

/** Who performs an operation, as the transport that admitted them knows them. */
export interface Caller {
  /** The person, who owns the links and bundles that the operation creates. */
  identity: string
  /** The program that acts for the person, if one does. */
  assistant?: Assistant | undefined
  createdVia: CreatedVia
  /** Clicks that the caller's statistics exclude: none on the public API. */
  filters: ViewerFilters
  /** The range of statistics if the caller gives none; `all` on the public API. */
  defaultRange: Range
  /** The caller may set what belongs to the instance (L25.4). */
  isAdmin: boolean
  /** Throws 401 if the caller was revoked since the request began. For operations that wait. */
  requireCaller?: (() => Promise<void>) | undefined
  /** Unix seconds at which the caller's assertion expires; undefined if no expiry is known. */
  admittedUntil?: number | undefined
  /** Aborts when the caller's session at the access layer ends. */
  sessionSignal?: AbortSignal | undefined
}
