import { expect, test } from 'bun:test'
import { isQuiet } from './quiet-hours.ts'

test('R30.2: quiet hours are those of their time zone, may pass midnight, and end with their last minute', () => {
  const night = { from: '22:00', to: '07:00', tz: 'Europe/Stockholm' }
  const atUtc = (time: string, quiet = night) => isQuiet(quiet, new Date(`2026-01-10T${time}:00Z`))
  expect(['20:59', '21:00', '23:30', '05:59', '06:00', '12:00'].map((time) => atUtc(time))).toEqual([
    false,
    true,
    true,
    true,
    false,
    false,
  ])
  const noon = { from: '12:00', to: '13:00', tz: 'Asia/Jakarta' }
  expect([atUtc('04:59', noon), atUtc('05:00', noon), atUtc('06:00', noon)]).toEqual([false, true, false])
  expect(isQuiet(null, new Date())).toBe(false)
})
