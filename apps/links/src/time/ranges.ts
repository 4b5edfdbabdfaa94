const DAY = 86_400

/**
 * Ranges of statistics: windows that end now. `seconds` is the length, and `words` what it is called;
 * `all` begins with the first click. `unit` is that of the timeline (L14.4), `sparkline` that of sparklines, with
 * calendar months for the two longest ranges (L14.8). No dependencies: the web client imports it.
 */
export const ranges = {
  '24h': { seconds: DAY, unit: 'hour', sparkline: 'hour', words: [24, 'hour'] },
  '7d': { seconds: 7 * DAY, unit: 'day', sparkline: 'day', words: [7, 'day'] },
  '30d': { seconds: 30 * DAY, unit: 'day', sparkline: 'day', words: [30, 'day'] },
  '90d': { seconds: 90 * DAY, unit: 'day', sparkline: 'day', words: [90, 'day'] },
  '1y': { seconds: 365 * DAY, unit: 'week', sparkline: 'month', words: [12, 'month'] },
  all: { seconds: null, unit: null, sparkline: 'month', words: null },
} as const

export type Range = keyof typeof ranges

/** Returns a range in words of a language: `90 days`. `all` has the name that the caller gives. */
export function rangeInWords(range: Range, language: string, allTime: string): string {
  const { words } = ranges[range]
  if (words === null) return allTime
  const [count, unit] = words
  return formatUnit(language, 'long', count, unit)
}

const UNITS = { h: 'hour', d: 'day', y: 'year' } as const

/** Returns a range in few letters of a language: `90d`. */
export function abbreviateRange(range: Range, language: string, allTime: string): string {
  const [, count, unit] = /^(\d+)([hdy])$/.exec(range) ?? []
  if (count === undefined) return allTime
  // Only English is read well in its narrowest form: a year is “1å” in Swedish.
  const unitDisplay = language === 'en' ? 'narrow' : 'short'
  return formatUnit(language, unitDisplay, Number(count), UNITS[unit as keyof typeof UNITS])
}

const formatUnit = (
  language: string,
  unitDisplay: 'long' | 'short' | 'narrow',
  count: number,
  unit: string,
) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }).format(count)

/** The names of all ranges, shortest first. */
export const rangeNames = Object.keys(ranges) as readonly Range[]

const rangesBy = (unit: 'hour' | 'day' | 'month') =>
  `${unit} (${rangeNames.filter((range) => ranges[range].sparkline === unit).join(', ')})`

/** The units of sparklines, for descriptions in the API: `by hour (24h), day (…) or month (…)`. */
export const sparklineUnits = `by ${rangesBy('hour')}, ${rangesBy('day')} or ${rangesBy('month')}, in UTC`
