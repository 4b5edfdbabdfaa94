import type { Proxies } from '@latchkey/http/client-address'
import type { AccessKeys } from './access-layer/keys.ts'
import type { RevocationLog } from './access-layer/revocations.ts'
import type { OperationServices } from './api/services.ts'
import type { HostMatch } from './http/hosts.ts'
import type { Metrics } from './metrics.ts'
import type { SessionLookup } from './sessions/types.ts'
import type { SlideQueue } from './sessions/slide-queue.ts'
import type { Settings } from './settings/settings.ts'

/** Dependencies of all transports, created once by the composition root. */
export interface Services extends OperationServices {
  settings: Settings
  sessions: SessionLookup
  /** Null unless Rooms is an access layer. */
  accessKeys: AccessKeys | null
  revocations: RevocationLog | null
  slideQueue: SlideQueue
  proxies: Proxies
  hosts: (host: string | null) => HostMatch
  metrics: Metrics
  /** Clock of the database, in milliseconds since 1970. */
  now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow: () => number
}
