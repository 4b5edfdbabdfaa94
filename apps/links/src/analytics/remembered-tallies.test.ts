import { expect, test } from 'bun:test'
import type { Found } from './cover.ts'
import { RememberedTallies } from './remembered-tallies.ts'
import { Tally } from './tally.ts'
import { ValueCounts } from './value-counts.ts'

const counts = { distinct_raw: 1, distinct_no_bots: 1, distinct_no_self: 1, distinct_neither: 1 }
const one = { clicks: 1, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
const period: Found = { link_id: 1, unit: 'day', start: 86_400, stamp: 7, ...one, ...counts }
const later = { ...period, start: 172_800 }
const raw = { bots: false, selfReferrers: false }

/** What a period with a click of each of these values adds up to. */
function tallyOf(...names: string[]): Tally {
  const values = new ValueCounts()
  for (const name of names) values.add(name, one)
  const tally = new Tally()
  tally.of('os').addPacked(values.packed()?.sums ?? new Uint8Array(), { names: undefined })
  return tally
}

test('what periods add up to is remembered of all their stamps and columns together', () => {
  const remembered = new RememberedTallies<Tally>()
  remembered.add([period, later], ['os'], tallyOf('linux', 'macos'))
  const found = remembered.get([period, later], ['os'])
  expect(['linux', 'macos', 'ios'].map((name) => found?.of('os').countOf(name, raw))).toEqual([1, 1, 0])
  for (const periods of [[period], [later, period], [period, { ...later, stamp: 8 }], []])
    expect(remembered.get(periods, ['os'])).toBeUndefined()
  expect(remembered.get([period, later], ['os', 'browser'])).toBeUndefined()
})

test('clicks added to what was remembered, or to what it came from, are not remembered', () => {
  const remembered = new RememberedTallies<Tally>()
  const source = tallyOf('linux')
  remembered.add([period], ['os'], source)
  const add = (tally: Tally | undefined) => {
    for (let n = 0; n < 100; n++) tally?.of('os').add(`os-${n}`, one)
    tally?.of('os').add('linux', one)
  }
  add(source)
  add(remembered.get([period], ['os']))
  const again = remembered.get([period], ['os'])?.of('os')
  expect([again?.countOf('linux', raw), again?.distinct(raw)]).toEqual([1, 1])
})

test('visitors added to those that were remembered are counted with them, and not remembered', () => {
  const remembered = new RememberedTallies<Tally>()
  const source = new Tally()
  source.of('visitor_fp').addPacked(tallyOf('ann', 'ben').of('os').packed(false)?.sums ?? new Uint8Array(), {
    names: undefined,
  })
  remembered.add([period], ['visitor_fp'], source)
  const found = remembered.get([period], ['visitor_fp'])?.of('visitor_fp')
  for (const name of ['ann', 'cleo']) found?.add(name, one)
  expect(found?.distinct(raw)).toBe(3)
  expect(remembered.get([period], ['visitor_fp'])?.of('visitor_fp').distinct(raw)).toBe(2)
})

test('names that were looked up for one page are looked up again for the next', () => {
  const remembered = new RememberedTallies<Tally>()
  const values = new ValueCounts()
  values.add('linux', one)
  const packed = values.packed()
  const source: { names: string[] | undefined } = { names: undefined }
  const tally = new Tally()
  tally.of('os').addPacked(packed?.sums ?? new Uint8Array(), source)
  remembered.add([period], ['os'], tally)
  const named = remembered.get([period], ['os'])?.of('os')
  for (const missing of named?.unnamed(named.clicked()) ?? []) missing.names = ['linux']
  expect(named?.nameOf(0)).toBe('linux')
  const next = remembered.get([period], ['os'])?.of('os')
  expect(next?.unnamed(next.clicked())).toHaveLength(1)
})

test('no more is remembered than there is room for', () => {
  const remembered = new RememberedTallies<Tally>(20_000)
  for (let id = 0; id < 100; id++) remembered.add([{ ...period, link_id: id }], ['os'], tallyOf('linux'))
  const known = Array.from({ length: 100 }, (_, id) =>
    remembered.get([{ ...period, link_id: id }], ['os']),
  ).map((tally) => tally !== undefined)
  expect(known[99]).toBe(true)
  expect(known.filter(Boolean).length).toBeLessThan(15)
})

test('what there is no room for drives nothing out', () => {
  const remembered = new RememberedTallies<Tally>(20_000)
  remembered.add([period], ['os'], tallyOf('linux'))
  remembered.add([later], ['os'], tallyOf(...Array.from({ length: 1_000 }, (_, n) => `os-${n}`)))
  const known = [period, later].map((each) => remembered.get([each], ['os']) !== undefined)
  expect(known).toEqual([true, false])
})
