import { z } from 'zod'
import { OwnDomain } from '../domains/schema.ts'
import { DeltaPct, NameCount } from '../api/fields.ts'
import { Range } from '../time/schema.ts'

/** The breakdowns that can be paged through, by their names in ClickStats (L14.5, L14.6). */
export const breakdownNames = [
  'countries',
  'referrers',
  'referrer_hosts',
  'os',
  'browsers',
  'utm_sources',
  'utm_mediums',
  'utm_campaigns',
  'devices',
  'link_modes',
  'channels',
] as const
export const BreakdownName = z.enum(breakdownNames)
export type BreakdownName = z.output<typeof BreakdownName>

const Names = z.array(NameCount)
const TopNames = Names.max(10)
const SlugCount = z.object({ slug: z.string(), domain: OwnDomain, count: z.int() }).meta({ id: 'SlugCount' })
const DateCount = z
  .object({ date: z.string().meta({ description: 'YYYY-MM-DD' }), count: z.int() })
  .meta({ id: 'DateCount' })

export const ClickStats = z
  .object({
    total_clicks: z.int(),
    delta_pct: DeltaPct,
    unique_visitors: z.int().meta({
      description: 'One per visitor and UTC day. 0 beside clicks: unknown, as of imported clicks.',
    }),
    countries: TopNames,
    referrers: TopNames,
    referrer_hosts: TopNames,
    os: TopNames,
    browsers: TopNames,
    utm_sources: TopNames,
    utm_mediums: TopNames,
    utm_campaigns: TopNames,
    devices: Names,
    link_modes: Names,
    channels: Names,
    clicks_over_time: z
      .array(DateCount)
      .max(30)
      .meta({ description: 'The latest days with clicks in the window, ascending.' }),
    slug_clicks: z.array(SlugCount),
    num_countries: z.int(),
    num_referrers: z.int(),
    num_referrer_hosts: z.int(),
    num_os: z.int(),
    num_browsers: z.int(),
  })
  .meta({ id: 'ClickStats' })
export type ClickStats = z.output<typeof ClickStats>

export const Summary = z
  .object({
    last_24h: z.int(),
    last_7d: z.int(),
    last_30d: z.int(),
    last_90d: z.int(),
    last_1y: z.int(),
  })
  .meta({ id: 'Summary' })
export type Summary = z.output<typeof Summary>

export const TimelineData = z
  .object({
    range: Range,
    buckets: z
      .array(z.object({ label: z.string(), count: z.int() }).meta({ id: 'Bucket' }))
      .meta({ description: 'One per calendar unit that the window touches; they add up to its total.' }),
    summary: Summary,
  })
  .meta({ id: 'TimelineData' })
export type TimelineData = z.output<typeof TimelineData>

export const Breakdown = z
  .object({ items: Names, total: z.int().meta({ description: 'Number of distinct values.' }) })
  .meta({ id: 'Breakdown' })
export type Breakdown = z.output<typeof Breakdown>
