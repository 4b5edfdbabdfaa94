import type { UserRow } from '../db/tables.ts'

/** Callers that an operation accepts. Guests have a session too; `member` excludes them. */
export type Scope = 'public' | 'session' | 'member' | 'admin'

/** User with a session. */
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

/** User who wants to enter a room, with time and address. */
export interface Entrant {
  userId: string
  clientPrefix: string
  clientIp: string
  requestId: string | null
  nowMs: number
  /** End of the time in which this session may use the right of an administrator. */
  adminUntilMs: number
}

/** Caller of an operation that needs a session. */
export interface Caller {
  actor: Actor
  entrant: Entrant
}

/** Caller of an operation with scope `public`, signed in or not. */
export type PublicCaller = Caller | { actor: null; entrant: null }
