export interface Bucket {
  /** `YYYY-MM-DD HH`, `YYYY-MM-DD` (a day, or the Monday of a week) or `YYYY-MM`. */
  label: string
  count: number
}

export type BucketUnit = 'hour' | 'day' | 'week' | 'month'

const DAY_MS = 86_400_000
const WEEK_DAYS = 7

/** Start of a bucket, with its label read as UTC. */
function startOf(label: string): Date {
  const [date = '', hour = '00'] = label.split(' ')
  return new Date(`${date.length === 7 ? `${date}-01` : date}T${hour}:00:00Z`)
}

/** Returns the unit of a timeline, from the format and the distance of its labels. */
export function unitOf(buckets: readonly Bucket[]): BucketUnit {
  const [first, second] = buckets
  if (first?.label.includes(' ')) return 'hour'
  if (first?.label.length === 7) return 'month'
  if (!first || !second) return 'day'
  const days = (startOf(second.label).getTime() - startOf(first.label).getTime()) / DAY_MS
  return days >= WEEK_DAYS ? 'week' : 'day'
}

const SHORT = {
  hour: { hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
} as const satisfies Record<BucketUnit, Intl.DateTimeFormatOptions>

const LONG = {
  hour: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  week: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'long', year: 'numeric' },
} as const satisfies Record<BucketUnit, Intl.DateTimeFormatOptions>

/** Formats of buckets in a language: `short` for an axis, `long` for a tooltip or a table. */
export function bucketNames(language: string, unit: BucketUnit) {
  // Labels are already in the requested time zone. Another conversion would shift them.
  const formatter = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
    return (label: string) => format.format(startOf(label))
  }
  return { short: formatter(SHORT[unit]), long: formatter(LONG[unit]) }
}
