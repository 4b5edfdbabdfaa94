import { expect, test } from 'bun:test'
import type { StoredPeriod } from './cover.ts'
import { RollupCache } from './rollup-cache.ts'

const period: StoredPeriod = {
  link_id: 1,
  unit: 'day',
  start: 86_400,
  stamp: 7,
  clicks: 1,
  bots: 0,
  self_referrers: 0,
  bot_self_referrers: 0,
  distinct_raw: 1,
  distinct_no_bots: 1,
  distinct_no_self: 1,
  distinct_neither: 1,
}
const sums = new Uint8Array(1_000)

test('rollups are cached by link, period, column and stamp, and rollups without values as empty', () => {
  const cache = new RollupCache()
  cache.add(period, 'os', sums)
  cache.add(period, 'browser', undefined)
  expect(cache.get(period, ['os', 'browser'])).toEqual([{ column: 'os', sums }])
  expect(cache.get(period, ['os', 'country'])).toBeUndefined()
  for (const other of [{ stamp: 8 }, { link_id: 2 }, { start: 0 }, { unit: 'hour' as const }])
    expect(cache.get({ ...period, ...other }, ['os'])).toBeUndefined()
})

test('the cache stays within its limit and keeps the most recently used rollups', () => {
  const cache = new RollupCache(4_000)
  const link = (link_id: number) => ({ ...period, link_id })
  for (const id of [1, 2, 3]) cache.add(link(id), 'os', sums)
  expect(cache.get(link(1), ['os'])).toHaveLength(1)
  cache.add(link(4), 'os', sums)
  expect([1, 2, 3, 4].filter((id) => cache.get(link(id), ['os']))).toEqual([1, 3, 4])
  for (let id = 5; id < 100; id++) cache.add(link(id), 'os', undefined)
  expect([1, 3, 4].some((id) => cache.get(link(id), ['os']))).toBe(false)
  expect(cache.get(link(99), ['os'])).toEqual([])
})
