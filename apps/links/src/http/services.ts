import type { Database } from '@latchkey/database/database'
import type { Proxies } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Exchange } from '@latchkey/http/mount'
import type { Access } from '../access/access.ts'
import type { FilteredReads } from '../analytics/explorer/filtered-reads.ts'
import type { Caller } from '../api/caller.ts'
import type { Context } from '../api/context.ts'
import type { Costs } from '../api/costs.ts'
import type { Tables } from '../db/tables.ts'
import type { Sites } from '../domains/sites.ts'
import type { ChangeFeed } from '../live/feed.ts'
import type { ChangeSource } from '../changes/source.ts'
import type { Settings } from '../settings/settings.ts'
import type { RunningImports } from '../transfer/running-imports.ts'

/** A request for an operation, as a transport has received it. */
export interface IncomingCall extends Pick<ChangeSource, 'tool' | 'requestId'>, Pick<Context, 'ifMatch'> {
  request: Request
  /** Address of the socket. */
  peer: string
  /** The call costs nothing by default. */
  costs?: Costs
}

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
  access: Access
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
  contextFor(caller: Caller, call: IncomingCall): Context
  observe: (exchange: Exchange) => void
  /** Logs that the database was unavailable for a request, at a limited rate. */
  logDatabaseFault: (error: unknown) => void
}
