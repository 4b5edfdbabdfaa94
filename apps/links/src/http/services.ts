import type { Database } from '@latchkey/database/database'
import type { Proxies } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Exchange } from '@latchkey/http/mount'
import type { Context } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import type { ChangeFeed } from '../events/feed.ts'
import type { Settings } from '../settings/settings.ts'
import type { RunningImports } from '../transfer/running-imports.ts'

/** What a transport knows of whoever asks. */
export type Caller = Pick<Context, 'identity' | 'createdVia' | 'filters' | 'defaultRange' | 'admittedUntil'>

/** What the transports share; made once by the composition root. */
export interface Services {
  settings: Settings
  database: Database<Tables>
  log: Log
  proxies: Proxies
  /** Unix seconds. */
  now: () => number
  /** When each key was last seen by this process, so that a failing write is not tried on every request. */
  keysUsedAt: Map<number, number>
  /** Public origin of the service as this request sees it. */
  originOf(request: Request, peer: string): string
  feed: ChangeFeed
  imports: RunningImports
  contextFor(request: Request, peer: string, caller: Caller): Context
  observe: (exchange: Exchange) => void
  /** Logs that the database could not be used for a request, however many there are. */
  logDatabaseFault: (error: unknown) => void
}
