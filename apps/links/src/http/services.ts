import type { Database } from '@latchkey/database/database'
import type { Proxies } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Exchange } from '@latchkey/http/mount'
import type { FilteredReads } from '../analytics/explorer/filtered-reads.ts'
import type { Context } from '../api/context.ts'
import type { Tables } from '../db/tables.ts'
import type { Sites } from '../domains/sites.ts'
import type { ChangeFeed } from '../live/feed.ts'
import type { ChangeSource } from '../changes/source.ts'
import type { Settings } from '../settings/settings.ts'
import type { RunningImports } from '../transfer/running-imports.ts'

/** Caller fields that a transport knows. */
export type Caller = Pick<
  Context,
  'identity' | 'createdVia' | 'filters' | 'defaultRange' | 'admittedUntil' | 'ifMatch' | 'requireCaller'
> &
  Partial<Pick<Context, 'costs'>> &
  Pick<ChangeSource, 'assistant' | 'tool' | 'requestId'>

/** Services shared by the transports, created once by the composition root. */
export interface Services {
  settings: Settings
  database: Database<Tables>
  log: Log
  proxies: Proxies
  /** Unix seconds on the clock that all nodes share. */
  now: () => number
  /** Milliseconds since 1970 on the clock of this machine, for assertions of others. */
  machineNow: () => number
  /**
   * Time at which this process last saw each key. It prevents a failing write from being retried on
   * every request.
   */
  keysUsedAt: Map<number, number>
  /** Seals the stored answers to requests with an idempotency key. */
  answerSecret: string
  sites: Sites
  /** Public origin of the service for this request. */
  originOf(request: Request, peer: string): string
  feed: ChangeFeed
  imports: RunningImports
  filteredReads: FilteredReads
  contextFor(request: Request, peer: string, caller: Caller): Context
  observe: (exchange: Exchange) => void
  /** Logs that the database was unavailable for a request, at a limited rate. */
  logDatabaseFault: (error: unknown) => void
}
