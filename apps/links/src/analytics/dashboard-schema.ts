import { z } from 'zod'
import { sparklineUnits } from '../time/ranges.ts'
import { Link } from '../links/schema.ts'
import { NameCount } from '../api/fields.ts'
import { Range } from '../time/schema.ts'

const Delta = z.int().optional().meta({
  description: 'Change in percent from the previous period; absent if that had no clicks.',
})
const Sparkline = z.array(z.int()).meta({
  description: `Clicks ${sparklineUnits}.`,
})

export const DashboardStats = z
  .object({
    range: Range,
    total_links: z.int().meta({ description: 'Links created in the window.' }),
    total_clicks: z.int(),
    total_clicks_previous: z.int(),
    total_clicks_delta: Delta,
    new_links_delta: Delta,
    clicks_per_day: z.int(),
    days: z.int().meta({
      description:
        'The days that `clicks_per_day` averages over; for `all`, the days since the first click, at least 1.',
    }),
    clicks_per_day_delta: Delta,
    num_domains: z.int().meta({ description: 'Distinct referrer hosts; same as `num_referrers`.' }),
    num_countries: z.int(),
    clicked_links: z.int().meta({ description: 'Links with clicks in the window.' }),
    clicked_links_delta: Delta,
    timeline: Sparkline,
    timeline_links: Sparkline,
    timeline_clicked_links: Sparkline,
    recent_links: z
      .array(Link)
      .max(5)
      .meta({ description: 'The newest links, with their clicks in the window.' }),
    top_links: z
      .array(Link)
      .max(5)
      .meta({ description: 'The most clicked links in the window, with those clicks.' }),
    top_countries: z.array(NameCount).max(5),
    top_referrers: z.array(NameCount).max(5).meta({ description: 'Referrer hosts.' }),
    num_referrers: z.int().meta({ description: 'Distinct referrer hosts.' }),
  })
  .meta({ id: 'DashboardStats' })
export type DashboardStats = z.output<typeof DashboardStats>
