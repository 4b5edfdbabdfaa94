import { codePoints, text } from '@latchkey/http/text'
import type { z } from 'zod'

/** `text` of at most `limit` code points. */
export function boundedText(limit: number, whole = text()): z.ZodString {
  return whole
    .refine((value) => codePoints(value) <= limit, `must be at most ${limit} characters`)
    .meta({ maxLength: limit })
}

/** `boundedText` without the blanks around it, which do not count. */
export function trimmedText(limit: number): z.ZodString {
  return boundedText(limit, text().trim())
}
