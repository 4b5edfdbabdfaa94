import { z } from 'zod'

/** Characters are Unicode code points, so an emoji counts once. */
export function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

/** Text that both engines store unchanged: PostgreSQL knows no NUL and no half of a surrogate pair. */
export function text(): z.ZodString {
  return z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), {
    error: 'must be well-formed Unicode without NUL',
    abort: true,
  })
}

/** Lower case for searching, the same on both engines and for all letters. */
export function folded(value: string): string {
  return value.normalize('NFC').toLowerCase()
}
