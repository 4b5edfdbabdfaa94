import { z } from 'zod'

/**
 * Year 9999, the last moment that every client can display (L23). The limit also refuses
 * milliseconds, which would otherwise be read as the far future.
 */
export const MAX_MOMENT = 253_402_300_799

/** 15 digits, which a double represents exactly. */
export const MAX_ID = 999_999_999_999_999

export const Id = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
  .refine((id) => id > 0)
  .meta({ type: 'integer', minimum: 1, maximum: MAX_ID } as z.core.GlobalMeta)

/** The id of a link in a body or in the arguments of an assistant. */
export const LinkId = z.int().min(1).max(MAX_ID).meta({ description: 'The `id` of a link.' })

export const IdParams = z.object({ id: Id })

/** The size of a page of a list. */
export function pageLimit(max: number, byDefault: number) {
  return wholeNumber(1, max).default(byDefault).meta({ description: 'The most entries of an answer.' })
}

export const PageQuery = z.object({
  limit: pageLimit(1000, 1000),
  cursor: z.string().optional().meta({
    description: 'The cursor from the `Link` header of the previous page.',
    pattern: '^[A-Za-z0-9_-]+$',
  }),
})

/** A number of up to 15 digits in a query string. */
export function wholeText(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max } as z.core.GlobalMeta)
}

/** A whole number in a query string, between `min` and `max` inclusive. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^-?\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max } as z.core.GlobalMeta)
}

export const DeltaPct = z.int().optional().meta({
  description: 'Change in percent from the previous period; absent if that had no clicks.',
})

export const NameCount = z.object({ name: z.string(), count: z.int() }).meta({ id: 'NameCount' })
export type NameCount = z.output<typeof NameCount>
