import type { Database } from '@latchkey/database/database'
import type { Proxies } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Policy, Rates } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import type { Provider } from '../login/provider.ts'
import type { SessionLookup } from '../sessions/lookup.ts'
import type { Slides } from '../sessions/slides.ts'
import type { Tell } from '../news.ts'
import type { Settings } from '../settings.ts'
import type { HostFound } from './hosts.ts'
import type { Metrics } from './metrics.ts'

/** What the transports share; made once by the composition root. */
export interface Services {
  settings: Settings
  policy: Policy
  database: Database<Tables>
  sessions: SessionLookup
  slides: Slides
  provider: Provider
  rates: Rates
  proxies: Proxies
  hosts: (host: string | null) => HostFound
  metrics: Metrics
  log: Log
  tell: Tell
  /** Milliseconds since 1970. */
  now: () => number
}
