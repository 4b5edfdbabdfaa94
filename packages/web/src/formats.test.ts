import { afterEach, expect, test } from 'bun:test'
import {
  browserTimeZone,
  changeTimeZone,
  getTimeZone,
  momentFormat,
  relativeTime,
  withRegion,
} from './formats.ts'

afterEach(() => changeTimeZone(null))

test('dates follow the region of the browser where its language is that of the interface', () => {
  expect(withRegion('en', ['sv-SE', 'en-GB', 'en-US'])).toBe('en-GB')
  expect(withRegion('sv', ['sv-FI'])).toBe('sv-FI')
  expect(withRegion('en', ['en'])).toBe('en')
})

test('dates of another language have no region of the browser', () => {
  expect(withRegion('id', ['en-GB', 'sv-SE'])).toBe('id')
  expect(withRegion('en', ['eng-GB'])).toBe('en')
})

test('a time in the past is named by its age for a week, and by its date after that', () => {
  const now = Date.UTC(2026, 10, 24, 12)
  const age = (minutes: number) => relativeTime('en', now - minutes * 60_000, now)
  expect([age(-5), age(0), age(0.5)]).toEqual(['now', 'now', '30 sec. ago'])
  expect([age(1), age(59)]).toEqual(['1 min. ago', '59 min. ago'])
  expect([age(60), age(24 * 60 - 1), age(24 * 60)]).toEqual(['1 hr. ago', '23 hr. ago', 'yesterday'])
  expect([age(7 * 24 * 60 - 1), age(7 * 24 * 60)]).toEqual(['6 days ago', 'Nov 17, 2026'])
})

test('dates and times are in the time zone that was chosen, unless the format has another', () => {
  const at = Date.UTC(2026, 10, 24, 23, 30)
  const options = { day: 'numeric', hour: '2-digit', hourCycle: 'h23' } as const
  const format = (more = {}) => momentFormat('sv', { ...options, ...more }).format(at)
  changeTimeZone('Asia/Tokyo')
  expect([format(), relativeTime('en', at, at + 30 * 86_400_000)]).toEqual(['25 08', 'Nov 25, 2026'])
  changeTimeZone('America/St_Johns')
  expect([format(), format({ timeZone: 'UTC' })]).toEqual(['24 20', '24 23'])
})

test('the time zone is the browser’s without a choice, and in a browser that does not know the chosen one', () => {
  for (const name of [null, 'Mars/Olympus']) {
    changeTimeZone('Asia/Tokyo')
    changeTimeZone(name)
    expect(getTimeZone()).toBe(browserTimeZone)
  }
})
