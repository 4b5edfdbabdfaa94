import { text, codePoints } from '@latchkey/http/text'
import { z } from 'zod'

const MAX_TITLE_LENGTH = 120

export const Scope = z.enum(['create', 'read', 'create,read'], {
  error: () => 'Scope must be one of: create, read, create,read',
})
export type Scope = z.output<typeof Scope>

/**
 * Whether a key with these scopes may use operations of the required scope, or of both; `create`
 * never implies `read` (L4.2).
 */
export function permits(scopes: string, required: string): boolean {
  const granted = scopes.split(',')
  return required.split(',').every((scope) => granted.includes(scope))
}

export const ApiKey = z
  .object({
    id: z.int(),
    title: z.string(),
    key_prefix: z.string().meta({ description: 'First 7 characters of the key.' }),
    scope: Scope,
    created_at: z.int(),
    last_used_at: z.int().nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.output<typeof ApiKey>

export const NewApiKey = z.object({
  title: z
    .preprocess((value) => value ?? '', text())
    .transform((title) => title.trim())
    .pipe(
      z
        .string()
        .min(1, 'Title is required')
        .refine((title) => codePoints(title) <= MAX_TITLE_LENGTH, {
          error: `must be at most ${MAX_TITLE_LENGTH} characters`,
          params: { problem: 'too_long' },
        }),
    ),
  scope: Scope,
})
export type NewApiKey = z.output<typeof NewApiKey>
