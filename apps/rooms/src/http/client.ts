import { isIP } from 'node:net'
import { clientAddress } from '@latchkey/http/client-address'
import { prefixOf } from '@latchkey/http/client-prefix'
import type { Services } from './services.ts'

/** From where a request comes, for limits and records; it authenticates nobody (R3.4). */
export interface Client {
  ip: string
  /** What limits count by. */
  prefix: string
}

/** The one resolver of client addresses. A header of addresses from a peer that is no proxy of ours is counted. */
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

/** `X-Forwarded-For` is walked from the right; any other header counts only with exactly one value; else it is the peer. */
function addressOf(request: Request, peer: string, proxies: Services['proxies']): string {
  const { header, trusted } = proxies
  const own = clientAddress(request, peer, { header: null, trusted })
  if (header === null) return own
  if (header.toLowerCase() !== 'x-forwarded-for' && request.headers.get(header)?.includes(',')) return own
  const forwarded = clientAddress(request, peer, proxies)
  return isIP(forwarded) === 0 || trusted.has(forwarded) ? own : forwarded
}
