import { expect, test } from 'bun:test'
import type { StoredPeriod } from './cover.ts'
import { TallyCache } from './tally-cache.ts'
import { Tally } from './tally.ts'
import { ValueCounts } from './value-counts.ts'

const counts = { distinct_raw: 1, distinct_no_bots: 1, distinct_no_self: 1, distinct_neither: 1 }
const one = { clicks: 1, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
const period: StoredPeriod = { link_id: 1, unit: 'day', start: 86_400, stamp: 7, ...one, ...counts }
const later = { ...period, start: 172_800 }
const raw = { bots: false, selfReferrers: false }

/** The tally of a period with one click per value. */
function tallyOf(...names: string[]): Tally {
  const values = new ValueCounts()
  for (const name of names) values.add(name, one)
  const tally = new Tally()
  tally.valuesOf('os').addPacked(values.toPacked()?.sums ?? new Uint8Array(), { names: undefined })
  return tally
}

test('tallies are cached by the stamps of all their periods and by their columns', () => {
  const cache = new TallyCache<Tally>()
  cache.add([period, later], ['os'], tallyOf('linux', 'macos'))
  const tally = cache.get([period, later], ['os'])
  expect(
    ['linux', 'macos', 'ios'].map((name) => tally?.valuesOf('os').filteredCountByName(name, raw)),
  ).toEqual([1, 1, 0])
  for (const periods of [[period], [later, period], [period, { ...later, stamp: 8 }], []])
    expect(cache.get(periods, ['os'])).toBeUndefined()
  expect(cache.get([period, later], ['os', 'browser'])).toBeUndefined()
})

test('clicks added to a cached tally or to its source do not change the cache', () => {
  const cache = new TallyCache<Tally>()
  const source = tallyOf('linux')
  cache.add([period], ['os'], source)
  const add = (tally: Tally | undefined) => {
    for (let n = 0; n < 100; n++) tally?.valuesOf('os').add(`os-${n}`, one)
    tally?.valuesOf('os').add('linux', one)
  }
  add(source)
  add(cache.get([period], ['os']))
  const again = cache.get([period], ['os'])?.valuesOf('os')
  expect([again?.filteredCountByName('linux', raw), again?.countDistinct(raw)]).toEqual([1, 1])
})

test('visitors added to cached visitors are counted with them and do not change the cache', () => {
  const cache = new TallyCache<Tally>()
  const source = new Tally()
  source
    .valuesOf('visitor_fp')
    .addPacked(tallyOf('ann', 'ben').valuesOf('os').toPacked(false)?.sums ?? new Uint8Array(), {
      names: undefined,
    })
  cache.add([period], ['visitor_fp'], source)
  const visitors = cache.get([period], ['visitor_fp'])?.valuesOf('visitor_fp')
  for (const name of ['ann', 'cleo']) visitors?.add(name, one)
  expect(visitors?.countDistinct(raw)).toBe(3)
  expect(cache.get([period], ['visitor_fp'])?.valuesOf('visitor_fp').countDistinct(raw)).toBe(2)
})

test('names that were loaded for one page are loaded again for the next', () => {
  const cache = new TallyCache<Tally>()
  const values = new ValueCounts()
  values.add('linux', one)
  const packed = values.toPacked()
  const source: { names: string[] | undefined } = { names: undefined }
  const tally = new Tally()
  tally.valuesOf('os').addPacked(packed?.sums ?? new Uint8Array(), source)
  cache.add([period], ['os'], tally)
  const named = cache.get([period], ['os'])?.valuesOf('os')
  for (const missing of named?.sourcesToLoad(named.listClicked()) ?? []) missing.names = ['linux']
  expect(named?.nameOf(0)).toBe('linux')
  const next = cache.get([period], ['os'])?.valuesOf('os')
  expect(next?.sourcesToLoad(next.listClicked())).toHaveLength(1)
})

test('the cache stays within its limit', () => {
  const cache = new TallyCache<Tally>(20_000)
  for (let id = 0; id < 100; id++) cache.add([{ ...period, link_id: id }], ['os'], tallyOf('linux'))
  const hits = Array.from({ length: 100 }, (_, id) => cache.get([{ ...period, link_id: id }], ['os'])).map(
    (tally) => tally !== undefined,
  )
  expect(hits[99]).toBe(true)
  expect(hits.filter(Boolean).length).toBeLessThan(15)
})

test('a tally larger than the cache evicts nothing', () => {
  const cache = new TallyCache<Tally>(20_000)
  cache.add([period], ['os'], tallyOf('linux'))
  cache.add([later], ['os'], tallyOf(...Array.from({ length: 1_000 }, (_, n) => `os-${n}`)))
  const hits = [period, later].map((each) => cache.get([each], ['os']) !== undefined)
  expect(hits).toEqual([true, false])
})
