import { z } from 'zod'
import { OwnDomain } from '../domains/schema.ts'

/** A click without anything that identifies its visitor (L40). */
export const LiveClick = z
  .object({
    id: z.int(),
    link_id: z.int(),
    slug: z.string(),
    domain: OwnDomain,
    legacy_path: z
      .string()
      .exactOptional()
      .meta({ description: 'The legacy path that the visitor came by; absent for a slug.' }),
    clicked_at: z.int(),
    seconds_ago: z.int().meta({ description: "By the server's clock, at the time of the answer." }),
    country: z.string().nullable(),
    device_type: z.string().nullable(),
    os: z.string().nullable(),
    browser: z.string().nullable(),
  })
  .meta({ id: 'LiveClick' })
export type LiveClick = z.output<typeof LiveClick>

/** `more` is the number of further clicks that are not listed. */
export interface LiveClicks {
  clicks: LiveClick[]
  more: number
}
