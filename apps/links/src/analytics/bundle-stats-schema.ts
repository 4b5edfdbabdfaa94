import { z } from 'zod'
import { OwnDomain } from '../domains/schema.ts'
import { ClickStats, TimelineData } from './schema.ts'
import { Bundle } from '../bundles/schema.ts'

const Share = z.int().meta({ description: 'Percent of all clicks of the bundle in the window.' })

const Performer = z
  .object({
    slug: z.string().meta({ description: 'The primary slug.' }),
    domain: OwnDomain,
    label: z.string().nullable(),
    click_count: z.int(),
    pct_of_bundle: Share,
  })
  .meta({ id: 'Performer' })

const MemberClicks = z
  .object({
    link_id: z.int(),
    label: z.string().nullable(),
    primary_slug: z.string(),
    domain: OwnDomain,
    url: z.string(),
    click_count: z.int(),
    pct_of_bundle: Share,
    delta_pct: z.int().optional(),
  })
  .meta({ id: 'MemberClicks' })

export const BundleStats = ClickStats.extend({
  bundle: Bundle,
  link_count: z.int(),
  clicked_links: z.int(),
  top_performer: Performer.optional(),
  countries_reached: z.int(),
  top_country: z.object({ name: z.string(), pct: Share }).optional(),
  timeline: TimelineData,
  per_link: z.array(MemberClicks).meta({ description: 'All links, most clicked first.' }),
}).meta({ id: 'BundleStats' })
export type BundleStats = z.output<typeof BundleStats>
