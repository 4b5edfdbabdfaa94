import { expect, test } from 'bun:test'
import { clockTimeAt, momentOfClock } from './clock-time.ts'

const ZONES = ['Europe/Stockholm', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe', 'UTC']

const at = (moment: string) => Date.parse(moment) / 1000

test('L18.9: a clock time is the moment at which the clocks of its time zone show it', () => {
  for (const [clockTime, zone, moment] of [
    ['2026-01-15T12:00', 'Europe/Stockholm', '2026-01-15T11:00Z'],
    ['2026-07-15T12:00', 'Europe/Stockholm', '2026-07-15T10:00Z'],
    ['2026-01-15T12:00', 'America/St_Johns', '2026-01-15T15:30Z'],
    ['2026-07-15T12:00', 'America/St_Johns', '2026-07-15T14:30Z'],
    ['2026-01-15T12:00', 'Pacific/Apia', '2026-01-14T23:00Z'],
    ['2011-12-29T12:00', 'Pacific/Apia', '2011-12-29T22:00Z'],
    ['2011-12-31T12:00', 'Pacific/Apia', '2011-12-30T22:00Z'],
  ] as const) {
    expect([clockTime, zone, momentOfClock(clockTime, zone)]).toEqual([clockTime, zone, at(moment)])
    expect(clockTimeAt(at(moment), zone)).toBe(clockTime)
  }
})

test('L18.9: a clock time that a change of the clocks skips is later by the length of the gap', () => {
  for (const [clockTime, zone, later] of [
    ['2026-03-29T02:30', 'Europe/Stockholm', '2026-03-29T03:30'],
    ['2026-03-08T02:15', 'America/St_Johns', '2026-03-08T03:15'],
    // Until 2011, clocks there changed at one minute past midnight.
    ['2010-03-14T00:01', 'America/St_Johns', '2010-03-14T01:01'],
    ['2011-12-30T09:00', 'Pacific/Apia', '2011-12-31T09:00'],
    ['2026-10-04T02:10', 'Australia/Lord_Howe', '2026-10-04T02:40'],
  ] as const)
    expect([clockTime, clockTimeAt(momentOfClock(clockTime, zone), zone)]).toEqual([clockTime, later])
})

test('L18.9: a clock time that the clocks repeat is the first of its moments', () => {
  for (const [clockTime, zone, first, second] of [
    ['2026-10-25T02:30', 'Europe/Stockholm', '2026-10-25T00:30Z', '2026-10-25T01:30Z'],
    ['2026-11-01T01:15', 'America/St_Johns', '2026-11-01T03:45Z', '2026-11-01T04:45Z'],
    ['2010-11-06T23:30', 'America/St_Johns', '2010-11-07T02:00Z', '2010-11-07T03:00Z'],
    ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T14:45Z', '2026-04-04T15:15Z'],
  ] as const) {
    expect([clockTime, momentOfClock(clockTime, zone)]).toEqual([clockTime, at(first)])
    expect(clockTimeAt(at(second), zone)).toBe(clockTime)
  }
})

test('L18.9: clock times are read as Temporal reads them, in each quarter of an hour around changes of the clocks', () => {
  for (const zone of ZONES)
    for (const change of ['2010-03-14', '2010-11-07', '2011-12-30', '2026-03-29', '2026-10-25', '2026-11-01'])
      for (let minutes = -36 * 60; minutes < 36 * 60; minutes += 15) {
        const clock = Temporal.PlainDateTime.from(`${change}T00:00`).add({ minutes })
        const clockTime = clock.toString().slice(0, 16)
        const moment = clock.toZonedDateTime(zone).epochMilliseconds / 1000
        expect([zone, clockTime, momentOfClock(clockTime, zone)]).toEqual([zone, clockTime, moment])
      }
})

test('a text that is no clock time has no moment', () => {
  for (const text of ['', 'x', '20266-01-01T10:00', '2026-13-01T10:00'])
    expect([text, momentOfClock(text, 'UTC')]).toEqual([text, NaN])
})
