import type { Dimension } from '../../clicks/dimensions.ts'

/** The column of each dimension that clicks are filtered by and broken down by. */
export const columnOf = {
  country: 'country',
  referrer_host: 'referrer_host',
  referrer: 'referrer',
  channel: 'channel',
  device: 'device_type',
  os: 'os',
  browser: 'browser',
  link_mode: 'link_mode',
  utm_source: 'utm_source',
  utm_medium: 'utm_medium',
  utm_campaign: 'utm_campaign',
  variant: 'variant',
} as const satisfies Record<string, Dimension>
export type ValueDimension = keyof typeof columnOf
export const valueDimensions = Object.keys(columnOf) as readonly ValueDimension[]

/** All dimensions, by the names of filters and breakdowns. */
export const explorerDimensions = [...valueDimensions, 'slug', 'link', 'bundle'] as const
export type ExplorerDimension = (typeof explorerDimensions)[number]

/** Stands for links of no bundle where ids of bundles are expected. */
export const NO_BUNDLE = 0
