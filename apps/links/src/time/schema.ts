import { z } from 'zod'
import { isTimeZone } from './calendar.ts'
import { rangeNames } from './ranges.ts'

export const Range = z
  .enum(rangeNames)
  .meta({ id: 'Range', description: 'A window that ends now, exact to the second.' })
export type Range = z.output<typeof Range>

export const TimeZone = z
  .string()
  .refine(isTimeZone, 'must be the name of an IANA time zone')
  .meta({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' })
