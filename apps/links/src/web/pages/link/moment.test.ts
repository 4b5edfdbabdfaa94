import { expect, test } from 'bun:test'
import { fromField } from './moment.ts'

test('the value of a field becomes Unix seconds, and an empty value null', () => {
  expect(fromField('2026-03-20T12:00')).toBe(new Date(2026, 2, 20, 12).getTime() / 1000)
  expect(fromField('')).toBeNull()
})

test('a year with too many digits becomes a number that the service refuses, never null', () => {
  for (const year of ['20266', '275760']) {
    const seconds = fromField(`${year}-01-01T10:00`)
    expect(seconds).toBeGreaterThan(253_402_300_799)
    expect(Number.isInteger(JSON.parse(JSON.stringify(seconds)))).toBeTrue()
  }
})
