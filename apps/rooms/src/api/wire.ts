import { z } from 'zod'

/** Random id (UUID, lower case). Other text cannot be an id: 404 in a path. */
export const Id = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  .meta({ format: 'uuid' })

/** ISO 8601, UTC (R16.1). */
export const Moment = z.string().meta({ format: 'date-time' })

/** A time in a query, in ISO 8601 with any offset, as milliseconds since 1970. */
export const QueriedTime = z.iso.datetime({ offset: true }).transform((moment) => Date.parse(moment))

export function toMoment(ms: number): string {
  return new Date(ms).toISOString()
}

export function toMomentOrNull(ms: number | null): string | null {
  return ms === null ? null : toMoment(ms)
}

export const Success = z.object({ success: z.literal(true) })
export const SUCCESS = { success: true } as const
