import { expect, test } from 'bun:test'
import type { When } from './types.ts'
import { newCondition, toConditions, toWhen } from './conditions.ts'

test('L26.8: a rule that is opened and saved has the same conditions', () => {
  const when: When = {
    device: ['mobile'],
    not_device: ['tablet'],
    os: ['ios', 'android'],
    browser: ['Samsung Internet'],
    country: ['SE'],
    not_country: ['NO', 'DK'],
    language: ['sv', 'pt-br'],
    referrer_host: ['news.example.org'],
    query: [{ name: 'ref' }, { name: 'söurce', is: 'a&b=c+d' }, { name: 'empty', is: '' }],
    after: 1_800_000_000,
    not_before: 1_800_003_600,
    hours: { from: '22:00', to: '06:00', tz: 'Asia/Jakarta' },
    not_hours: { days: [1, 7], from: '09:00', to: '17:30', tz: 'Europe/Stockholm' },
  }
  expect(toWhen(toConditions(when))).toEqual(when)
})

test('a second condition of a name is its twin', () => {
  const country = newCondition('country')
  expect([country.isNegated, newCondition('country', [country]).isNegated]).toEqual([false, true])
})
