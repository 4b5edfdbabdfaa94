import { codePoints, text } from '@latchkey/http/text'

export const MAX_URL_LENGTH = 2048
const CONTROL_CHARACTER = /\p{Cc}/u
// A match can begin only at the first of several blanks. Trying each would take quadratic time
// before other text.
const SURROUNDING_BLANKS = /^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g
const TRAILING_SLASHES = /(?<!\/)\/+$/

/** An absolute http or https URL, as L6.4 accepts it. */
export const HttpUrl = text()
  .overwrite((value) => value.replaceAll(SURROUNDING_BLANKS, ''))
  .refine((value) => !CONTROL_CHARACTER.test(value), {
    error: 'must not contain control characters',
    params: { problem: 'malformed' },
    abort: true,
  })
  .refine((value) => codePoints(value) <= MAX_URL_LENGTH, {
    error: `must be at most ${MAX_URL_LENGTH} characters`,
    params: { problem: 'too_long' },
    abort: true,
  })
  .refine((value) => URL.canParse(value), { error: 'url must be a valid URL', abort: true })
  .refine(isHttp, { error: 'url must use http or https', abort: true })
  .meta({
    description: 'An absolute http or https URL.',
    maxLength: MAX_URL_LENGTH,
    // Surrounding blanks are dropped; control characters inside are refused.
    pattern: '^[ \\t\\r\\n]*[Hh][Tt][Tt][Pp][Ss]?:[^\\x00-\\x1f\\x7f-\\x9f]+[ \\t\\r\\n]*$',
    examples: ['https://example.com/'],
  })

/** A destination as L6.5 stores it. */
export const DestinationUrl = HttpUrl.overwrite(normaliseUrl).meta({
  ...HttpUrl.meta(),
  description: 'Destination of the link: an absolute http or https URL.',
})

function isHttp(value: string): boolean {
  const { protocol } = new URL(value)
  return protocol === 'http:' || protocol === 'https:'
}

/**
 * Drops an empty `?` and an empty `#`, and the path's trailing slashes if neither query nor
 * fragment follows; nothing else. Different spellings of one destination then count as duplicates.
 */
export function normaliseUrl(url: string): string {
  let rest = url.endsWith('#') && url.indexOf('#') === url.length - 1 ? url.slice(0, -1) : url
  const fragment = rest.includes('#') ? rest.slice(rest.indexOf('#')) : ''
  rest = rest.slice(0, rest.length - fragment.length)
  if (rest.endsWith('?') && rest.indexOf('?') === rest.length - 1) rest = rest.slice(0, -1)
  if (fragment !== '' || rest.includes('?')) return rest + fragment
  const shorter = rest.replace(TRAILING_SLASHES, '')
  // An address of only slashes would leave `https:`. WHATWG URLs allow some such spellings.
  return URL.canParse(shorter) ? shorter : rest
}

/** Returns the columns of a link that follow from its URL. */
export function urlColumns(url: string): { url_key: number; host: string } {
  return { url_key: urlKey(url), host: new URL(url).host }
}

/**
 * Returns 53 bits of a hash, enough for an index lookup to match one URL. The caller compares the
 * URL itself.
 */
export function urlKey(url: string): number {
  return Number(BigInt.asUintN(53, Bun.hash.xxHash64(url)))
}
