import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createRateLimiter } from './rate-limit.ts'

const TEN_A_SECOND = { count: 10, perSeconds: 1 }

function limiterAt(rate: { count: number; perSeconds: number }, maxKeys?: number) {
  const clock = { ms: 1_000_000 }
  const limiter = createRateLimiter(rate, () => clock.ms, maxKeys)
  const takeMany = (key: string, times: number) => Array.from({ length: times }, () => limiter.take(key))
  return { clock, limiter, takeMany }
}

describe('createRateLimiter', () => {
  test('the burst is the count of the setting; further requests are refused', () => {
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

  test('peek returns the same as take, and counts nothing', () => {
    const { limiter } = limiterAt({ count: 2, perSeconds: 60 })
    for (const allowed of [true, true, false]) {
      const [first, second] = [limiter.peek('a'), limiter.peek('a')]
      expect(second).toEqual(first)
      expect(limiter.take('a')).toEqual(first)
      expect(first.allowed).toBe(allowed)
    }
  })

  test('the first result has the requests left and the time until the bucket is full', () => {
    const first = limiterAt({ count: 3, perSeconds: 60 }).limiter.take('a')
    expect(first).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 20, retryAfterSeconds: 0 })
  })

  test('the stated wait is sufficient, at slow rates too', () => {
    for (const rate of [{ count: 1, perSeconds: 3600 }, { count: 7, perSeconds: 60 }, TEN_A_SECOND]) {
      const { clock, limiter, takeMany } = limiterAt(rate)
      takeMany('a', rate.count)
      const refused = limiter.take('a')
      expect(refused.allowed).toBe(false)
      clock.ms += refused.retryAfterSeconds * 1000
      expect(limiter.take('a').allowed).toBe(true)
    }
  })

  test('tokens return evenly, one at a time', () => {
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

  test('several requests at once pass together or not at all', () => {
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

  test('over any time, never more requests pass than the burst and the tokens that returned', () => {
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
        const maxPassed = rate.count + ((clock.ms - start) * rate.count) / (rate.perSeconds * 1000)
        expect(passed).toBeLessThanOrEqual(maxPassed + 0.001)
      }),
    )
  })
})

describe('under a flood of keys', () => {
  test('other keys never reset a bucket', () => {
    const { limiter, takeMany } = limiterAt(TEN_A_SECOND, 100)
    takeMany('mine', 10)
    for (let i = 0; i < 1000; i++) limiter.take(`flood-${i}`)
    expect(limiter.take('mine').allowed).toBe(false)
  })

  test('other keys never reset a bucket, even if the flood lasts across a period', () => {
    const { clock, limiter, takeMany } = limiterAt({ count: 10, perSeconds: 100 }, 100)
    clock.ms += 95_000
    takeMany('mine', 10)
    for (let i = 0; i < 1000; i++) limiter.take(`flood-${i}`)
    clock.ms += 9_000
    for (let i = 0; i < 1000; i++) limiter.take(`more-${i}`)
    expect(limiter.take('mine').allowed).toBe(false)
  })

  test('earlier keys keep their own bucket; new keys share one, which bounds memory', () => {
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

const TEN_AN_HOUR = { count: 10, perSeconds: 3600 }
const FLOOD = 200_000

/** The nth /64 of a /32: each in a separate /48, then each of these again with another /56. */
const spreadPrefix = (first: string, n: number) =>
  `${first}:${(n & 0xffff).toString(16)}:${(((n >> 16) + 1) << 8).toString(16)}::/64`
/** The nth /64 of a /47 and of the networks after it, without a gap. */
const adjacentPrefix = (first: string, n: number) =>
  `${first}:${((n >> 16) + 2).toString(16)}:${(n & 0xffff).toString(16)}::/64`
/** The nth of a list of addresses, each in a separate /24. */
const bot = (n: number) => `${10 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.9`

describe('while 200,000 clients fill the tables', () => {
  const floods: [string, (limiter: ReturnType<typeof limiterAt>['limiter']) => void][] = [
    ['from one /47', (limiter) => fill((n) => limiter.take(adjacentPrefix('2001:db8', n)))],
    ['from one /32', (limiter) => fill((n) => limiter.take(spreadPrefix('2001:db8', n)))],
    ['of as many IPv4 networks', (limiter) => fill((n) => limiter.take(bot(n)))],
  ]
  const fill = (take: (n: number) => void) => {
    for (let n = 0; n < FLOOD; n++) take(n)
  }

  for (const [source, flood] of floods) {
    test(`L3.7d: ${source}, clients of other networks are served, and earlier clients keep their buckets`, () => {
      const { limiter, takeMany } = limiterAt(TEN_AN_HOUR)
      const earlierKeys = ['2001:db8:1::/64', '10.0.5.7', '2001:db9::/64', '203.0.113.1']
      for (const key of earlierKeys) takeMany(key, 4)
      flood(limiter)
      for (const key of earlierKeys) {
        expect([key, limiter.take(key)]).toEqual([key, expect.objectContaining({ remaining: 5 })])
        expect(takeMany(key, 6).map(({ allowed }) => allowed)).toEqual([
          ...Array<boolean>(5).fill(true),
          false,
        ])
      }
      for (const key of ['2001:db9:1::/64', '2a00:1:2:3::/64', '203.0.114.1', '198.51.100.1'])
        expect([key, limiter.take(key)]).toEqual([key, expect.objectContaining({ remaining: 9 })])
    })
  }

  test('further clients are counted by their /56 while there is room, and no other client of it is served', () => {
    const { limiter, takeMany } = limiterAt(TEN_AN_HOUR)
    fill((n) => limiter.take(adjacentPrefix('2001:db8', n)))
    const of = (n: number) => `2001:db8:9:${(0x100 + n).toString(16)}::/64`
    const passed = Array.from({ length: 50 }, (_, n) => limiter.take(of(n)).allowed)
    expect(passed.filter(Boolean)).toHaveLength(10)
    expect(limiter.take('2001:db8:9:200::/64')).toMatchObject({ allowed: true, remaining: 9 })
    expect(takeMany('2001:db8:9:1ff::/64', 3).some(({ allowed }) => allowed)).toBe(false)
  })

  test('further clients of one /32 are counted by their /48, and by the /32 when those are too many', () => {
    const { limiter } = limiterAt(TEN_AN_HOUR, 1000)
    for (let n = 0; n < 10_000; n++) limiter.take(spreadPrefix('2001:db8', n))
    // Each /48 has ten requests, whatever its addresses, and all without a bucket of their own
    // share ten.
    const first = Array.from({ length: 50 }, (_, n) => limiter.take(`2001:db8:7d1:${n}::/64`).allowed)
    const new48 = Array.from(
      { length: 50 },
      (_, n) => limiter.take(`2001:db8:fff${n % 10}:${n}::/64`).allowed,
    )
    expect(first.filter(Boolean).length).toBeLessThanOrEqual(10)
    expect(new48.filter(Boolean)).toHaveLength(0)
    expect(limiter.take('2001:db9::/64')).toMatchObject({ allowed: true, remaining: 9 })
  })

  test('further clients of IPv4 are counted by /24, then by /16', () => {
    const { limiter } = limiterAt(TEN_AN_HOUR, 1000)
    fill((n) => limiter.take(bot(n)))
    const passedIn = (network: string) =>
      Array.from({ length: 50 }, (_, n) => limiter.take(`${network}.${n + 1}`).allowed).filter(Boolean).length
    // The 2,000th was the last to get a /24. The rest of its /16 has been served ten times.
    expect(passedIn('10.7.207')).toBeLessThanOrEqual(10)
    expect(passedIn('10.200.5')).toBe(0)
    expect(passedIn('172.16.5')).toBe(10)
    expect(passedIn('172.16.6')).toBe(0)
  })

  test('the memory of all tables together is bounded', () => {
    const { limiter } = limiterAt(TEN_AN_HOUR)
    const measure = () => {
      Bun.gc(true)
      return heapStats().heapSize
    }
    const before = measure()
    fill((n) => limiter.take(spreadPrefix('2001:db8', n)))
    fill((n) => limiter.take(bot(n)))
    const full = measure()
    fill((n) => limiter.take(spreadPrefix('2a00:1', n)))
    fill((n) => limiter.take(bot(n + FLOOD)))
    expect(full - before).toBeLessThan(50_000_000)
    // As many keys again would take some 40 MB.
    expect(measure() - full).toBeLessThan(4_000_000)
    expect(limiter.take('203.0.113.1').allowed).toBe(true)
  })

  test('once buckets have filled up, new clients have their own again', () => {
    const { clock, limiter } = limiterAt(TEN_AN_HOUR)
    fill((n) => limiter.take(adjacentPrefix('2001:db8', n)))
    // At ten an hour, one token returns after six minutes.
    clock.ms += 361_000
    for (const n of [1, 2]) expect(limiter.take(`2001:db8:9:${n}::/64`)).toMatchObject({ remaining: 9 })
  })
})
