import { momentFormat } from '@latchkey/web/formats'
export interface Bucket {
  /** `YYYY-MM-DD HH`, `YYYY-MM-DD` (a day, or the Monday of a week) or `YYYY-MM`. */
  label: string
  /** Unix seconds. That of the first bucket is the start of the window. */
  start: number
  clicks: number
}

export type BucketUnit = 'hour' | 'day' | 'week' | 'month'

export interface Timeline {
  unit: BucketUnit
  /** Ascending, without gaps. */
  buckets: readonly Bucket[]
  /** The buckets to compare with, by position. */
  comparison: readonly Bucket[] | null
  first_partial: boolean
  last_partial: boolean
}

/** Start of a bucket, with its label read as UTC. */
function startOf(label: string): Date {
  const [date = '', hour = '00'] = label.split(' ')
  return new Date(`${date.length === 7 ? `${date}-01` : date}T${hour}:00:00Z`)
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
    const format = momentFormat(language, { ...options, timeZone: 'UTC' })
    return (label: string) => format.format(startOf(label))
  }
  return { short: formatter(SHORT[unit]), long: formatter(LONG[unit]) }
}
