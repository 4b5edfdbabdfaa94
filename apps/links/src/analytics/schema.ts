import { z } from 'zod'

export const Range = z
  .enum(['24h', '7d', '30d', '90d', '1y', 'all'])
  .meta({ id: 'Range', description: 'A window that ends now, exact to the second.' })
export type Range = z.output<typeof Range>
