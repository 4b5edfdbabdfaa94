import { type Range, ranges } from '../../../analytics/ranges.ts'
import type { Bucket } from '../../parts/bucket.ts'

const DAY_SECONDS = 86_400

/**
 * Start of a day, week or month in the time zone of the browser, as requested
 * (`parts/time-zone.ts`).
 */
const startOf = (label: string) => Date.parse(`${label.length === 7 ? `${label}-01` : label}T00:00`) / 1000

interface AverageInput {
  range: Range
  buckets: readonly Bucket[]
  /** Unix seconds. */
  createdAt: number
  now: number
}

/**
 * Number of days for an average: the days of the range, or of all time since the first click, at
 * least 1. Only the bucket of the first click is known. For a link that was created within this
 * bucket, the days begin with its creation.
 */
export function countDays({ range, buckets, createdAt, now }: AverageInput): number {
  if (range !== 'all') return ranges[range].seconds / DAY_SECONDS
  const [first, second] = buckets.map(({ label }) => startOf(label))
  if (first === undefined) return 1
  const since = createdAt > first && createdAt < (second ?? now) ? createdAt : first
  return Math.max(1, Math.floor((now - since) / DAY_SECONDS))
}

/** Formats 0 as `0`, below 1 with two decimals, below 10 with one, else without (L18.5). */
export function formatAverage(value: number, language: string): string {
  const digits = value === 0 || value >= 10 ? 0 : value < 1 ? 2 : 1
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value)
}
