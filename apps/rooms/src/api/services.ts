import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { AccessPolicy } from '../access-layer/policy.ts'
import type { Tables } from '../db/tables.ts'
import type { ImageQueue } from '@latchkey/images/image-queue'
import type { FileStorage } from '../files/storage/storage.ts'
import type { UploadSlots } from '../files/upload-slots.ts'
import type { Provider } from '../login/provider.ts'
import type { Pusher } from '../notifications/push/pusher.ts'
import type { Lifetimes } from '../sessions/session.ts'
import type { VoiceSettings } from '../settings/voice.ts'
import type { LiveKit } from '../voice/livekit/livekit.ts'
import type { Publish } from './cluster-events.ts'
import type { Limits } from './limits.ts'
import type { Rates } from './rates.ts'
import type { WriteInRoom } from './room-writes.ts'

/** Settings that concern users, in the units that the features use. */
export interface Policy {
  readonly label: string
  readonly guestEnabled: boolean
  readonly guestRooms: boolean
  readonly guestFiles: 'off' | 'images'
  /** Whether a login reads the groups of the person. */
  readonly readsGroups: boolean
  readonly voice: VoiceSettings
  readonly adminBootstrap: 'first-login' | 'off'
  readonly adminReauthMs: number
  /** Null unless Rooms is the access layer of other origins. */
  readonly access: AccessPolicy | null
  readonly backchannelLogout: boolean
  readonly sessions: Lifetimes
  readonly transactionMs: number
  /** The first of ALLOWED_HOSTS. */
  readonly canonicalOrigin: string
  readonly limits: Limits
  /** Days for which rooms retain messages; null for no end. */
  readonly retention: {
    /** In new rooms. */
    readonly days: number | null
    /** In any room. */
    readonly maxDays: number | null
  }
  /** Set by the demo of `latchkey start`. */
  readonly demo: boolean
}

/** Dependencies of operations. */
export interface OperationServices {
  database: Database<Tables>
  writeInRoom: WriteInRoom
  storage: FileStorage
  images: ImageQueue
  uploads: UploadSlots
  pusher: Pusher
  /** Null unless it carries the calls. */
  livekit: LiveKit | null
  provider: Provider
  policy: Policy
  rates: Rates
  log: Log
  /** Only after the commit. */
  publish: Publish
}
