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
