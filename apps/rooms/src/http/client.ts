import { isIP } from 'node:net'
import { type Proxies, clientAddress } from '@latchkey/http/client-address'
import ipaddr from 'ipaddr.js'

/**
 * The client's address (R3.4), for limits and records; it authenticates nobody. `X-Forwarded-For` is walked from the right;
 * any other header counts only with exactly one value; whatever cannot be told is the peer.
 */
export function clientIp(request: Request, peer: string, proxies: Proxies): string {
  const own = clientAddress(request, peer, { ...proxies, header: null })
  const { header, trusted } = proxies
  if (header === null) return own
  if (header.toLowerCase() !== 'x-forwarded-for' && request.headers.get(header)?.includes(',')) return own
  const told = clientAddress(request, peer, proxies)
  return isIP(told) === 0 || trusted.has(told) ? own : told
}

/** What limits count by: an IPv4 address, or the /64 of an IPv6 one, which a single customer has whole. */
export function prefixOf(address: string): string {
  if (isIP(address) !== 6) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toRFC5952String()}/64`
}
