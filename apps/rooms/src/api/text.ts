import { codePoints, text } from '@latchkey/http/text'
import { z } from 'zod'
import { isVisible } from '@latchkey/http/visible'

/**
 * Text without surrounding white space, of `min` to `max` characters after trimming (R15.3). At
 * least one character must be visible unless `min` is 0.
 */
export function trimmedText(min: number, max: number): z.ZodPipe<z.ZodString, z.ZodString> {
  return text()
    .pipe(
      z
        .string()
        .trim()
        .refine((value) => codePoints(value) >= min, `must have at least ${min} characters`)
        .refine((value) => min === 0 || isVisible(value), 'must have at least 1 visible character')
        .refine((value) => codePoints(value) <= max, `must have at most ${max} characters`),
    )
    .meta({ minLength: min, maxLength: max })
}
