import { expect, test } from 'bun:test'
import { countDays, formatAverage } from './average.ts'

const now = Date.parse('2026-03-20T12:00:00Z') / 1000
const day = (label: string) => ({ label, count: 1 })
const at = (moment: string) => Date.parse(moment) / 1000

test('an average covers the days of its range, whenever the link was created', () => {
  const input = { buckets: [], createdAt: now - 60, now }
  expect((['24h', '7d', '30d', '90d', '1y'] as const).map((range) => countDays({ ...input, range }))).toEqual(
    [1, 7, 30, 90, 365],
  )
})

test('an average of all time covers the days since the first click', () => {
  const all = { range: 'all', now } as const
  const since = (createdAt: string, ...labels: string[]) =>
    countDays({ ...all, createdAt: at(createdAt), buckets: labels.map(day) })
  // Created and clicked on the same day: time before its creation does not count.
  expect(since('2026-03-18T18:00:00Z', '2026-03-18', '2026-03-19', '2026-03-20')).toBe(1)
  // First clicked long after its creation.
  expect(since('2025-01-01T00:00:00Z', '2026-03-10', '2026-03-11')).toBe(10)
  // Imported clicks are older than the link.
  expect(since('2026-03-20T11:00:00Z', '2024-01', '2024-02')).toBe(809)
  expect(since('2026-03-20T11:59:00Z', '2026-03-20')).toBe(1)
  expect(since('2026-03-20T11:59:00Z')).toBe(1)
})

test('the days of an average begin in the time zone of the browser', () => {
  const { TZ } = process.env
  try {
    for (const [zone, moment, label, days] of [
      ['America/Los_Angeles', '2026-03-20T06:00:00Z', '2026-03-18', 1],
      ['America/Los_Angeles', '2026-03-20T06:00:00Z', '2026-03', 18],
      ['Asia/Tokyo', '2026-03-20T20:00:00Z', '2026-03-18', 3],
    ] as const) {
      process.env['TZ'] = zone
      const input = { range: 'all', buckets: [day(label)], createdAt: 0, now: at(moment) } as const
      expect([zone, label, countDays(input)]).toEqual([zone, label, days])
    }
  } finally {
    if (TZ === undefined) delete process.env['TZ']
    else process.env['TZ'] = TZ
  }
})

test('L18.5: an average has two decimals below 1, one below 10, otherwise none', () => {
  const averages = [0, 0.004, 0.05, 0.999, 1, 9.94, 9.96, 10, 1234.5]
  expect(averages.map((value) => formatAverage(value, 'en'))).toEqual([
    '0',
    '0.00',
    '0.05',
    '1.00',
    '1.0',
    '9.9',
    '10.0',
    '10',
    '1,235',
  ])
  expect(formatAverage(2.5, 'sv')).toBe('2,5')
})
