// Addresses that hosts of the provider may have (R4.6).
import { isPublicAddress } from '@latchkey/http/outbound-address'
import ipaddr from 'ipaddr.js'

/**
 * `private`: any usable address, for hosts that the operator configured. `public`: for hosts that
 * only the metadata names.
 */
export type Reach = 'public' | 'private'

// Addresses at which clouds serve the credentials of a machine, besides the link-local
// 169.254.169.254: Alibaba, Azure, Oracle, AWS and Google.
const CLOUD_METADATA = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])
// Ranges that no host of an operator uses. The last three can contain any IPv4 address.
const NEVER = new Set(['linkLocal', 'unspecified', 'broadcast', 'multicast', '6to4', 'teredo', 'rfc6145'])
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96')

/**
 * Whether a connection to the address is permitted. Link-local addresses and cloud metadata
 * services never are.
 */
export function mayConnect(address: string, reach: Reach): boolean {
  if (!ipaddr.isValid(address)) return false
  const inner = unwrap(ipaddr.parse(address))
  if (CLOUD_METADATA.has(inner.toString())) return false
  if (reach === 'public') return isPublicAddress(inner.toString())
  return !NEVER.has(inner.range()) && !isIpv4Compatible(inner)
}

/** The IPv4 address in ::ffff:1.2.3.4 and 64:ff9b::1.2.3.4, to which packets are delivered. */
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

/** ::1.2.3.4, a deprecated form that ipaddr.js treats as an ordinary address. */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.match(IPV4_COMPATIBLE) && address.range() === 'unicast'
}
