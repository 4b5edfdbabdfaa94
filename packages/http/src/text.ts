import { z } from 'zod'

/** Counts the characters of a text as Unicode code points: an emoji counts once. */
export function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** Describes `text` in JSON Schema, which has no portable pattern for lone surrogates. */
const TEXT_PATTERN = '^[^\\x00]*$'

/** Text that both engines store unchanged: PostgreSQL accepts neither NUL nor lone surrogates. */
export function text(): z.ZodString {
  return z
    .string()
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      error: 'must be well-formed Unicode without NUL',
      params: { problem: 'malformed' },
      abort: true,
    })
    .meta({ pattern: TEXT_PATTERN })
}

/**
 * Keeps at most 30 combining marks in a row, as in the Stream-Safe Text Format of UAX #15. Ordering
 * marks takes quadratic time: 40 ms for 2,000.
 */
export function boundMarks(value: string): string {
  return value.replaceAll(/(\p{M}{30})\p{M}+/gu, '$1')
}

/** Converts a text to lower case for search, identically on both engines and for all letters. */
export function foldText(value: string): string {
  return boundMarks(value).normalize('NFC').toLowerCase()
}

/**
 * Folds all cases of a letter into one for search: upper-casing first turns ß and ẞ into ss, and ı
 * into i. The two small sigmas are merged and the dot that İ leaves is removed, because both depend
 * on where a part was cut.
 */
export function foldCases(value: string): string {
  return foldText(value.toLowerCase().toUpperCase()).replaceAll('ς', 'σ').replaceAll('i\u0307', 'i')
}
