import { codePoints, text } from '@latchkey/http/text'
import type { z } from 'zod'

/** `text` of at most `limit` code points. */
export function boundedText(limit: number, schema = text()): z.ZodString {
  return schema
    .refine((value) => codePoints(value) <= limit, {
      error: `must be at most ${limit} characters`,
      params: { problem: 'too_long' },
    })
    .meta({ maxLength: limit })
}

/** `boundedText` without the blanks around it, which do not count. */
export function trimmedText(limit: number): z.ZodString {
  return boundedText(limit, text().trim())
}

/** Direction marks, invisible letters and the like; without joiners, which some scripts and emoji need. */
const FORMAT_CHARACTERS = /(?![\u200C\u200D])\p{Cf}/gu

/** A text that shows as it is stored: with direction marks it could show as another one. */
export function withoutFormat(value: string): string {
  return value.replace(FORMAT_CHARACTERS, '')
}
