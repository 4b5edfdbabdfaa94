import { z } from 'zod'

export const Share = z
  .object({
    created_at: z.int().nullable().meta({ description: 'Unix seconds; null if nothing is shared.' }),
  })
  .meta({ id: 'Share' })

export const NewShare = z
  .object({
    url: z.string().meta({ description: 'Only this answer contains it; the database has its hash.' }),
    created_at: z.int(),
  })
  .meta({ id: 'NewShare' })
export type NewShare = z.output<typeof NewShare>
