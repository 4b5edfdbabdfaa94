import { codePoints, text } from '@latchkey/http/text'
import { z } from 'zod'
import { MAX_INPUT_LENGTH, cleanName } from '../identity/display-name.ts'

/**
 * A line of `min` to `max` characters that others see, without control, bidirectional and invisible
 * characters, like the names of users (R8.3).
 */
export function cleanLine(min: 0 | 1, max: number) {
  return text()
    .trim()
    .max(MAX_INPUT_LENGTH)
    .transform(cleanName)
    .pipe(
      z
        .string()
        .min(min, 'must have at least 1 visible character')
        .refine((line) => codePoints(line) <= max, `must have at most ${max} characters`),
    )
    .meta({ minLength: min, maxLength: max })
}
