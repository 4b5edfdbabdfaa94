import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import { operationsOf } from '@latchkey/http/operation'
import type { RateLimiter } from '@latchkey/http/rate-limit'
import type { Tables, UserRow } from '../db/tables.ts'
import { failure } from './failures.ts'
import type { ImageQueue } from '../files/images/image-queue.ts'
import type { UploadSlots } from '../files/upload-slots.ts'
import type { FileStorage } from '../files/storage/storage.ts'
import type { LimitName, Limits } from './limits.ts'
import type { Provider } from '../login/provider.ts'
import type { Pusher } from '../notifications/push/pusher.ts'
import type { Publish } from './cluster-events.ts'
import type { Lifetimes } from '../sessions/session.ts'
import type { StartedSession } from '../sessions/store.ts'
import type { VoiceSettings } from '../settings/voice.ts'
import type { LiveKit } from '../voice/livekit/livekit.ts'

/** Caller of an operation. */
export interface Actor {
  user: UserRow
  /** Read from the grants together with the session, on every request. */
  platformAdmin: boolean
  session: {
    id: string
    createdAtMs: number
    loginAtMs: number
    idleExpiresAtMs: number
    absoluteExpiresAtMs: number
    /**
     * End of the time in which an administrator may change things by that right
     * (`ADMIN_REAUTH_SECONDS`).
     */
    adminUntilMs: number
  }
  /** Text of the session cookie. It is the key to what is sealed for this session. */
  token: string
}

/** Settings that concern users, in the units that the features use. */
export interface Policy {
  readonly label: string
  readonly guestEnabled: boolean
  readonly guestRooms: boolean
  readonly guestFiles: 'off' | 'images'
  readonly voice: VoiceSettings
  readonly adminBootstrap: 'first-login' | 'off'
  readonly adminReauthMs: number
  readonly backchannelLogout: boolean
  readonly sessions: Lifetimes
  readonly transactionMs: number
  /** The first of ALLOWED_HOSTS. */
  readonly canonicalOrigin: string
  readonly limits: Limits
  /** Set by the demo of `latchkey start`. */
  readonly demo: boolean
}

/**
 * Rate limits of R22 with the counters of this node. Throws 429 `rate_limited` with `Retry-After`.
 */
export interface Rates {
  take(limit: LimitName, key: string): void
  /** Throws like `take` but counts nothing: for operations of which only failures are counted. */
  check(limit: LimitName, key: string): void
  /** Counts what was used up already, however little was left. Fractions are allowed. */
  charge(limit: LimitName, key: string, amount: number): void
  /** For responses that are not failures of the API: returns whether the request was allowed. */
  tryTake(limit: LimitName, key: string): ReturnType<RateLimiter['take']>
}

/** Input of every operation besides its parameters: caller, time, client and services. */
export interface Context {
  database: Database<Tables>
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
  /** Null only for operations with scope `public`. */
  actor: Actor | null
  /** The allowed origin that the request was sent to. */
  origin: string
  /** Arrival of the request, in milliseconds since 1970. */
  now: number
  clientIp: string
  /** IPv4 /32 or IPv6 /64: the unit that limits count addresses by. */
  clientPrefix: string
  userAgent: string
  requestId: string
  /** Sets the cookies of this session in the response. */
  setSessionCookies(session: StartedSession): void
  /** Deletes all session cookies in the response. */
  clearSessionCookies(): void
}

export const operation = operationsOf<Context>()

/** Callers that an operation accepts. Guests have a session too; `member` excludes them. */
export type Scope = 'public' | 'session' | 'member' | 'admin'

/** Actor of an operation that needs one. Throws 401 `unauthenticated` without one. */
export function actorOf({ actor }: Context): Actor {
  if (actor === null) throw failure('unauthenticated')
  return actor
}
