// Which addresses the provider's hosts may have (R4.6).
import { isPublicAddress } from '@latchkey/http/outbound-address'
import ipaddr from 'ipaddr.js'

/** A host that the operator named may be `private`; one that only metadata names has to be `public`. */
export type Reach = 'public' | 'private'

// Where clouds answer with the machine's own credentials, beside 169.254.169.254, which is link-local: Alibaba, Azure,
// Oracle, AWS and Google.
const CLOUD_METADATA = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])
// No host of an operator lives there; the last three can hide any IPv4 address.
const NEVER = new Set(['linkLocal', 'unspecified', 'broadcast', 'multicast', '6to4', 'teredo', 'rfc6145'])
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96')

/** Whether a connection to the address may be made. Nothing may ever be link-local or a cloud's metadata service. */
export function mayConnect(address: string, reach: Reach): boolean {
  if (!ipaddr.isValid(address)) return false
  const inner = unwrap(ipaddr.parse(address))
  if (CLOUD_METADATA.has(inner.toString())) return false
  if (reach === 'public') return isPublicAddress(inner.toString())
  return !NEVER.has(inner.range()) && !isIpv4Compatible(inner)
}

/** The IPv4 address inside ::ffff:1.2.3.4 and 64:ff9b::1.2.3.4, since that is where packets to it end. */
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

/** ::1.2.3.4, long withdrawn; to ipaddr.js it is an ordinary address. */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.match(IPV4_COMPATIBLE) && address.range() === 'unicast'
}
