import { expect, test } from 'bun:test'
import { bucketNames, unitOf } from './bucket.ts'
import { countryNames } from './country.ts'

const bucketsLabelled = (...labels: string[]) => labels.map((label) => ({ label, count: 0 }))

test('the unit of a timeline follows from its labels', () => {
  expect(unitOf(bucketsLabelled('2026-11-21 09', '2026-11-21 10'))).toBe('hour')
  expect(unitOf(bucketsLabelled('2026-11-20', '2026-11-21'))).toBe('day')
  expect(unitOf(bucketsLabelled('2026-11-16', '2026-11-23'))).toBe('week')
  expect(unitOf(bucketsLabelled('2026-10', '2026-11'))).toBe('month')
  expect(unitOf(bucketsLabelled('2026-11-20'))).toBe('day')
  expect(unitOf([])).toBe('day')
})

test('a bucket is formatted for the language, whatever the time zone of the browser', () => {
  expect(bucketNames('en', 'day').long('2026-11-01')).toBe('Sun, Nov 1, 2026')
  expect(bucketNames('sv', 'hour').short('2026-11-21 00')).toBe('00:00')
  expect(bucketNames('id', 'month').long('2026-05')).toBe('Mei 2026')
})

test('a country has its name in the language, and an unknown code is unchanged', () => {
  expect(countryNames('sv')('DE')).toBe('Tyskland')
  expect(countryNames('id')('JP')).toBe('Jepang')
  for (const code of ['T1', 'XX', '', '<b>', 'DEU']) expect(countryNames('en')(code)).toBe(code)
})
