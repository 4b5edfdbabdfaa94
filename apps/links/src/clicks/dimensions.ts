import type { ClickTable } from '../db/click-tables.ts'
import type { BreakdownName } from '../analytics/schema.ts'

/** Click columns that breakdowns group by. */
export const dimensions = [
  'country',
  'referrer',
  'referrer_host',
  'device_type',
  'os',
  'browser',
  'link_mode',
  'channel',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'variant',
] as const satisfies (keyof ClickTable)[]
export type Dimension = (typeof dimensions)[number]

/** The dimension of each breakdown in ClickStats. */
export const dimensionOfBreakdown = {
  countries: 'country',
  referrers: 'referrer',
  referrer_hosts: 'referrer_host',
  os: 'os',
  browsers: 'browser',
  utm_sources: 'utm_source',
  utm_mediums: 'utm_medium',
  utm_campaigns: 'utm_campaign',
  devices: 'device_type',
  link_modes: 'link_mode',
  channels: 'channel',
} as const satisfies Record<BreakdownName, Dimension>
