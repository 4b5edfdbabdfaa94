import { text } from '@latchkey/http/text'
import { z } from 'zod'
import { IDENTITY_PATTERN, MAX_IDENTITY_LENGTH, isIdentity } from '../access/identity.ts'

export const Owner = text()
  .refine(isIdentity, {
    error: `must be a name of at most ${MAX_IDENTITY_LENGTH} characters, without control characters or surrounding whitespace`,
  })
  .meta({
    description: 'The identity of the new owner.',
    maxLength: MAX_IDENTITY_LENGTH,
    pattern: IDENTITY_PATTERN,
  })

export const Confirm = z.boolean().optional().meta({
  description: '`true` if the new owner has not created anything on this instance yet.',
})

export const NewOwner = z.object({ owner: Owner, confirm: Confirm }).meta({ id: 'NewOwner' })
