import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns the client prefix of an address: an IPv4 address itself, or the /64 of an IPv6 address,
 * which a single customer has whole. Anything else is returned unchanged.
 *
 * @example prefixOf('2001:db8::7') // '2001:db8::/64'
 */
export function prefixOf(address: string): string {
  if (isIP(address) !== 6) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toRFC5952String()}/64`
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.\d{1,3}(\/24)?$/
// The second half of a /64 is zero, so `::` can only be at its end.
const IPV6 = /^([0-9a-f]{1,4})?(?::([0-9a-f]{1,4}))?(?::([0-9a-f]{1,4}))?(?::([0-9a-f]{1,4}))?::\/(64|56|48)$/

/**
 * Returns the next wider network around a client prefix or a result of this function: /56, /48 and
 * /32 of IPv6, /24 and /16 of IPv4. Undefined for the widest network and for anything that is not a
 * prefix.
 *
 * @example
 * widerPrefix('2001:db8:1:2ff::/64') // '2001:db8:1:200::/56'
 * widerPrefix('192.0.2.7') // '192.0.2.0/24'
 */
export function widerPrefix(prefix: string): string | undefined {
  return prefix.includes(':') ? widerIPv6(prefix) : widerIPv4(prefix)
}

/** Returns all networks around a prefix, the narrowest first. */
export function widerPrefixes(prefix: string): string[] {
  const wider = widerPrefix(prefix)
  return wider === undefined ? [] : [wider, ...widerPrefixes(wider)]
}

function widerIPv4(prefix: string): string | undefined {
  const [match, first, second, third, isNetwork] = IPV4.exec(prefix) ?? []
  if (match === undefined) return undefined
  return isNetwork ? `${first}.${second}.0.0/16` : `${first}.${second}.${third}.0/24`
}

function widerIPv6(prefix: string): string | undefined {
  const [match, first = '0', second = '0', third = '0', fourth = '0', bits] = IPV6.exec(prefix) ?? []
  if (match === undefined) return undefined
  if (bits === '48') return formatPrefix([first, second], 32)
  if (bits === '56') return formatPrefix([first, second, third], 48)
  return formatPrefix([first, second, third, fourth.length > 2 ? `${fourth.slice(0, -2)}00` : '0'], 56)
}

function formatPrefix(groups: string[], bits: number): string {
  while (groups.at(-1) === '0') groups.pop()
  return `${groups.join(':')}::/${bits}`
}
