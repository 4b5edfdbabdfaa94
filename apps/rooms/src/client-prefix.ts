import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What limits count by and lists show: an IPv4 address, or the /64 of an IPv6 one, which a single customer has whole. */
export function prefixOf(address: string): string {
  if (isIP(address) !== 6) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toRFC5952String()}/64`
}
