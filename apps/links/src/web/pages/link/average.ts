import type { Range } from '../../../analytics/schema.ts'
import type { Bucket } from '../../parts/bucket.ts'

const DAY_SECONDS = 86_400

const DAYS: Readonly<Record<Exclude<Range, 'all'>, number>> = {
  '24h': 1,
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '1y': 365,
}

/** A day, a week or a month begins where the reader is: in their time zone the buckets were asked for (parts/zone.ts). */
const startOf = (label: string) => Date.parse(`${label.length === 7 ? `${label}-01` : label}T00:00`) / 1000

interface AverageInput {
  range: Range
  buckets: readonly Bucket[]
  /** Unix seconds. */
  createdAt: number
  now: number
}

/**
 * How many days an average is over: those of the range, and for all time those since the first click, at least one. The
 * first click is known to its bucket only; a link made within that bucket was clicked no earlier than it was made.
 */
export function countDays({ range, buckets, createdAt, now }: AverageInput): number {
  if (range !== 'all') return DAYS[range]
  const [first, second] = buckets.map(({ label }) => startOf(label))
  if (first === undefined) return 1
  const since = createdAt > first && createdAt < (second ?? now) ? createdAt : first
  return Math.max(1, Math.floor((now - since) / DAY_SECONDS))
}

/** 0 as `0`, below 1 with two decimals, below 10 with one, else with none (L18.5). */
export function formatAverage(value: number, language: string): string {
  const digits = value === 0 || value >= 10 ? 0 : value < 1 ? 2 : 1
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value)
}
