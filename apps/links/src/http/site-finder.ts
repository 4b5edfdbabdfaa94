import { type Proxies, forwardedOrigin } from '@latchkey/http/client-address'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import type { Site, Sites } from '../domains/sites.ts'
import { isMcpHost } from '../urls/host.ts'
import type { PeerSource } from '../redirect/redirect.ts'
import type { Settings } from '../settings/settings.ts'
import { peerOf } from './peer.ts'

interface SiteFinderDependencies {
  settings: Pick<Settings, 'domains' | 'strictHost' | 'baseUrl' | 'trustedProxies'>
  sites: Sites
  proxies: Proxies
}

/** Finds the domain that a request is for; undefined if its host is refused (L31.3). */
export type SiteFinder = (request: Request, host: string, server: PeerSource) => Site | undefined

/**
 * Creates the function that finds the domain of a request by the host of its URL, or by the one that
 * a trusted proxy names. With the default domain alone, no host is read.
 */
export function createSiteFinder({ settings, sites, proxies }: SiteFinderDependencies): SiteFinder {
  const { domains, strictHost, baseUrl, trustedProxies } = settings
  if (domains.length === 0 && !strictHost) return () => sites.of(null)
  const defaultHost = baseUrl === null ? null : new URL(baseUrl).hostname
  const further = new Set(domains)
  const forwardedHeader = proxies.header?.toLowerCase() === 'forwarded' ? 'forwarded' : 'x-forwarded-host'
  return (request, host, server) => {
    const isForwarded = trustedProxies.length > 0 && request.headers.has(forwardedHeader)
    const name = isForwarded
      ? hostNameOf(forwardedOrigin(request, peerOf(request, server), proxies)?.replace(/^https?:\/\//, ''))
      : hostNameOf(host)
    if (further.has(name)) return sites.of(name)
    const isDefault = name === defaultHost || isLoopbackHost(name) || isMcpHost(name, 0)
    return strictHost && !isDefault ? undefined : sites.of(null)
  }
}

/** The name in a host, without port and last dot. */
function hostNameOf(host = ''): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
