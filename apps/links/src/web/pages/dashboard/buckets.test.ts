import { expect, test } from 'bun:test'
import { labelBuckets } from './buckets.ts'

const at = (iso: string) => new Date(iso)

test('the last count belongs to the current hour, day or month in UTC', () => {
  const now = at('2026-03-01T00:00:05Z')
  expect(labelBuckets([1, 2], '24h', now)).toEqual([
    { label: '2026-02-28 23', count: 1 },
    { label: '2026-03-01 00', count: 2 },
  ])
  expect(labelBuckets([1, 2], '7d', now).map(({ label }) => label)).toEqual(['2026-02-28', '2026-03-01'])
  expect(labelBuckets([1, 2, 3, 4], 'all', now).map(({ label }) => label)).toEqual([
    '2025-12',
    '2026-01',
    '2026-02',
    '2026-03',
  ])
})

test('at the end of a long month, no earlier month is skipped', () => {
  const labels = labelBuckets([0, 0, 0], '1y', at('2026-03-31T23:59:59Z')).map(({ label }) => label)
  expect(labels).toEqual(['2026-01', '2026-02', '2026-03'])
})

test('an empty list of counts has no buckets', () => {
  expect(labelBuckets([], 'all', at('2026-03-01T00:00:00Z'))).toEqual([])
})
