import { afterEach, expect, test } from 'bun:test'
import { changeTimeZone } from '@latchkey/web/formats'
import { presetField } from './expiry.ts'

afterEach(() => changeTimeZone(null))

test('each preset is the end of its day, also across months and in a leap year', () => {
  const nowMs = new Date(2028, 1, 28, 10).getTime()
  expect(presetField('tomorrow', nowMs)).toBe('2028-02-29T23:59')
  expect(presetField('week', nowMs)).toBe('2028-03-06T23:59')
  expect(presetField('month', nowMs)).toBe('2028-02-29T23:59')
  expect(presetField('month', new Date(2026, 11, 31).getTime())).toBe('2026-12-31T23:59')
})

test('L18.9: presets count days in the time zone of the page', () => {
  const nowMs = Date.parse('2026-11-30T23:30Z')
  changeTimeZone('Europe/Stockholm')
  expect([presetField('tomorrow', nowMs), presetField('month', nowMs)]).toEqual([
    '2026-12-02T23:59',
    '2026-12-31T23:59',
  ])
  changeTimeZone('America/St_Johns')
  expect([presetField('tomorrow', nowMs), presetField('month', nowMs)]).toEqual([
    '2026-12-01T23:59',
    '2026-11-30T23:59',
  ])
})
