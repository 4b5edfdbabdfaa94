import { expect, test } from 'bun:test'
import { DAY, HOUR } from '../time/window.ts'
import { MAX_FAILING_SECONDS, nextAttemptAt } from './retry.ts'

const START = 1_795_000_000
const base = { failures: 1, failingSince: START, retryAfterSeconds: 0, now: START, random: 0 }

test('L30.3j: attempts follow after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, then every day, and end after five days', () => {
  const waits: number[] = []
  let now = START
  for (let failures = 1; ; failures++) {
    const next = nextAttemptAt({ ...base, failures, now })
    if (next === undefined) break
    waits.push(next - now)
    now = next
  }
  expect(waits.slice(0, 9)).toEqual([5, 30, 120, 600, HOUR, 6 * HOUR, DAY, DAY, DAY])
  expect(now).toBe(START + MAX_FAILING_SECONDS)
})

test('L30.3j: waits vary by up to a tenth, and are never shorter', () => {
  for (const random of [0, 0.25, 0.5, 0.999]) {
    const next = nextAttemptAt({ ...base, failures: 5, random }) ?? 0
    expect(next - START).toBeGreaterThanOrEqual(HOUR)
    expect(next - START).toBeLessThanOrEqual(1.1 * HOUR)
  }
  expect(nextAttemptAt({ ...base, failures: 5, random: 0.999 })).not.toBe(START + HOUR)
})

test('a receiver may ask for a longer wait than its turn, and for at most a day', () => {
  expect(nextAttemptAt({ ...base, retryAfterSeconds: 90 })).toBe(START + 90)
  expect(nextAttemptAt({ ...base, failures: 3, retryAfterSeconds: 1 })).toBe(START + 120)
  expect(nextAttemptAt({ ...base, retryAfterSeconds: 999_999_999 })).toBe(START + DAY)
})
