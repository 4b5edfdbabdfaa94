import { parseSlugKey } from '../links/slugs/slug.ts'

/** RFC 1035. */
const MAX_HOST_LENGTH = 253
const HOST_CHARACTERS = /^[\p{L}\p{M}\p{N}._-]+$/u
/** The last label has a letter: otherwise it is an IP address. */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*(?=[^.]*[a-z])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * Returns a host name as browsers send it: lower case, IDNA names as A-labels, without a last dot.
 * Undefined for anything else, such as an IP address or a host with a port.
 *
 * @example toHost('Länk.example') // 'xn--lnk-ula.example'
 */
export function toHost(text: string): string | undefined {
  if (!HOST_CHARACTERS.test(text)) return undefined
  const host = URL.parse(`http://${text}`)?.hostname.replace(/\.$/, '')
  return host !== undefined && host.length <= MAX_HOST_LENGTH && HOST_NAME.test(host) ? host : undefined
}

const IP_ADDRESS = /^(?:[\d.]+|\[[\da-f:.]+\])$/i

/** Returns an IP address as it stands in URLs, in brackets for IPv6. Undefined for anything else. */
export function toIpHost(text: string): string | undefined {
  return IP_ADDRESS.test(text) ? URL.parse(`http://${text}`)?.hostname : undefined
}

/** The short URL of a slug key. `origin` is that of the default domain. */
export function shortUrl(origin: string, key: string): string {
  const { slug, domain } = parseSlugKey(key)
  return `${originOfDomain(origin, domain)}/${slug}`
}

/** The origin of the short URLs of a domain: that of the default domain, with the host of the domain. */
export function originOfDomain(origin: string, domain: string | null | undefined): string {
  if (domain === null || domain === undefined) return origin
  const url = new URL(origin)
  url.hostname = domain
  return url.origin
}
