import type { Log } from '@latchkey/http/log'
import type { Outbound, ProviderMetrics } from './outbound.ts'

/** Dependencies of a provider in every mode. */
export interface ProviderDependencies {
  readonly outbound: Outbound
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly metrics: ProviderMetrics
  readonly timeouts: ProviderTimeouts
}

/**
 * Maximum time for which a response waits for the provider, in milliseconds. The calls themselves
 * may continue.
 */
export interface ProviderTimeouts {
  /** Limit of a callback, including all requests until the user is signed in (R28.10). */
  readonly loginMs: number
  /** Limit of a logout URL or the admin page (R12.2). */
  readonly pageMs: number
  /** Limit of a logout token, which must be answered within 2 s (R13.3). */
  readonly logoutTokenMs: number
}

export const DEFAULT_TIMEOUTS: ProviderTimeouts = { loginMs: 10_000, pageMs: 2_000, logoutTokenMs: 1_500 }
