import { expect, test } from 'bun:test'
import { dayOf, endOfDay, startOfDay } from './days.ts'

const at = (moment: string) => Date.parse(moment) / 1000

test('days begin and end in their time zone, also on the days that change the clocks', () => {
  for (const [day, zone, start, end] of [
    ['2026-11-24', 'UTC', '2026-11-24T00:00:00Z', '2026-11-24T23:59:59Z'],
    ['2026-03-29', 'Europe/Stockholm', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z'],
    ['2026-10-25', 'Europe/Stockholm', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z'],
    ['2026-11-01', 'America/Los_Angeles', '2026-11-01T07:00:00Z', '2026-11-02T07:59:59Z'],
    ['2026-05-01', 'Asia/Kolkata', '2026-04-30T18:30:00Z', '2026-05-01T18:29:59Z'],
    // The clocks skip the first hour of the day.
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T20:59:59Z'],
    ['2026-02-28', 'Pacific/Kiritimati', '2026-02-27T10:00:00Z', '2026-02-28T09:59:59Z'],
  ] as const) {
    expect([day, zone, startOfDay(day, zone)]).toEqual([day, zone, at(start)])
    expect([day, zone, endOfDay(day, zone)]).toEqual([day, zone, at(end)])
    expect(dayOf(at(start), zone)).toBe(day)
    expect(dayOf(at(end), zone)).toBe(day)
  }
})
