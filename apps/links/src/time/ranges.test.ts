import { expect, test } from 'bun:test'
import { abbreviateRange, rangeInWords, rangeNames } from './ranges.ts'

test('a range has a name and an abbreviation in the language of the reader', () => {
  const names = (language: string) => rangeNames.map((range) => rangeInWords(range, language, '∞'))
  expect(names('en')).toEqual(['24 hours', '7 days', '30 days', '90 days', '12 months', '∞'])
  expect(names('id')).toEqual(['24 jam', '7 hari', '30 hari', '90 hari', '12 bulan', '∞'])
  const abbreviations = (language: string) => rangeNames.map((range) => abbreviateRange(range, language, '∞'))
  expect(abbreviations('en')).toEqual(['24h', '7d', '30d', '90d', '1y', '∞'])
  expect(abbreviations('sv').at(-2)).toMatch(/^1\sår$/)
})
