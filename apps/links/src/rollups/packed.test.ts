import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { LinkTally } from './link-tally.ts'
import { PackedReader, PackedWriter } from './packed.ts'

const MAX = 2 ** 53 - 1
const whole = fc.oneof(
  fc.nat(300),
  fc.constantFrom(0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, MAX - 1, MAX),
  fc.maxSafeNat(),
)
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

test('packed numbers and counts are read as they were written, and nothing follows them', () => {
  fc.assert(
    fc.property(fc.array(whole), fc.array(counts), (numbers, sums) => {
      const writer = new PackedWriter()
      for (const number of numbers) writer.add(number)
      for (const sum of sums) writer.addCounts(sum)
      const reader = new PackedReader(writer.toBytes())
      expect(numbers.map(() => reader.read())).toEqual(numbers)
      expect(sums.map(() => ({ ...reader.readCounts() }))).toEqual(sums)
      expect(reader.isAtEnd).toBe(true)
    }),
  )
})

test('links and their counts add up by id, however far apart their ids are, and are returned in order', () => {
  const ids = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 2 ** 40 }))
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(ids, counts))), (periods) => {
      const all = new LinkTally()
      const expected = new Map<number, number>()
      for (const period of periods) {
        const tally = new LinkTally()
        for (const [id, sum] of period) {
          tally.add(id, sum)
          expected.set(id, (expected.get(id) ?? 0) + sum.clicks - sum.bots)
        }
        all.addPacked(tally.toPacked())
      }
      const links = [...expected]
        .map(([link_id, clicks]) => ({ link_id, clicks }))
        .filter(({ clicks }) => clicks > 0)
      expect(all.toLinkClicks({ bots: true, selfReferrers: false })).toEqual(
        links.toSorted((a, b) => a.link_id - b.link_id),
      )
    }),
  )
})

test('a link whose clicks were all subtracted is not returned, whatever marks its clicks had', () => {
  const tally = new LinkTally()
  const of = (bot: number, self: number) => ({
    clicks: 1,
    bots: bot,
    self_referrers: self,
    bot_self_referrers: bot * self,
  })
  const less = ({ clicks, bots, self_referrers, bot_self_referrers }: ReturnType<typeof of>) => ({
    clicks: -clicks,
    bots: -bots,
    self_referrers: -self_referrers,
    bot_self_referrers: -bot_self_referrers,
  })
  for (const [bot, self] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ] as const)
    tally.add(7, of(bot, self))
  // One bot row plus one self-referrer row minus one row with both marks: no mark remains in the
  // sum, only the combination.
  tally.add(7, { clicks: -1, bots: 0, self_referrers: 0, bot_self_referrers: -1 })
  expect(tally.toLinkClicks({ bots: true, selfReferrers: true })).toEqual([])
  for (const [bot, self] of [
    [0, 1],
    [1, 0],
    [0, 0],
  ] as const)
    tally.add(7, less(of(bot, self)))
  const left: number[] = []
  tally.forEach((linkId) => left.push(linkId))
  expect(left).toEqual([])
})

test('a copy has the same clicks as its original until either is changed', () => {
  const added = fc.array(fc.tuple(fc.integer({ min: 1, max: 600 }), counts))
  const tallyOf = (...all: readonly (readonly (readonly [number, Parameters<LinkTally['add']>[1]])[])[]) => {
    const tally = new LinkTally()
    for (const [id, sum] of all.flat()) tally.add(id, sum)
    return tally.toPacked()
  }
  fc.assert(
    fc.property(added, added, added, added, (before, toOriginal, toCopy, toAnother) => {
      const original = new LinkTally()
      original.addPacked(tallyOf(before))
      const copy = original.copy()
      const another = copy.copy()
      for (const [tally, more] of [
        [original, toOriginal],
        [copy, toCopy],
        [another, toAnother],
      ] as const)
        for (const [id, sum] of more) tally.add(id, sum)
      expect([original, copy, another].map((tally) => tally.toPacked())).toEqual([
        tallyOf(before, toOriginal),
        tallyOf(before, toCopy),
        tallyOf(before, toAnother),
      ])
    }),
  )
})
