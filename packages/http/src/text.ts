import { z } from 'zod'

/** Characters are Unicode code points, so an emoji counts once. */
export function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** Describes `text` in JSON Schema, which has no portable pattern for halves of surrogate pairs. */
export const TEXT_PATTERN = '^[^\\x00]*$'

/** Text that both engines store unchanged: PostgreSQL knows no NUL and no half of a surrogate pair. */
export function text(): z.ZodString {
  return z
    .string()
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      error: 'must be well-formed Unicode without NUL',
      abort: true,
    })
    .meta({ pattern: TEXT_PATTERN })
}

/**
 * At most 30 marks in a row, as in the Stream-Safe Text Format of UAX #15: ordering them takes the square of their number,
 * which for 2,000 is 40 ms.
 */
export function boundMarks(value: string): string {
  return value.replaceAll(/(\p{M}{30})\p{M}+/gu, '$1')
}

/** Lower case for searching, the same on both engines and for all letters. */
export function foldText(value: string): string {
  return boundMarks(value).normalize('NFC').toLowerCase()
}
