import { codePoints, text } from '@latchkey/http/text'
import type { z } from 'zod'

/** Text of at most `limit` code points. */
export function boundedText(limit: number, schema = text()): z.ZodString {
  return schema
    .refine((value) => codePoints(value) <= limit, {
      error: `must be at most ${limit} characters`,
      params: { problem: 'too_long' },
    })
    .meta({ maxLength: limit })
}

/** `boundedText` without surrounding blanks, which do not count. */
export function trimmedText(limit: number): z.ZodString {
  return boundedText(limit, text().trim())
}

/**
 * Direction marks, invisible letters and similar characters, except joiners, which some scripts and
 * emoji need.
 */
const FORMAT_CHARACTERS = /(?![\u200C\u200D])\p{Cf}/gu

/** Removes characters that would make a text look like another one, such as direction marks. */
export function withoutFormat(value: string): string {
  return value.replace(FORMAT_CHARACTERS, '')
}
