import { z } from 'zod'
import { MAX_MOMENT, Id, pageLimit, wholeNumber } from '../../api/fields.ts'
import { boundedText } from '../../api/text.ts'
import { Range, TimeZone } from '../../time/schema.ts'
import { NO_BUNDLE, type ValueDimension, explorerDimensions, valueDimensions } from './dimensions.ts'
import { comparisons } from './windows.ts'

/** Values of one filter. A click passes with any of them. */
const MAX_VALUES = 50
/** The longest stored values are referrers. */
const MAX_LENGTH = 2048

const Values = z.array(boundedText(MAX_LENGTH)).max(MAX_VALUES).optional().meta({
  description: 'Only clicks with one of these values; an empty one stands for clicks without a value.',
})
const Ids = z.array(Id).max(MAX_VALUES).optional()

const BundleIds = z
  .array(
    z
      .literal('')
      .transform(() => NO_BUNDLE)
      .or(Id),
  )
  .max(MAX_VALUES)
  .optional()

const Moment = z
  .string()
  .regex(/^\d{1,12}$/, 'must be a whole number of seconds')
  .transform(Number)
  .pipe(z.int().max(MAX_MOMENT))
  .meta({ type: 'integer', minimum: 0, maximum: MAX_MOMENT } as z.core.GlobalMeta)

const valueFilters = Object.fromEntries(valueDimensions.map((name) => [name, Values])) as Record<
  ValueDimension,
  typeof Values
>

export const AnalyticsQuery = z.object({
  range: Range.optional(),
  from: Moment.optional().meta({ description: 'Start of a custom window, Unix seconds; replaces `range`.' }),
  to: Moment.optional().meta({ description: 'End of a custom window, inclusive; now if missing or later.' }),
  tz: TimeZone.default('UTC').meta({
    description: 'Time zone of the calendar; it never shifts the window.',
  }),
  compare: z.enum(comparisons).optional(),
  link: Ids.meta({ description: 'Only clicks on these links.' }),
  bundle: BundleIds.meta({
    description: 'Only clicks on the links of these bundles; an empty value stands for links of no bundle.',
  }),
  slug: Values.meta({
    description:
      'Only clicks on these slugs; off the default domain with the host, as in `go.example.org/launch`.',
  }),
  ...valueFilters,
})
export type AnalyticsQuery = z.output<typeof AnalyticsQuery>

const MAX_SEARCH_LENGTH = 256
const MAX_OFFSET = 999_999_999

export const BreakdownExportQuery = AnalyticsQuery.extend({
  dimension: z.enum(explorerDimensions),
  search: boundedText(MAX_SEARCH_LENGTH).optional().meta({
    description: 'Words, each of which is in the value, or in the name or URL of the link or bundle.',
  }),
})

export const AnalyticsBreakdownQuery = BreakdownExportQuery.extend({
  offset: wholeNumber(0, MAX_OFFSET).default(0),
  limit: pageLimit(100, 10),
})

/** True if raw clicks have to be read: rollups know only links and bundles. */
export function isFiltered(query: AnalyticsQuery): boolean {
  return (
    query.slug !== undefined ||
    query.bundle?.includes(NO_BUNDLE) === true ||
    valueDimensions.some((name) => query[name] !== undefined)
  )
}
