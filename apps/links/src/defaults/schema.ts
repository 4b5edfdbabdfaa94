import { z } from 'zod'
import { MAX_ID } from '../api/fields.ts'

/** Seconds. The dialog for a new link shows an expiry in whole minutes. */
const MIN_EXPIRES_IN = 3600
/** A hundred years, in seconds. */
const MAX_EXPIRES_IN = 3_155_760_000

/** What the pages put into a new link of a person (L47.1). */
export const LinkDefaults = z.strictObject({
  domain: z
    .string()
    .max(253)
    .nullable()
    .meta({ description: 'A short domain; null for the default domain.' }),
  bundle: z.int().min(1).max(MAX_ID).nullable().meta({ description: 'The `id` of a bundle.' }),
  expires_in: z.int().min(MIN_EXPIRES_IN).max(MAX_EXPIRES_IN).nullable().meta({
    description: 'Seconds from the creation to the expiry; null for no expiry.',
  }),
  forward_query: z.enum(['utm', 'all']).nullable().meta({
    description: 'Parameters of the short URL that are added to the destination.',
  }),
})
export type LinkDefaults = z.output<typeof LinkDefaults>

export const NO_DEFAULTS: LinkDefaults = { domain: null, bundle: null, expires_in: null, forward_query: null }
