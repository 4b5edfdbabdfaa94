import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type ForwardedElement, parseForwarded } from './forwarded.ts'

/** A compiled list of addresses and CIDR ranges. */
export interface Trusted {
  /**
   * True when `address`, in any notation, is in the list; false for anything that is not an
   * address.
   */
  has(address: string): boolean
}

/**
 * The trusted proxies, and the header in which they name the client. Null: no header is trusted.
 */
export interface Proxies {
  readonly header: string | null
  readonly trusted: Trusted
}

/**
 * Compiles addresses and CIDR ranges. Throws a `TypeError` for anything else. Settings are
 * validated earlier.
 *
 * @example parseTrusted(['10.0.0.0/8', '::1']).has('10.1.2.3') // true
 */
export function parseTrusted(list: readonly string[]): Trusted {
  const ranges = new BlockList()
  for (const entry of list) addRange(ranges, entry)
  // Nearly every call asks for one of a few proxies, so the last result usually applies.
  let lastAddress = ''
  let lastAnswer = false
  return {
    has(address) {
      if (address === lastAddress) return lastAnswer
      const plain = canonical(address)
      lastAnswer = plain !== null && ranges.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
      lastAddress = address
      return lastAnswer
    },
  }
}

function addRange(ranges: BlockList, entry: string): void {
  const [address = '', prefix] = entry.split('/')
  const plain = canonical(address)
  if (plain === null || (prefix !== undefined && !ipaddr.isValidCIDR(entry)))
    throw new TypeError(`Not an address or CIDR range: ${entry}`)
  const family = isIPv4(plain) ? 'ipv4' : 'ipv6'
  if (prefix === undefined) return ranges.addAddress(plain, family)
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8
  const mapped = family === 'ipv4' && address.includes(':')
  return ranges.addSubnet(plain, Math.max(Number(prefix) - (mapped ? 96 : 0), 0), family)
}

/**
 * Returns the address of the client: the socket's peer, or the address that the proxies' header
 * names. The header is trusted only when the peer is a trusted proxy. In its list, the rightmost
 * address that is not itself trusted counts. At an entry that is not an address, the search ends
 * with the last valid hop, at worst the peer. IPv6 is compressed (RFC 5952) and mapped IPv4 becomes
 * IPv4, which gives each client one address. Never throws.
 *
 * @example
 * const proxies = { header: 'X-Forwarded-For', trusted: parseTrusted(['10.0.0.0/8']) }
 * clientAddress(request, '10.0.0.1', proxies) // with `X-Forwarded-For: 203.0.113.7`: '203.0.113.7'
 */
export function clientAddress(request: Request, peer: string, { header, trusted }: Proxies): string {
  // Sockets report addresses in one notation, except IPv4 as mapped when they listen on both
  // families.
  const own = peer.startsWith('::ffff:') ? (canonical(peer) ?? peer) : peer
  if (header === null || !trusted.has(own)) return own
  const value = request.headers.get(header)
  if (value === null) return own
  // The usual case: one proxy, one address.
  if (isIPv4(value)) return value
  return rightmostUntrusted(hopsOf(header, value), own, trusted)
}

function hopsOf(header: string, value: string): string[] {
  if (!isStandard(header)) return value.split(',')
  return parseForwarded(value).map((element) => element.for ?? '')
}

function rightmostUntrusted(hops: readonly string[], peer: string, trusted: Trusted): string {
  let nearest = peer
  for (const hop of hops.toReversed()) {
    const address = readHop(hop)
    if (address === null) return nearest
    if (!trusted.has(address)) return address
    nearest = address
  }
  return nearest
}

// 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1], [2001:db8::1]:80
function readHop(hop: string): string | null {
  const text = hop.trim()
  if (isIPv4(text)) return text
  const [, bracketed, withPort] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined) return isIPv6(bracketed) ? canonical(bracketed) : null
  return canonical(withPort ?? text)
}

/**
 * True for a loopback address: 127.0.0.0/8 or ::1, also as mapped IPv4. False for anything that is
 * not an address.
 *
 * @example isLoopback('::ffff:127.0.0.1') // true
 */
export function isLoopback(address: string): boolean {
  const plain = canonical(address)
  return plain === '::1' || (plain?.startsWith('127.') ?? false)
}

/**
 * Returns the origin by which the client addresses the service, for URLs when no base URL is set.
 * Scheme and host come from the request. A trusted peer may correct them with `X-Forwarded-Proto`
 * and `X-Forwarded-Host`, or with `Forwarded` when that is the configured header. In a list, the
 * rightmost value counts: the one that the nearest proxy added. Values that are not a scheme or
 * host are ignored. Null when the request itself names no host.
 *
 * @example forwardedOrigin(request, '10.0.0.1', proxies) // 'https://go.example.com'
 */
export function forwardedOrigin(request: Request, peer: string, { header, trusted }: Proxies): string | null {
  const url = URL.parse(request.url)
  if (url === null) return null
  if (!trusted.has(peer)) return url.origin
  const forwarded = isStandard(header) ? lastForwarded(request) : lastOfEach(request)
  const proto = forwarded.proto?.toLowerCase()
  const scheme = proto === 'http' || proto === 'https' ? proto : url.protocol.slice(0, -1)
  return originOf(scheme, forwarded.host) ?? originOf(scheme, url.host)
}

function lastForwarded({ headers }: Request): ForwardedElement {
  return parseForwarded(headers.get('forwarded') ?? '').at(-1) ?? {}
}

function lastOfEach({ headers }: Request): { proto?: string | undefined; host?: string | undefined } {
  const last = (name: string) => headers.get(name)?.split(',').at(-1)?.trim()
  return { proto: last('x-forwarded-proto'), host: last('x-forwarded-host') }
}

// A host name, IPv4 or bracketed IPv6 with an optional port. Nothing that could become a path, a
// query or a user name.
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

function originOf(scheme: string, host: string | undefined): string | null {
  if (host === undefined || !HOST.test(host)) return null
  return URL.parse(`${scheme}://${host}`)?.origin ?? null
}

/** True for `Forwarded` of RFC 7239, false for the older `X-Forwarded-…` headers. */
function isStandard(header: string | null): boolean {
  return header?.toLowerCase() === 'forwarded'
}

/** Normalises an address to one notation. Null for anything that is not an address. */
function canonical(address: string): string | null {
  if (isIPv4(address)) return address
  // A zone (fe80::1%eth0) names an interface of this machine, not of the peer.
  const bare = address.split('%')[0] ?? ''
  if (isIP(bare) !== 6) return null
  const parsed = ipaddr.IPv6.parse(bare)
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.toRFC5952String()
}
