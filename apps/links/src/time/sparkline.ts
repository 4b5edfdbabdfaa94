import { type Range, ranges } from './ranges.ts'
import { DAY, HOUR, currentWindow, hourOf } from './window.ts'

export type BucketUnit = 'hour' | 'day' | 'month'

/** The UTC bucket of a moment: hours or days since 1970, or the month as YYYYMM. */
export function bucketOf(unit: BucketUnit, at: number): number {
  if (unit === 'hour') return Math.floor(at / HOUR)
  if (unit === 'day') return Math.floor(at / DAY)
  const date = new Date(at * 1000)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}

/** The end of the bucket that contains this moment, exclusive; both in Unix seconds. */
export function bucketEnd(unit: BucketUnit, at: number): number {
  if (unit === 'hour') return hourOf(at) + HOUR
  if (unit === 'day') return at - (at % DAY) + DAY
  const date = new Date(at * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000
}

const DECEMBER = 12

function bucketAfter(unit: BucketUnit, bucket: number): number {
  const isDecember = unit === 'month' && bucket % 100 === DECEMBER
  return isDecember ? bucket + 100 - DECEMBER + 1 : bucket + 1
}

/**
 * Counts of every bucket that overlaps the window, from the counts of clicked buckets. `all` starts
 * with the first bucket that has clicks, and is empty without clicks.
 */
export function sparkline(range: Range, now: number, clicks: ReadonlyMap<number, number>): number[] {
  const unit = ranges[range].sparkline
  const last = bucketOf(unit, now)
  const counts: number[] = []
  for (let bucket = firstBucket(range, now, clicks); bucket <= last; bucket = bucketAfter(unit, bucket))
    counts.push(clicks.get(bucket) ?? 0)
  return counts
}

function firstBucket(range: Range, now: number, clicks: ReadonlyMap<number, number>): number {
  if (range !== 'all') return bucketOf(ranges[range].sparkline, currentWindow(range, now).from)
  let first = Infinity
  for (const [bucket, count] of clicks) if (count > 0 && bucket < first) first = bucket
  return first
}
