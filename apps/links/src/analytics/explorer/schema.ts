import { z } from 'zod'
import { Accent } from '../../bundles/schema.ts'
import { NameCount } from '../../api/fields.ts'
import { Range } from '../../time/schema.ts'
import { type ValueDimension, valueDimensions } from './dimensions.ts'

const Window = z.object({ from: z.int(), to: z.int() })
const Total = z.int().meta({ description: 'Number of distinct values.' })
const Unknown = z.int().meta({ description: 'Clicks without a value.' })

const Values = z
  .object({ items: z.array(NameCount), total: Total, unknown: Unknown })
  .meta({ id: 'AnalyticsValues' })

const ShownSlug = z
  .string()
  .meta({ description: 'Off the default domain with its host, as in `go.example.org/launch`.' })

const LinkItem = NameCount.extend({ slug: ShownSlug, label: z.string().nullable(), url: z.string() })
const Links = z
  .object({ items: z.array(LinkItem), total: Total, unknown: Unknown })
  .meta({ id: 'AnalyticsLinks' })

const BundleItem = NameCount.extend({
  label: z.string().meta({ description: 'Name of the bundle; `name` is its id.' }),
  accent: Accent,
  icon: z.string().nullable(),
})
const Bundles = z
  .object({ items: z.array(BundleItem), total: Total, unknown: Unknown })
  .meta({ id: 'AnalyticsBundles' })

export const AnalyticsBreakdown = z.union([Bundles, Links, Values])
export type AnalyticsBreakdown = z.output<typeof AnalyticsBreakdown>

const Bucket = z.object({
  label: z.string(),
  start: z.int().meta({ description: 'Unix seconds; that of the first bucket is the start of the window.' }),
  clicks: z.int(),
})

const Change = z
  .int()
  .optional()
  .meta({ description: 'Change in percent; absent if there was nothing before.' })

export const Analytics = z
  .object({
    window: Window.extend({ range: Range.nullable(), tz: z.string() }),
    comparison_window: Window.nullable(),
    filtered: z
      .boolean()
      .meta({ description: 'True with a filter other than `link` and `bundle`: read from raw clicks.' }),
    raw_since: z.int().nullable().meta({
      description:
        'Start of the kept raw clicks, if a window begins before it. Filtered statistics then cover later clicks only; others do so for visitors and referrers.',
    }),
    totals: z.object({
      clicks: z.int(),
      unique_visitors: z.int().meta({ description: 'One per visitor and UTC day.' }),
      clicked_links: z.int(),
      top_link: z
        .object({
          id: z.int(),
          slug: ShownSlug,
          label: z.string().nullable(),
          url: z.string(),
          clicks: z.int(),
        })
        .nullable(),
    }),
    comparison: z
      .object({
        clicks: z.int(),
        unique_visitors: z.int(),
        clicked_links: z.int(),
        clicks_delta: Change,
        unique_visitors_delta: Change,
        clicked_links_delta: Change,
      })
      .nullable(),
    timeline: z.object({
      unit: z.enum(['hour', 'day', 'week', 'month']),
      buckets: z.array(Bucket).meta({ description: 'They add up to the clicks of the window.' }),
      comparison: z.array(Bucket).nullable(),
      first_partial: z.boolean().meta({ description: 'The window begins inside the first bucket.' }),
      last_partial: z.boolean().meta({ description: 'The window ends inside the last bucket.' }),
    }),
    breakdowns: z.object({
      ...(Object.fromEntries(valueDimensions.map((name) => [name, Values])) as Record<
        ValueDimension,
        typeof Values
      >),
      slug: Values.optional().meta({ description: 'Only with a filter by link, bundle or slug.' }),
      link: Links,
      bundle: Bundles,
    }),
  })
  .meta({ id: 'Analytics' })
export type Analytics = z.output<typeof Analytics>
