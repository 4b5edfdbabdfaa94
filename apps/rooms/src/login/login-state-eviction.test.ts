import { expect, test } from 'bun:test'
import { type PrefixCount, planEvictions } from './login-state-eviction.ts'

const droppedOf = (counts: readonly PrefixCount[], drop: number) =>
  Object.fromEntries(planEvictions(counts, drop))

test('a line that holds most makes room, however many of its /64s it uses, and nobody beside it does', () => {
  const line = Array.from({ length: 256 }, (_, n) => ({
    prefix: `2001:db8:0:${n.toString(16)}::/64`,
    count: 39,
  }))
  const others = [
    { prefix: '2001:db8:0:100::/64', count: 90 },
    { prefix: '2001:db8:1::/64', count: 90 },
    { prefix: '192.0.2.1', count: 90 },
  ]
  const dropped = droppedOf([...others, ...line], 1000)
  expect(Object.keys(dropped).filter((prefix) => others.some((each) => each.prefix === prefix))).toEqual([])
  expect(Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(1000)
  expect(Math.max(...Object.values(dropped)) - Math.min(...Object.values(dropped))).toBeLessThanOrEqual(1)
})

test('a /32 that uses each /48 once makes room before a /16 that holds fewer', () => {
  const wide = Array.from({ length: 100 }, (_, n) => ({ prefix: `2001:db8:${n + 1}::/64`, count: 1 }))
  const dropped = droppedOf([{ prefix: '192.0.2.1', count: 40 }, ...wide], 60)
  expect(dropped['192.0.2.1']).toBeUndefined()
})

test('of those that hold equally many, the first makes room, and each in its turn', () => {
  const counts = ['192.0.2.1', '2001:db8::/64', ''].map((prefix) => ({ prefix, count: 2 }))
  expect(droppedOf(counts, 1)).toEqual({ '192.0.2.1': 1 })
  expect(droppedOf(counts, 3)).toEqual({ '192.0.2.1': 1, '2001:db8::/64': 1, '': 1 })
  expect(droppedOf(counts, 100)).toEqual({ '192.0.2.1': 2, '2001:db8::/64': 2, '': 2 })
})
