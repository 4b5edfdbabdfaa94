import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { type Range, rangeNames, ranges } from './ranges.ts'
import { type BucketUnit, bucketOf, sparkline } from './sparkline.ts'
import { HOUR, currentWindow } from './window.ts'

const labelLengths = { hour: 'YYYY-MM-DDTHH'.length, day: 'YYYY-MM-DD'.length, month: 'YYYY-MM'.length }

function labelOf(unit: BucketUnit, at: number): string {
  return new Date(at * 1000).toISOString().slice(0, labelLengths[unit])
}

/** Every calendar label that the window overlaps, found hour by hour. */
function labelsBetween(unit: BucketUnit, from: number, to: number): string[] {
  const labels = new Set<string>()
  for (let at = from; at < to; at += HOUR) labels.add(labelOf(unit, at))
  return [...labels.add(labelOf(unit, to))]
}

function expectedSparkline(range: Range, now: number, clicks: readonly number[]): number[] {
  const unit = ranges[range].sparkline
  const first = clicks.reduce((earliest, at) => Math.min(earliest, at), Infinity)
  const from = range === 'all' ? first : currentWindow(range, now).from
  if (from === Infinity) return []
  return labelsBetween(unit, from, now).map(
    (label) => clicks.filter((at) => labelOf(unit, at) === label).length,
  )
}

function countByBucket(unit: BucketUnit, clicks: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const at of clicks) counts.set(bucketOf(unit, at), (counts.get(bucketOf(unit, at)) ?? 0) + 1)
  return counts
}

const seconds = (from: string, to: string) =>
  fc.integer({ min: Date.parse(from) / 1000, max: Date.parse(to) / 1000 })
const anyNow = seconds('2016-01-01T00:00:00Z', '2040-12-31T23:59:59Z')

test('L14.8 a sparkline has the same counts as a scan of the clicks by calendar label', () => {
  const ages = fc.array(fc.integer({ min: 0, max: 500 * 24 * HOUR }), { maxLength: 30 })
  fc.assert(
    fc.property(fc.constantFrom(...rangeNames), anyNow, ages, (range, now, ageOf) => {
      const { from } = currentWindow(range, now)
      const clicks = ageOf.map((age) => now - age).filter((at) => at >= from)
      const counts = sparkline(range, now, countByBucket(ranges[range].sparkline, clicks))
      expect(counts).toEqual(expectedSparkline(range, now, clicks))
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(clicks.length)
    }),
    { numRuns: 300 },
  )
})

test('each range has its number of buckets at any time of day', () => {
  fc.assert(
    fc.property(anyNow, (now) => {
      const length = (range: Range) => sparkline(range, now, new Map()).length
      expect([length('24h'), length('7d'), length('30d'), length('90d')]).toEqual([25, 8, 31, 91])
      expect([12, 13]).toContain(length('1y'))
    }),
  )
})

function monthsOfYearBefore(now: string): number {
  return sparkline('1y', Date.parse(now) / 1000, new Map()).length
}

test('a year has thirteen months unless it starts on the first of a month', () => {
  expect(monthsOfYearBefore('2026-01-15T12:00:00Z')).toBe(13)
  expect(monthsOfYearBefore('2024-12-31T00:00:00Z')).toBe(12)
  expect(monthsOfYearBefore('2025-12-31T23:59:59Z')).toBe(13)
})

test('L14.8 L24.7 months are neither skipped nor repeated at the turn of the year', () => {
  const now = Date.parse('2026-02-01T00:00:00Z') / 1000
  const clicks = new Map([
    [202_311, 1],
    [202_312, 2],
    [202_401, 3],
    [202_512, 4],
    [202_601, 5],
    [202_602, 6],
  ])
  const zeros = Array.from({ length: 22 }, () => 0)
  expect(sparkline('all', now, clicks)).toEqual([1, 2, 3, ...zeros, 4, 5, 6])
})

test('without clicks, all time has no buckets and every other range has zeros', () => {
  expect(sparkline('all', 1_768_480_496, new Map())).toEqual([])
  expect(sparkline('all', 1_768_480_496, new Map([[202_512, 0]]))).toEqual([])
  expect(sparkline('7d', 1_768_480_496, new Map())).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
})

test('buckets outside the window are left out', () => {
  const now = 1_768_480_496
  const days = new Map([
    [-1, 7],
    [bucketOf('day', now) - 8, 5],
    [bucketOf('day', now) + 1, 3],
  ])
  expect(sparkline('7d', now, days)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
})
