import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import { operationsOf } from '@latchkey/http/operation'
import type { RateLimiter } from '@latchkey/http/rate-limit'
import type { Tables, UserRow } from './db/tables.ts'
import { failure } from './failures.ts'
import type { LimitName, Limits } from './limits.ts'
import type { Provider } from './login/provider.ts'
import type { Publish } from './cluster-events.ts'
import type { Lifetimes } from './sessions/session.ts'
import type { StartedSession } from './sessions/store.ts'

/** Who asks. */
export interface Actor {
  user: UserRow
  /** Read from the grants with the session, on every request. */
  platformAdmin: boolean
  session: {
    id: string
    createdAtMs: number
    loginAtMs: number
    idleExpiresAtMs: number
    absoluteExpiresAtMs: number
    /** Until when an administrator may change things by that right with it (`ADMIN_REAUTH_SECONDS`). */
    adminUntilMs: number
  }
  /** The cookie's text: key to what is sealed for this session. */
  token: string
}

/** What the settings decide about people, in the units that the features use. */
export interface Policy {
  readonly label: string
  readonly guestEnabled: boolean
  readonly guestRooms: boolean
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

/** Rates of R22 with this node's counters. Throws 429 `rate_limited` with `Retry-After`. */
export interface Rates {
  take(limit: LimitName, key: string): void
  /** Throws what `take` would, and counts nothing: before what is counted only when it fails. */
  check(limit: LimitName, key: string): void
  /** For answers that are no failures of the API: whether it was allowed. */
  tryTake(limit: LimitName, key: string): ReturnType<RateLimiter['take']>
}

/** What every operation runs with: who asks, when, and from where. */
export interface Context {
  database: Database<Tables>
  provider: Provider
  policy: Policy
  rates: Rates
  log: Log
  /** After the commit only. */
  publish: Publish
  /** Null only for operations with scope `public`. */
  actor: Actor | null
  /** Milliseconds since 1970 at which the request arrived. */
  now: number
  clientIp: string
  /** IPv4 /32 or IPv6 /64: what limits count by. */
  clientPrefix: string
  userAgent: string
  requestId: string
  /** Answers with the cookies of this session. */
  setSessionCookies(session: StartedSession): void
  /** Answers with the deletion of all session cookies. */
  clearSessionCookies(): void
}

export const operation = operationsOf<Context>()

/** Who may call an operation; guests are people with a session too, unless it is for members. */
export type Scope = 'public' | 'session' | 'member' | 'admin'

/** The actor of an operation that needs one. */
export function actorOf({ actor }: Context): Actor {
  if (actor === null) throw failure('unauthenticated')
  return actor
}
