import { expect, test } from 'bun:test'
import { presetField } from './expiry.ts'

test('each preset is the end of its day, also across months and in a leap year', () => {
  const now = new Date(2028, 1, 28, 10)
  expect(presetField('tomorrow', now)).toBe('2028-02-29T23:59')
  expect(presetField('week', now)).toBe('2028-03-06T23:59')
  expect(presetField('month', now)).toBe('2028-02-29T23:59')
  expect(presetField('month', new Date(2026, 11, 31))).toBe('2026-12-31T23:59')
})
