import { expect, test } from 'bun:test'
import { type PrefixCount, planEvictions } from './login-state-eviction.ts'

const evictionsOf = (counts: readonly PrefixCount[], drop: number) =>
  Object.fromEntries(planEvictions(counts, drop))

test('R22: the network with the most login states is evicted from, however many /64s it uses', () => {
  const line = Array.from({ length: 256 }, (_, n) => ({
    prefix: `2001:db8:0:${n.toString(16)}::/64`,
    count: 39,
  }))
  const others = [
    { prefix: '2001:db8:0:100::/64', count: 90 },
    { prefix: '2001:db8:1::/64', count: 90 },
    { prefix: '192.0.2.1', count: 90 },
  ]
  const dropped = evictionsOf([...others, ...line], 1000)
  expect(Object.keys(dropped).filter((prefix) => others.some((other) => other.prefix === prefix))).toEqual([])
  expect(Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(1000)
  expect(Math.max(...Object.values(dropped)) - Math.min(...Object.values(dropped))).toBeLessThanOrEqual(1)
})

test('R22: a /32 that uses each /48 once is evicted from before a /16 with fewer login states', () => {
  const wide = Array.from({ length: 100 }, (_, n) => ({ prefix: `2001:db8:${n + 1}::/64`, count: 1 }))
  const dropped = evictionsOf([{ prefix: '192.0.2.1', count: 40 }, ...wide], 60)
  expect(dropped['192.0.2.1']).toBeUndefined()
})

test('R22: networks with equally many login states are evicted from in turn, in their order', () => {
  const counts = ['192.0.2.1', '2001:db8::/64', ''].map((prefix) => ({ prefix, count: 2 }))
  expect(evictionsOf(counts, 1)).toEqual({ '192.0.2.1': 1 })
  expect(evictionsOf(counts, 3)).toEqual({ '192.0.2.1': 1, '2001:db8::/64': 1, '': 1 })
  expect(evictionsOf(counts, 100)).toEqual({ '192.0.2.1': 2, '2001:db8::/64': 2, '': 2 })
})
