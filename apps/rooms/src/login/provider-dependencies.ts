import type { Log } from '@latchkey/http/log'
import type { Outbound } from './outbound.ts'

export interface ProviderMetrics {
  observeProvider(endpoint: string, outcome: string, seconds: number): void
  countKeySetFetch(): void
}

/** What a provider works with, in every mode. */
export interface ProviderDependencies {
  readonly outbound: Outbound
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly metrics: ProviderMetrics
  readonly timeouts: ProviderTimeouts
}

/** How long somebody else's answer is held up for the provider, in milliseconds; the calls themselves may go on. */
export interface ProviderTimeouts {
  /** For a browser that comes back from the provider, whatever has to be asked and waited for until it is signed in (R28.10). */
  readonly loginMs: number
  /** For a logout address or the admin page (R12.2). */
  readonly pageMs: number
  /** For a logout token, which is to be answered within 2 s (R13.3). */
  readonly logoutTokenMs: number
}

export const DEFAULT_TIMEOUTS: ProviderTimeouts = { loginMs: 10_000, pageMs: 2_000, logoutTokenMs: 1_500 }
