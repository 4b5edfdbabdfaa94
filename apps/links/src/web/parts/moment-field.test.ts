import { afterEach, expect, test } from 'bun:test'
import { changeTimeZone } from '@latchkey/web/formats'
import { fromField, toField, zoneOfField } from './moment-field.ts'

afterEach(() => changeTimeZone(null))

test('L18.9: a field is read and filled in the time zone of the page, and an empty one is null', () => {
  for (const [zone, field] of [
    ['Asia/Tokyo', '2026-03-20T21:00'],
    ['America/St_Johns', '2026-03-20T09:30'],
  ] as const) {
    changeTimeZone(zone)
    expect([fromField(field), toField(1_774_008_000)]).toEqual([1_774_008_000, field])
    expect(fromField('')).toBeNull()
  }
  changeTimeZone(null)
  expect(fromField('2026-03-20T12:00')).toBe(new Date(2026, 2, 20, 12).getTime() / 1000)
})

test('L18.9: a field names its time zone, with the short name that holds at its value', () => {
  changeTimeZone('America/New_York')
  expect(zoneOfField('2026-01-20T12:00', 'en')).toBe('America/New_York (EST)')
  expect(zoneOfField('2026-07-20T12:00', 'en')).toBe('America/New_York (EDT)')
  changeTimeZone('UTC')
  expect(zoneOfField('', 'en')).toBe('UTC')
})

test('a year with too many digits becomes a number that the service refuses, never null', () => {
  for (const year of ['20266', '275760']) {
    const seconds = fromField(`${year}-01-01T10:00`)
    expect(seconds).toBeGreaterThan(253_402_300_799)
    expect(Number.isInteger(JSON.parse(JSON.stringify(seconds)))).toBeTrue()
  }
})
