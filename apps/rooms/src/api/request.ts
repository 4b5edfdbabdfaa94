import type { StartedSession } from '../sessions/store.ts'

/** Origin and time of a request, for limits and records. */
export interface RequestFacts {
  /** Arrival of the request, in milliseconds since 1970. */
  now: number
  clientIp: string
  /** IPv4 /32 or IPv6 /64: the unit that limits count addresses by. */
  clientPrefix: string
  userAgent: string
  requestId: string
}

/** Request for an operation, with the cookies of its response. */
export interface OperationRequest extends RequestFacts {
  /** The allowed origin that the request was sent to. */
  origin: string
  /** Sets the cookies of this session in the response. */
  setSessionCookies(session: StartedSession): void
  /** Deletes all session cookies in the response. */
  clearSessionCookies(): void
}
