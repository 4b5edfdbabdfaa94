/**
 * Signs beyond ASCII that end an address, as in a text without spaces: punctuation of sentences,
 * quotes and brackets.
 */
const SIGN = String.raw`(?![\0-\x7f])[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}\u2014\u2015\u2025\u2026\u055c-\u055e]`
const FOREIGN = String.raw`(?!${SIGN})[^\0-\x7f\s]`
/** Brackets that are signs belong to the end of a path if they follow one of its letters: `张伟（演员）`. */
const PAIR = String.raw`(?<=(?![\0-\x7f])[\p{L}\p{M}\p{N}])(?=${SIGN})\p{Ps}(?:[^\s<>"()\x80-\u{10ffff}]|${FOREIGN})*(?=${SIGN})\p{Pe}(?=$|[\s/?#&.,;:!?)]|${SIGN})`
/** A quote between letters is an apostrophe. */
const APOSTROPHE = String.raw`(?<=\p{Script=Latin})\u2019(?=\p{Script=Latin})`
const PARENTHESES = String.raw`\((?:[^\s<>"()\x80-\u{10ffff}]|${FOREIGN})*\)`
/**
 * An address in text, with punctuation that may follow it. Brackets belong to it in pairs. Each
 * character can match in one way only, so the time is linear.
 */
const ADDRESS = String.raw`[hH][tT]{2}[pP][sS]?:\/\/(?:[^\s<>"()\x80-\u{10ffff}]|${FOREIGN}|${PARENTHESES}|${PAIR}|${APOSTROPHE})+`
const ADDRESSES = new RegExp(ADDRESS, 'gu')
const ADDRESS_AT_START = new RegExp(`^<?(${ADDRESS})`, 'u')
/** What does not end an address: punctuation, among it the dots and dashes within foreign names. */
const NO_END = /[.,;:!?\]}'*_~\xb7\u2010-\u2013\u30fb]/

function withoutPunctuation(address: string): string {
  let end = address.length
  while (NO_END.test(address.charAt(end - 1))) end--
  return address.slice(0, end)
}

/** Characters that are invisible, or change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/** Characters that look like the dots of a host name. */
const DOTS =
  /[\u00b7\u0387\u06d4\u0701\u0702\u2022\u2024\u2027\u2219\u22c5\u2e31\u3002\u30fb\ua4f8\uff0e\uff61]/g

/**
 * Host names, and numeric addresses, in text that is normalised by `hostsIn`. None begins within
 * another, so the time is linear.
 */
const HOST = /(?<![\p{L}\p{M}\p{N}_-]\.?)(?:[\p{L}\p{M}\p{N}_-]+\.)+(?:\p{L}[\p{L}\p{M}\p{N}-]+|\d+)/gu

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
  for (const { 0: match, index } of text.matchAll(ADDRESSES)) {
    const address = withoutPunctuation(match)
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
 * Length of the address at the start of `text`, safe or not, with the angle brackets around it if
 * there are any. 0 if there is no address.
 */
export function addressLength(text: string): number {
  const { length } = withoutPunctuation(ADDRESS_AT_START.exec(text)?.[1] ?? '')
  if (length === 0 || !text.startsWith('<')) return length
  return text.charAt(length + 1) === '>' ? length + 2 : 0
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
