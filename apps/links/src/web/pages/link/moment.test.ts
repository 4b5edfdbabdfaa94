import { expect, test } from 'bun:test'
import { fromField } from './moment.ts'

test('a moment of a field is unix seconds, and an empty one none', () => {
  expect(fromField('2026-03-20T12:00')).toBe(new Date(2026, 2, 20, 12).getTime() / 1000)
  expect(fromField('')).toBeNull()
})

test('a year that is too long stays one that the service refuses, and never becomes none', () => {
  for (const year of ['20266', '275760']) {
    const seconds = fromField(`${year}-01-01T10:00`)
    expect(seconds).toBeGreaterThan(253_402_300_799)
    expect(Number.isInteger(JSON.parse(JSON.stringify(seconds)))).toBeTrue()
  }
})
