/**
 * An address in text. Parentheses belong to it in pairs, and punctuation at its end does not. Each
 * character can match in one way only, so the time is linear.
 */
const ADDRESS = /https?:\/\/(?:[^\s<>"()]|\([^\s<>"()]*\))*(?:[^\s<>"().,;:!?\]}'*_~]|\([^\s<>"()]*\))/
const ADDRESSES = new RegExp(ADDRESS, 'gi')
const ADDRESS_AT_START = new RegExp(`^(?:<${ADDRESS.source}>|${ADDRESS.source})`, 'i')

/** Characters that are invisible, or change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Characters that look like the dots of a host name. */
const DOTS =
  /[\u00b7\u0387\u06d4\u0701\u0702\u2022\u2024\u2027\u2219\u22c5\u2e31\u3002\u30fb\ua4f8\uff0e\uff61]/g

/** Host names, and numeric addresses, in text that is normalised by `hostsIn`. */
const HOST = /(?:[\p{L}\p{M}\p{N}_-]+\.)+(?:\p{L}[\p{L}\p{M}\p{N}-]+|\d+)/gu

/** Part of a text: plain, or an address to link. */
export interface TextPart {
  text: string
  /** Where the address leads. Undefined for plain text. */
  href: string | undefined
}

/** Splits a text into plain parts and addresses, in their order. */
export function splitAddresses(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: address, index } of text.matchAll(ADDRESSES)) {
    const href = safeAddress(address)
    if (href === undefined) continue
    if (index > end) parts.push({ text: text.slice(end, index), href: undefined })
    parts.push({ text: address, href })
    end = index + address.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: undefined })
  return parts
}

/**
 * Length of the address at the start of `text`, with the angle brackets around it if there are any.
 * 0 if there is no address.
 */
export function addressLength(text: string): number {
  const address = ADDRESS_AT_START.exec(text)?.[0] ?? ''
  return safeAddress(withoutBrackets(address)) === undefined ? 0 : address.length
}

/** `<https://example.com>` as `https://example.com`. */
export const withoutBrackets = (address: string) => address.replace(/^<(.*)>$/s, '$1')

/**
 * Where a link may lead: to http, https or mailto. Undefined for every other scheme, and for
 * addresses that read like others, with user information or invisible characters.
 */
export function safeAddress(address: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address) || INVISIBLE.test(address) || !URL.canParse(address))
    return undefined
  const { protocol, username, password, pathname, href } = new URL(address)
  // Neither further recipients nor a text: only the address that people see.
  if (protocol === 'mailto:') return /^[^@/]+@[^@/]+$/.test(pathname) ? `mailto:${pathname}` : undefined
  return username === '' && password === '' && !/^https?:\/\/[^/?#\\]*@/i.test(address) ? href : undefined
}

/**
 * Host to show beside a link whose text names another one, or hides characters. Undefined for a text
 * that cannot be mistaken for an address.
 */
export function disguisedHost(text: string, href: string): string | undefined {
  const { hostname, pathname } = new URL(href)
  const target = hostname === '' ? pathname.replace(/^.*@/, '') : hostname
  const isDisguise = INVISIBLE.test(text) || hostsIn(text).some((host) => !isPlainly(host, target))
  return isDisguise ? target : undefined
}

function hostsIn(text: string): string[] {
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
  const hosts = visible.normalize('NFKC').replace(DOTS, '.').match(HOST) ?? []
  // The protocol alone makes a text an address, such as https://intranet.
  const named = /^\s*\w+:\/\/([^\s/?#:]+)/.exec(visible)?.[1]
  return named === undefined ? hosts : [named, ...hosts.slice(0, MAX_HOSTS)]
}

/** Host names of a text that are compared. One that differs is enough. */
const MAX_HOSTS = 20

/** True if the host name is `target`, and no letter in it could be mistaken for another. */
function isPlainly(host: string, target: string): boolean {
  const address = `http://${host}`
  if (!/^[\w.à-öø-ÿ-]+$/i.test(host) || !URL.canParse(address)) return false
  return new URL(address).hostname.replace(/^www\./, '') === target.replace(/^www\./, '')
}
