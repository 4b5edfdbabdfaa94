import { z } from 'zod'

const Flag = z.union([z.literal(0), z.literal(1)])

export const Slug = z
  .object({
    link_id: z.int(),
    slug: z.string(),
    is_custom: Flag,
    is_primary: Flag,
    click_count: z
      .int()
      .meta({ description: 'Raw clicks: lifetime, or in the window when `range` is given.' }),
    created_at: z.int(),
    disabled_at: z.int().nullable(),
  })
  .meta({ id: 'Slug' })
export type Slug = z.output<typeof Slug>
