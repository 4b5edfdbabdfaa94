import { codePoints, text } from '@latchkey/http/text'
import { z } from 'zod'

const MAX_LENGTH = 2048
const CONTROL_CHARACTER = /\p{Cc}/u
// Only the first of several blanks begins a match: trying each takes quadratic time where something follows them.
const SURROUNDING_BLANKS = /^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g
const TRAILING_SLASHES = /(?<!\/)\/+$/

/** A target as L6.4 takes it and L6.5 stores it. */
export const DestinationUrl = text()
  .transform((value) => value.replaceAll(SURROUNDING_BLANKS, ''))
  .pipe(
    z
      .string()
      .refine((value) => !CONTROL_CHARACTER.test(value), {
        error: 'must not contain control characters',
        params: { problem: 'malformed' },
        abort: true,
      })
      .refine((value) => codePoints(value) <= MAX_LENGTH, {
        error: `must be at most ${MAX_LENGTH} characters`,
        params: { problem: 'too_long' },
        abort: true,
      })
      .refine((value) => URL.canParse(value), { error: 'url must be a valid URL', abort: true })
      .refine(isHttp, { error: 'url must use http or https', abort: true }),
  )
  .transform(normaliseUrl)
  .meta({
    description: 'Destination of the link: an absolute http or https URL.',
    maxLength: MAX_LENGTH,
    // Blanks around it are dropped; within it control characters are refused.
    pattern: '^[ \\t\\r\\n]*[Hh][Tt][Tt][Pp][Ss]?:[^\\x00-\\x1f\\x7f-\\x9f]+[ \\t\\r\\n]*$',
    examples: ['https://example.com/'],
  })

function isHttp(value: string): boolean {
  const { protocol } = new URL(value)
  return protocol === 'http:' || protocol === 'https:'
}

/**
 * Drops an empty `?` and an empty `#`, and the path's trailing slashes when neither query nor fragment follows; nothing
 * else. Two spellings of one target then meet in the duplicate rule.
 */
export function normaliseUrl(url: string): string {
  let rest = url.endsWith('#') && url.indexOf('#') === url.length - 1 ? url.slice(0, -1) : url
  const fragment = rest.includes('#') ? rest.slice(rest.indexOf('#')) : ''
  rest = rest.slice(0, rest.length - fragment.length)
  if (rest.endsWith('?') && rest.indexOf('?') === rest.length - 1) rest = rest.slice(0, -1)
  if (fragment !== '' || rest.includes('?')) return rest + fragment
  const shorter = rest.replace(TRAILING_SLASHES, '')
  // `https:` alone would be left of an address that is nothing but slashes; WHATWG URLs allow some such spellings.
  return URL.canParse(shorter) ? shorter : rest
}

/** 53 bits of a hash, enough to make an index lookup hit one URL; equality is checked on the URL itself. */
export function urlKey(url: string): number {
  return Number(BigInt.asUintN(53, Bun.hash.xxHash64(url)))
}
