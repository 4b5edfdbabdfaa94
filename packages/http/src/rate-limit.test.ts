import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createRateLimiter } from './rate-limit.ts'

const TEN_A_SECOND = { count: 10, perSeconds: 1 }

function limiterAt(rate: { count: number; perSeconds: number }, mostKeys?: number) {
  const clock = { ms: 1_000_000 }
  const limiter = createRateLimiter(rate, () => clock.ms, mostKeys)
  const takeMany = (key: string, times: number) => Array.from({ length: times }, () => limiter.take(key))
  return { clock, limiter, takeMany }
}

describe('createRateLimiter', () => {
  test('the burst is the number in the setting, then requests are refused', () => {
    const { limiter, takeMany } = limiterAt({ count: 600, perSeconds: 60 })
    expect(takeMany('a', 600).every(({ allowed }) => allowed)).toBe(true)
    expect(limiter.take('a')).toEqual({
      allowed: false,
      limit: 600,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 1,
    })
  })

  test('looking ahead answers what taking would, and counts nothing', () => {
    const { limiter } = limiterAt({ count: 2, perSeconds: 60 })
    for (const allowed of [true, true, false]) {
      const [first, second] = [limiter.peek('a'), limiter.peek('a')]
      expect(second).toEqual(first)
      expect(limiter.take('a')).toEqual(first)
      expect(first.allowed).toBe(allowed)
    }
  })

  test('the first answer tells what is left and when the bucket is full', () => {
    const first = limiterAt({ count: 3, perSeconds: 60 }).limiter.take('a')
    expect(first).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 20, retryAfterSeconds: 0 })
  })

  test('waiting as long as told is enough, and not a moment less for slow rates', () => {
    for (const rate of [{ count: 1, perSeconds: 3600 }, { count: 7, perSeconds: 60 }, TEN_A_SECOND]) {
      const { clock, limiter, takeMany } = limiterAt(rate)
      takeMany('a', rate.count)
      const refused = limiter.take('a')
      expect(refused.allowed).toBe(false)
      clock.ms += refused.retryAfterSeconds * 1000
      expect(limiter.take('a').allowed).toBe(true)
    }
  })

  test('tokens come back evenly, one at a time', () => {
    const { clock, limiter, takeMany } = limiterAt(TEN_A_SECOND)
    takeMany('a', 10)
    clock.ms += 99
    expect(limiter.take('a').allowed).toBe(false)
    clock.ms += 1
    expect(limiter.take('a').allowed).toBe(true)
    expect(limiter.take('a').allowed).toBe(false)
  })

  test('a refused request costs nothing', () => {
    const { clock, limiter, takeMany } = limiterAt(TEN_A_SECOND)
    takeMany('a', 1000)
    clock.ms += 100
    expect(limiter.take('a').allowed).toBe(true)
  })

  test('several requests at once pass all or not at all', () => {
    const { clock, limiter } = limiterAt(TEN_A_SECOND)
    expect(limiter.take('a', 11)).toMatchObject({ allowed: false, remaining: 10 })
    expect(limiter.take('a', 8)).toMatchObject({ allowed: true, remaining: 2 })
    expect(limiter.take('a', 3)).toMatchObject({ allowed: false, remaining: 2, retryAfterSeconds: 1 })
    clock.ms += 100
    expect(limiter.take('a', 3)).toMatchObject({ allowed: true, remaining: 0 })
  })

  test('a bucket never holds more than it did at first', () => {
    const { clock, takeMany } = limiterAt(TEN_A_SECOND)
    takeMany('a', 10)
    clock.ms += 3_600_000
    expect(
      takeMany('a', 11)
        .map(({ allowed }) => allowed)
        .indexOf(false),
    ).toBe(10)
  })

  test('keys do not share a bucket', () => {
    const { limiter, takeMany } = limiterAt(TEN_A_SECOND)
    takeMany('a', 11)
    expect(limiter.take('b')).toMatchObject({ allowed: true, remaining: 9 })
    expect(limiter.take('__proto__').allowed).toBe(true)
  })

  test('a clock that is set back neither fills nor locks a bucket', () => {
    const { clock, limiter, takeMany } = limiterAt(TEN_A_SECOND)
    takeMany('a', 10)
    clock.ms -= 500_000
    expect(limiter.take('a').allowed).toBe(false)
    clock.ms += 1000
    expect(limiter.take('a').allowed).toBe(true)
  })

  test('over any time, never more pass than the burst and what came back', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 })
    const rates = fc.record({ count: fc.integer({ min: 1, max: 20 }), perSeconds: fc.constantFrom(1, 3, 7) })
    fc.assert(
      fc.property(steps, rates, (waits, rate) => {
        const { clock, limiter } = limiterAt(rate)
        const start = clock.ms
        let passed = 0
        for (const wait of waits) {
          clock.ms += wait
          if (limiter.take('a').allowed) passed += 1
        }
        const most = rate.count + ((clock.ms - start) * rate.count) / (rate.perSeconds * 1000)
        expect(passed).toBeLessThanOrEqual(most + 0.001)
      }),
    )
  })
})

describe('under a flood of keys', () => {
  test('nobody resets a bucket by sending other keys', () => {
    const { limiter, takeMany } = limiterAt(TEN_A_SECOND, 100)
    takeMany('mine', 10)
    for (let i = 0; i < 1000; i++) limiter.take(`flood-${i}`)
    expect(limiter.take('mine').allowed).toBe(false)
  })

  test('nor when the flood lasts across a period', () => {
    const { clock, limiter, takeMany } = limiterAt({ count: 10, perSeconds: 100 }, 100)
    clock.ms += 95_000
    takeMany('mine', 10)
    for (let i = 0; i < 1000; i++) limiter.take(`flood-${i}`)
    clock.ms += 9_000
    for (let i = 0; i < 1000; i++) limiter.take(`more-${i}`)
    expect(limiter.take('mine').allowed).toBe(false)
  })

  test('keys known before keep their own bucket; new ones share one, so that memory is bounded', () => {
    const { limiter, takeMany } = limiterAt(TEN_A_SECOND, 100)
    limiter.take('known')
    const flood = Array.from({ length: 1000 }, (_, i) => limiter.take(`flood-${i}`))
    expect(flood.filter(({ allowed }) => allowed)).toHaveLength(99 + 10)
    expect(takeMany('known', 9).every(({ allowed }) => allowed)).toBe(true)
    expect(limiter.take('another').allowed).toBe(false)
  })

  test('when the flood is over, new keys have their own bucket again', () => {
    const { clock, limiter } = limiterAt(TEN_A_SECOND, 100)
    for (let i = 0; i < 1000; i++) limiter.take(`flood-${i}`)
    clock.ms += 2000
    expect(limiter.take('new')).toMatchObject({ allowed: true, remaining: 9 })
    expect(limiter.take('other')).toMatchObject({ allowed: true, remaining: 9 })
  })
})
