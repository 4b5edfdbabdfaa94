import type { Log } from '@latchkey/http/log'
import { createOAuth2Provider } from './oauth2.ts'
import { createOidcProvider } from './oidc.ts'
import { type OutboundOptions, type ProviderMetrics, createOutbound } from './outbound.ts'
import type { ProviderConfig } from '../identity/provider-config.ts'
import type { Provider } from './provider.ts'
import {
  DEFAULT_TIMEOUTS,
  type ProviderTimeouts,
  type ProviderDependencies,
} from './provider-dependencies.ts'

export interface ProviderOptions {
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly metrics: ProviderMetrics
  /** Timeouts and name resolution, for tests. */
  readonly outbound?: Pick<OutboundOptions, 'connectMs' | 'callMs' | 'resolve'>
  readonly timeouts?: Partial<ProviderTimeouts>
}

/** Creates the provider of an instance, which makes no request before the first login (R4.3). */
export function createProvider(config: ProviderConfig, options: ProviderOptions): Provider {
  const { log, now, metrics } = options
  const dependencies: ProviderDependencies = {
    outbound: createOutbound({ privateHosts: privateHosts(config), now, metrics, ...options.outbound }),
    log,
    now,
    metrics,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
  }
  return config.mode === 'oauth2'
    ? createOAuth2Provider(config, dependencies)
    : createOidcProvider(config, dependencies)
}

/**
 * Hosts that may have private addresses: those that the operator configured as issuer, endpoint or
 * trusted host (R4.6).
 */
function privateHosts(config: ProviderConfig): ReadonlySet<string> {
  if (config.mode !== 'oauth2') return new Set([new URL(config.issuer).hostname, ...config.trustedHosts])
  return new Set([config.tokenEndpoint, config.userinfoEndpoint].map((url) => new URL(url).hostname))
}
