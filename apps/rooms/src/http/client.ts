import { isIP } from 'node:net'
import { clientAddress } from '@latchkey/http/client-address'
import { prefixOf } from '@latchkey/http/client-prefix'
import type { Services } from '../services.ts'

/** The origin of a request, for rate limits and records. It authenticates no one (R3.4). */
export interface Client {
  ip: string
  /** The key of rate limits. */
  prefix: string
}

/**
 * The only place that resolves client addresses. Counts requests whose address header comes from a
 * peer that is not a trusted proxy.
 */
export function clientOf(
  { proxies, metrics }: Pick<Services, 'proxies' | 'metrics'>,
  request: Request,
  peer: string,
): Client {
  const ip = addressOf(request, peer, proxies)
  if (proxies.header !== null && request.headers.has(proxies.header) && !proxies.trusted.has(peer))
    metrics.countIgnoredProxyHeader()
  return { ip, prefix: prefixOf(ip) }
}

/**
 * `X-Forwarded-For` is read from the right. Any other header counts only if it has exactly one
 * value. The fallback is the peer.
 */
function addressOf(request: Request, peer: string, proxies: Services['proxies']): string {
  const { header, trusted } = proxies
  const own = clientAddress(request, peer, { header: null, trusted })
  if (header === null) return own
  if (header.toLowerCase() !== 'x-forwarded-for' && request.headers.get(header)?.includes(',')) return own
  const forwarded = clientAddress(request, peer, proxies)
  return isIP(forwarded) === 0 || trusted.has(forwarded) ? own : forwarded
}
