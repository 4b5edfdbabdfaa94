import { expect, test } from 'bun:test'
import { countDays, formatAverage } from './average.ts'

const to = Date.parse('2026-03-20T12:00:00Z') / 1000
const since = (range: Parameters<typeof countDays>[0]['range'], moment: string) =>
  countDays({ range, from: Date.parse(moment) / 1000, to })

test('an average covers the days of its range', () => {
  const days = (['24h', '7d', '30d', '90d', '1y'] as const).map((range) =>
    since(range, '2026-03-20T11:00:00Z'),
  )
  expect(days).toEqual([1, 7, 30, 90, 365])
})

test('an average of all time covers the whole days since the first click', () => {
  expect(since('all', '2026-03-18T18:00:00Z')).toBe(1)
  expect(since('all', '2026-03-10T12:00:00Z')).toBe(10)
  expect(since('all', '2026-03-20T11:59:00Z')).toBe(1)
})

test('an average of a custom window covers its length, at least a day', () => {
  expect(since(null, '2026-03-19T00:00:01Z')).toBe(1.5)
  expect(since(null, '2026-03-20T11:00:00Z')).toBe(1)
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
