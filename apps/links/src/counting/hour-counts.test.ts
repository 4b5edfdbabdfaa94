import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { BOT, SELF_REFERRER, NOW, click } from '../../test/test-database.ts'
import { HOUR } from '../time/window.ts'
import { countByHour } from './hour-counts.ts'

const BEGINNING = NOW - (NOW % HOUR)

describe('countByHour', () => {
  test('no clicks give no counts', () => {
    expect(countByHour([])).toEqual([])
  })

  test('an hour starts with its first second and ends before the next hour', () => {
    const at = (clickedAt: number) => click(1, 'abcd', { clickedAt })
    const counts = countByHour([
      at(BEGINNING - 1),
      at(BEGINNING),
      at(BEGINNING + HOUR - 1),
      at(BEGINNING + HOUR),
    ])
    expect(counts.map(({ hour, clicks }) => [hour, clicks])).toEqual([
      [BEGINNING - HOUR, 1],
      [BEGINNING, 2],
      [BEGINNING + HOUR, 1],
    ])
  })

  test('bots and self-referrers are subsets of the clicks, and clicks with both marks are in both', () => {
    const clicks = [
      click(1, 'abcd'),
      click(1, 'abcd', BOT),
      click(1, 'abcd', SELF_REFERRER),
      click(1, 'abcd', { ...BOT, ...SELF_REFERRER }),
    ]
    expect(countByHour(clicks)).toEqual([
      { linkId: 1, slug: 'abcd', hour: BEGINNING, clicks: 4, bots: 2, selfReferrers: 2, botSelfReferrers: 1 },
    ])
  })

  test('one slug of two links, as after its removal and reuse, gives two counts', () => {
    expect(
      countByHour([click(2, 'abcd'), click(1, 'abcd')]).map(({ linkId, clicks }) => [linkId, clicks]),
    ).toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  test('counts are ordered by key, in whatever order the clicks are', () => {
    const slugs = ['b', 'a', 'a-b', 'a.b', '9', 'zz']
    const clicks = [2, 10, 1].flatMap((link) =>
      slugs.flatMap((slug) => [NOW, NOW - HOUR].map((clickedAt) => click(link, slug, { clickedAt }))),
    )
    const keys = (from: typeof clicks) =>
      countByHour(from).map(({ linkId, hour, slug }) => [linkId, hour, slug])
    const expected = [1, 2, 10].flatMap((link) =>
      [BEGINNING - HOUR, BEGINNING].flatMap((hour) =>
        ['9', 'a', 'a-b', 'a.b', 'b', 'zz'].map((slug) => [link, hour, slug]),
      ),
    )
    expect(keys(clicks)).toEqual(expected)
    expect(keys(clicks.toReversed())).toEqual(expected)
  })
})

test('the hours add up to the clicks, for any clicks', () => {
  const kinds = [{}, BOT, SELF_REFERRER, { ...BOT, ...SELF_REFERRER }]
  const anyClick = fc
    .record({
      link: fc.integer({ min: 1, max: 3 }),
      slug: fc.constantFrom('a', 'b', 'c'),
      clickedAt: fc.integer({ min: NOW - 3 * HOUR, max: NOW }),
      kind: fc.constantFrom(...kinds),
    })
    .map(({ link, slug, clickedAt, kind }) => click(link, slug, { ...kind, clickedAt }))
  fc.assert(
    fc.property(fc.array(anyClick, { maxLength: 60 }), (clicks) => {
      const hours = countByHour(clicks)
      const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
      expect(sum(hours.map((hour) => hour.clicks))).toBe(clicks.length)
      expect(sum(hours.map((hour) => hour.bots))).toBe(sum(clicks.map(({ isBot }) => isBot)))
      expect(sum(hours.map((hour) => hour.selfReferrers))).toBe(sum(clicks.map((one) => one.isSelfReferrer)))
      const keys = hours.map(({ linkId, slug, hour }) => `${linkId} ${slug} ${hour}`)
      expect(new Set(keys).size).toBe(keys.length)
      for (const { linkId, slug, hour, clicks: count } of hours)
        expect(count).toBe(
          clicks.filter(
            (one) =>
              one.linkId === linkId &&
              one.slug === slug &&
              one.clickedAt >= hour &&
              one.clickedAt < hour + HOUR,
          ).length,
        )
    }),
  )
})
