import { codePoints, text } from '@latchkey/http/text'
import { z } from 'zod'
import { isVisible } from './visible.ts'

/** `text` without blanks around it, of `least` to `most` characters after they are gone (R15.3), one of which can be seen unless `least` is 0. */
export function trimmedText(min: number, max: number): z.ZodPipe<z.ZodString, z.ZodString> {
  return text()
    .pipe(
      z
        .string()
        .trim()
        .refine((value) => codePoints(value) >= min, `must have at least ${min} characters`)
        .refine((value) => min === 0 || isVisible(value), 'must have something that can be seen')
        .refine((value) => codePoints(value) <= max, `must have at most ${max} characters`),
    )
    .meta({ minLength: min, maxLength: max })
}
