import { parseSlugKey } from './slug.ts'

/** The limit of RFC 1035. */
export const MAX_HOST_LENGTH = 253
/** Beyond ASCII, IDNA decides, which maps or refuses each character. */
const HOST_CHARACTERS = /^(?:[\w.-]|[^\0-\x7f])+$/
/** The last label has a letter: otherwise it is an IP address. */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*(?=[^.]*[a-z])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * Returns a host name as browsers send it: lower case, IDNA names as A-labels, without a last dot.
 * Undefined for anything else, such as an IP address or a host with a port.
 *
 * @example toHost('Länk.example') // 'xn--lnk-qla.example'
 */
export function toHost(text: string): string | undefined {
  if (!HOST_CHARACTERS.test(text)) return undefined
  const host = URL.parse(`http://${text}`)?.hostname.replace(/\.$/, '')
  return host !== undefined && host.length <= MAX_HOST_LENGTH && HOST_NAME.test(host) ? host : undefined
}

const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const IP_ADDRESS = `(?:(?:${BYTE}\\.){3}${BYTE}|\\[[0-9A-Fa-f:.]+\\])`
const WHOLE_IP_ADDRESS = new RegExp(`^${IP_ADDRESS}$`)

// ASCII letters, digits and everything beyond ASCII; the same with `_`; and with `-`, too.
const LETTER = '[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]'
const EDGE = '[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]'
const LABEL = `${EDGE}(?:[^\\x00-\\x2c\\x2e\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*${EDGE})?`
const LAST_LABEL = `(?=[^.]*[^\\x00-\\x40\\x5b-\\x60\\x7b-\\x7f])${LETTER}(?:[^\\x00-\\x2c\\x2e\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]*${LETTER})?`

/** Describes a host name or an IP address in JSON Schema, which cannot state the rules of IDNA. */
export const HOST_PATTERN = `^(?:(?:${LABEL}\\.)*${LAST_LABEL}\\.?|${IP_ADDRESS})$`

/** Returns an IP address as URLs have it, in brackets for IPv6. Undefined for anything else. */
export function toIpHost(text: string): string | undefined {
  return WHOLE_IP_ADDRESS.test(text) ? URL.parse(`http://${text}`)?.hostname : undefined
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

/**
 * Whether the host of this URL is dedicated to the MCP endpoint: `mcp.<domain>`. `host` is the offset
 * of the host.
 */
export function isMcpHost(url: string, host: number): boolean {
  return url.startsWith('mcp.', host)
}
