import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { ClickCounts } from '../db/click-tables.ts'
import { type PackedValues, ValueCounts } from './value-counts.ts'

/**
 * Counts as real clicks produce them: bot and self-referrer clicks are subsets of all clicks, and
 * clicks with both marks are in both subsets.
 */
const counts = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 40 }), fc.nat(3), fc.nat(3), fc.nat(3))
  .map(([clicks, bots, self, both]) => ({
    clicks: clicks + bots + self + both,
    bots: bots + both,
    self_referrers: self + both,
    bot_self_referrers: both,
  }))
const few = fc.integer({ min: 1, max: 3 }).map((clicks) => ({ ...NONE, clicks }))
const NONE: ClickCounts = { clicks: 0, bots: 0, self_referrers: 0, bot_self_referrers: 0 }
const names = fc.oneof(fc.string({ unit: 'binary' }), fc.nat(200).map(String))
const unfiltered = { bots: false, selfReferrers: false }

function pack(period: readonly (readonly [string, ClickCounts])[]): PackedValues | undefined {
  const values = new ValueCounts()
  for (const [name, sum] of period) values.add(name, sum)
  return values.toPacked()
}

/** Adds the periods by key, and loads their names afterwards. */
function addAll(periods: readonly (PackedValues | undefined)[], into = new ValueCounts()): ValueCounts {
  const sources = periods.map((period) => ({ names: undefined as string[] | undefined, period }))
  for (const source of sources) if (source.period) into.addPacked(source.period.sums, source)
  for (const source of sources) if (source.period) source.names = JSON.parse(source.period.names) as string[]
  return into
}

function contents(values: ValueCounts): [string, ClickCounts][] {
  return values
    .listClicked()
    .map((entry): [string, ClickCounts] => [values.nameOf(entry), values.countsOf(entry)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

test('values add up by name over periods and single clicks, whatever characters and however many names they have', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.tuple(names, counts), { size: 'large' }), { maxLength: 4 }),
      fc.array(fc.tuple(names, counts)),
      fc.boolean(),
      (periods, single, isSingleFirst) => {
        const expected = new Map<string, ClickCounts>()
        for (const [name, sum] of [...periods.flat(), ...single]) {
          const before = expected.get(name) ?? NONE
          expected.set(name, {
            clicks: before.clicks + sum.clicks,
            bots: before.bots + sum.bots,
            self_referrers: before.self_referrers + sum.self_referrers,
            bot_self_referrers: before.bot_self_referrers + sum.bot_self_referrers,
          })
        }
        const values = new ValueCounts()
        const addSingle = () => {
          for (const [name, sum] of single) values.add(name, sum)
        }
        if (isSingleFirst) addSingle()
        addAll(periods.map(pack), values)
        if (!isSingleFirst) addSingle()
        const sorted = [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1))
        expect(contents(values)).toEqual(sorted)
        expect(contents(addAll([values.toPacked()]))).toEqual(sorted)
        expect(pack(sorted.toReversed())).toEqual(values.toPacked())
        for (const [name, sum] of expected)
          expect(values.filteredCountByName(name, unfiltered)).toBe(sum.clicks)
        expect(values.filteredCountByName('not\u0000there', unfiltered)).toBe(0)
      },
    ),
  )
})

test('the top entries have the most filtered clicks, include all ties with the last, and all other values are counted', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(names, few)), fc.integer({ min: 1, max: 12 }), (period, max) => {
      const values = addAll([pack(period), pack(period)])
      const sums = new Map<string, number>()
      for (const [name, { clicks }] of period) sums.set(name, (sums.get(name) ?? 0) + 2 * clicks)
      const min = [...sums.values()].toSorted((a, b) => b - a)[max - 1] ?? 0
      const { entries, total } = values.top(unfiltered, max)
      expect(total).toBe(sums.size)
      expect(entries.map((entry) => values.nameOf(entry)).toSorted()).toEqual(
        [...sums].flatMap(([name, clicks]) => (clicks >= min ? [name] : [])).toSorted(),
      )
    }),
  )
})

test('values whose clicks were all subtracted are neither returned nor packed', () => {
  const values = new ValueCounts()
  values.add('a', { ...NONE, clicks: 2, bots: 1 })
  values.add('b', { ...NONE, clicks: 1 })
  values.add('b', { ...NONE, clicks: -1 })
  expect(contents(values)).toEqual([['a', { ...NONE, clicks: 2, bots: 1 }]])
  expect(values.top(unfiltered, 5).total).toBe(1)
  expect(JSON.parse(values.toPacked()?.names ?? '')).toEqual(['a'])
  values.add('a', { ...NONE, clicks: -2, bots: -1 })
  expect(values.toPacked()).toBeUndefined()
})

test('names are requested only from the rollups that first had the values', () => {
  const values = new ValueCounts()
  const [first, second] = [{ names: undefined }, { names: undefined }]
  values.addPacked(pack([['a', { ...NONE, clicks: 5 }]])?.sums ?? new Uint8Array(), first)
  values.addPacked(
    pack([
      ['a', { ...NONE, clicks: 5 }],
      ['b', { ...NONE, clicks: 1 }],
    ])?.sums ?? new Uint8Array(),
    second,
  )
  expect(values.sourcesToLoad(values.top(unfiltered, 1).entries)).toEqual([first])
  expect(values.sourcesToLoad(values.top(unfiltered, 2).entries)).toEqual([first, second])
  expect(() => values.nameOf(0)).toThrow()
  values.add('a', NONE)
  expect(values.nameOf(0)).toBe('a')
})

test('values added to an overlay count as if added to a copy, and do not change the base', () => {
  const filters = [false, true].flatMap((bots) =>
    [false, true].map((selfReferrers) => ({ bots, selfReferrers })),
  )
  const distinct = (values: ValueCounts) => filters.map((each) => values.countDistinct(each))
  const negated = counts.map((sum) => ({
    clicks: -sum.clicks,
    bots: -sum.bots,
    self_referrers: -sum.self_referrers,
    bot_self_referrers: -sum.bot_self_referrers,
  }))
  const name = fc.nat(40).map(String)
  const below = fc.array(fc.tuple(name, counts))
  const steps = fc.array(fc.array(fc.tuple(name, fc.oneof(counts, negated))), { maxLength: 4 })
  fc.assert(
    fc.property(below, steps, (initial, more) => {
      const values = new ValueCounts()
      values.addPacked(pack(initial)?.sums ?? new Uint8Array([0]), { names: undefined })
      const before = distinct(values)
      const [copy, over] = [values.copy(), values.createOverlay()]
      for (const step of [
        ...more,
        initial.map(([each, { clicks }]) => [each, { ...NONE, clicks: -clicks }] as const),
      ]) {
        for (const [each, sum] of step) for (const one of [copy, over]) one.add(each, sum)
        expect(distinct(over)).toEqual(distinct(copy))
      }
      expect(distinct(values)).toEqual(before)
      expect(() => over.top({ bots: false, selfReferrers: false }, 1)).toThrow('only their number')
    }),
  )
})
