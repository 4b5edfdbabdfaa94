import { expect, test } from 'bun:test'
import { bucketNames } from './bucket.ts'
import { countryNames } from './country.ts'

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
