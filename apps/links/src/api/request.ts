import type { FilteredRead } from '../analytics/explorer/filtered-read.ts'
import type { FilteredReads } from '../analytics/explorer/filtered-reads.ts'
import type { ChangeSource } from '../changes/source.ts'
import type { VisitSource } from '../explain/visit-source.ts'
import type { RunningImport } from '../transfer/running-imports.ts'
import type { Costs } from './costs.ts'

/** The request that performs an operation, and its answer. */
export interface OperationRequest {
  /** The author of the writes in history. */
  source: ChangeSource
  /** The `If-Match` header: the caller's write is only for these versions of the link. */
  ifMatch?: string | null | undefined
  /** Unix seconds at which the request arrived. */
  now: number
  /** Origin of the short URLs of the default domain, without a trailing slash. */
  origin: string
  /** The costs of the request for a caller with a rate limit. */
  costs: Costs
  /** The caller prefers PNG to SVG where both are possible. */
  acceptsPng: boolean
  /** The caller accepts the progress of long operations as NDJSON. */
  acceptsNdjson: boolean
  /** Headers of the answer, if it has any. */
  headers: Record<string, string>
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
  /** This request as the visit of a short URL, to explain redirects (L27). */
  visitSource(): VisitSource
}
