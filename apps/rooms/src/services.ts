import type { Database } from '@latchkey/database/database'
import type { Proxies } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Policy, Rates } from './api/context.ts'
import type { Tables } from './db/tables.ts'
import type { ImageQueue } from './files/images/image-queue.ts'
import type { UploadSlots } from './files/upload-slots.ts'
import type { FileStorage } from './files/storage/storage.ts'
import type { Provider } from './login/provider.ts'
import type { Pusher } from './notifications/push/pusher.ts'
import type { SessionLookup } from './sessions/lookup.ts'
import type { SlideQueue } from './sessions/slide-queue.ts'
import type { Publish } from './api/cluster-events.ts'
import type { Settings } from './settings/settings.ts'
import type { HostMatch } from './http/hosts.ts'
import type { Metrics } from './metrics.ts'
import type { LiveKit } from './voice/livekit/livekit.ts'

/** Dependencies of all transports, created once by the composition root. */
export interface Services {
  settings: Settings
  policy: Policy
  database: Database<Tables>
  storage: FileStorage
  images: ImageQueue
  uploads: UploadSlots
  pusher: Pusher
  /** Null unless it carries the calls. */
  livekit: LiveKit | null
  sessions: SessionLookup
  slideQueue: SlideQueue
  provider: Provider
  rates: Rates
  proxies: Proxies
  hosts: (host: string | null) => HostMatch
  metrics: Metrics
  log: Log
  publish: Publish
  /** Clock of the database, in milliseconds since 1970. */
  now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow: () => number
}
