import { expect, test } from 'bun:test'
import { countNotifying, isQuiet } from './notifying.ts'

test('R30.2: a room notifies of all its messages, of mentions or of none', () => {
  const room = { unread: 7, mentions: 2 }
  const counts = (['all', 'mentions', 'none'] as const).map((notificationLevel) =>
    countNotifying({ ...room, notificationLevel }),
  )
  expect(counts).toEqual([7, 2, 0])
  expect(countNotifying({ unread: null, mentions: null, notificationLevel: 'all' })).toBe(0)
})

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
