import { type Range, ranges } from '../../../analytics/ranges.ts'
import type { Bucket } from '../../parts/bucket.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** `YYYY-MM-DD HH`, `YYYY-MM-DD` and `YYYY-MM` are prefixes of an ISO date, except for its `T`. */
const LABEL_LENGTHS = { hour: 13, day: 10, month: 7 }

/** A time in the UTC bucket that is `offset` buckets before the bucket of `now`. */
function startOf(unit: keyof typeof LABEL_LENGTHS, now: Date, offset: number): Date {
  if (unit === 'month') return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - offset))
  return new Date(now.getTime() - offset * (unit === 'hour' ? HOUR_MS : DAY_MS))
}

/**
 * Labels the counts of a sparkline with their UTC hour, day or month. The last is that of `now`.
 */
export function labelBuckets(counts: readonly number[], range: Range, now: Date): Bucket[] {
  const unit = ranges[range].sparkline
  return counts.map((count, index) => ({
    label: startOf(unit, now, counts.length - 1 - index)
      .toISOString()
      .slice(0, LABEL_LENGTHS[unit])
      .replace('T', ' '),
    count,
  }))
}
