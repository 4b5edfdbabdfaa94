import { expect, test } from 'bun:test'
import type { Found } from './cover.ts'
import { RememberedSums } from './remembered-sums.ts'

const period: Found = {
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

test('sums are remembered of one link, period, column and stamp, and those without values as none', () => {
  const remembered = new RememberedSums()
  remembered.add(period, 'os', sums)
  remembered.add(period, 'browser', undefined)
  expect(remembered.get(period, ['os', 'browser'])).toEqual([{ column: 'os', sums }])
  expect(remembered.get(period, ['os', 'country'])).toBeUndefined()
  for (const other of [{ stamp: 8 }, { link_id: 2 }, { start: 0 }, { unit: 'hour' as const }])
    expect(remembered.get({ ...period, ...other }, ['os'])).toBeUndefined()
})

test('no more is remembered than there is room for, and the latest used stay', () => {
  const remembered = new RememberedSums(4_000)
  const link = (link_id: number) => ({ ...period, link_id })
  for (const id of [1, 2, 3]) remembered.add(link(id), 'os', sums)
  expect(remembered.get(link(1), ['os'])).toHaveLength(1)
  remembered.add(link(4), 'os', sums)
  expect([1, 2, 3, 4].filter((id) => remembered.get(link(id), ['os']))).toEqual([1, 3, 4])
  for (let id = 5; id < 100; id++) remembered.add(link(id), 'os', undefined)
  expect([1, 3, 4].some((id) => remembered.get(link(id), ['os']))).toBe(false)
  expect(remembered.get(link(99), ['os'])).toEqual([])
})
