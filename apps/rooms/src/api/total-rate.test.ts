import { MINUTE_MS } from '@latchkey/http/duration'
import { expect, test } from 'bun:test'
import { createTotalRate } from './total-rate.ts'

function totalOf(count: number) {
  const clock = { ms: 1_000_000 }
  const rate = createTotalRate({ count, perSeconds: 60 }, () => clock.ms)
  /** The number of allowed requests out of `tries`, with `key(n)` as the client of each. */
  const pass = (tries: number, key: (n: number) => string) =>
    Array.from({ length: tries }, (_, n) => rate.take(key(n)).allowed).filter(Boolean).length
  return { clock, rate, pass }
}

const in56 = (n: number) => `2001:db8:0:${n.toString(16)}::/64`
const in48 = (n: number) => `2001:db8:0:${(n << 8).toString(16)}::/64`
const in32 = (n: number) => `2001:db8:${n.toString(16)}::/64`
const in24 = (n: number) => `192.0.2.${n}`
const in16 = (n: number) => `192.0.${n}.1`
const anywhere = (n: number) => `${1 + (n & 127)}.${n >> 7}.0.1`

test('R22: clients of different networks use the whole rate, and no more until the first request expires', () => {
  const { clock, rate, pass } = totalOf(200)
  expect(pass(1000, anywhere)).toBe(200)
  expect(rate.take('203.0.113.1')).toEqual({
    allowed: false,
    limit: 200,
    remaining: 0,
    resetSeconds: 60,
    retryAfterSeconds: 60,
  })
  clock.ms += MINUTE_MS - 1
  expect(rate.take('203.0.113.1').allowed).toBe(false)
  clock.ms += 1
  expect(rate.take('203.0.113.1').allowed).toBe(true)
})

test('R22.3: a network gets a share that depends on its size, and other networks are still served', () => {
  for (const [of, share] of [
    [in56, 40],
    [in48, 67],
    [in32, 100],
    [in24, 67],
    [in16, 100],
  ] as const) {
    const { rate, pass } = totalOf(200)
    expect([of.name, pass(256, of)]).toEqual([of.name, share])
    for (const client of ['203.0.113.1', '2a00:1::/64']) expect(rate.take(client).allowed).toBe(true)
  }
})

test('R22: a client prefix that has used its share leaves neighbours theirs', () => {
  const { rate, pass } = totalOf(200)
  pass(256, in56)
  expect(rate.take('2001:db8:0:100::/64').allowed).toBe(true)
  expect(rate.take('2001:db8:1::/64').allowed).toBe(true)
})

test('R22: networks that always use their full share leave one for others every minute', () => {
  const { clock, rate, pass } = totalOf(200)
  for (let minute = 0; minute < 5; minute++) {
    for (let step = 0; step < 60; step++) {
      clock.ms += 1000
      pass(100, in32)
      pass(100, in16)
      pass(100, (n) => `2001:db9:${n.toString(16)}::/64`)
    }
    expect(rate.peek('203.0.113.1')).toMatchObject({ allowed: true })
    // Three networks take half of the rest each.
    expect(pass(25, (n) => `203.${n}.113.1`)).toBe(25)
  }
})

test('R22: refused requests and peeks do not count', () => {
  const { rate, pass } = totalOf(4)
  for (let n = 0; n < 10; n++) rate.peek('203.0.113.1')
  expect(pass(10, in32)).toBe(2)
  expect(rate.peek('203.0.113.1').remaining).toBe(2)
})
