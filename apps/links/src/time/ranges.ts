const DAY = 86_400

/**
 * Ranges of statistics: windows that end now. `seconds` is the length; `all` begins with the first
 * click. `unit` is that of the timeline (L14.4), `sparkline` that of sparklines, with
 * calendar months for the two longest ranges (L14.8). No dependencies: the web client imports it.
 */
export const ranges = {
  '24h': { seconds: DAY, unit: 'hour', sparkline: 'hour', label: '24 hours' },
  '7d': { seconds: 7 * DAY, unit: 'day', sparkline: 'day', label: '7 days' },
  '30d': { seconds: 30 * DAY, unit: 'day', sparkline: 'day', label: '30 days' },
  '90d': { seconds: 90 * DAY, unit: 'day', sparkline: 'day', label: '90 days' },
  '1y': { seconds: 365 * DAY, unit: 'week', sparkline: 'month', label: '12 months' },
  all: { seconds: null, unit: null, sparkline: 'month', label: 'all time' },
} as const

export type Range = keyof typeof ranges

/** Shortest first. */
export const rangeNames = Object.keys(ranges) as readonly Range[]
