import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { NOW, TestDatabase, click, closeAfterEach } from '../../test/test-database.ts'
import { HOUR, type Window } from '../time/window.ts'
import type { ClassifiedClick } from './click.ts'
import { openRecorder } from '../counting/open-recorder.ts'
import { readWindowClicks } from '../rollups/index.ts'
import { withSnapshot } from '../db/snapshot.ts'
import { NO_FILTERS } from './filters.ts'

const { closeLater } = closeAfterEach()

const inWindows = (
  database: TestDatabase['database'],
  ids: readonly number[],
  current: Window,
  previous: Window | undefined,
) => withSnapshot(database, (db) => readWindowClicks(db, ids, { current, previous }, NO_FILTERS))

async function record(stored: TestDatabase, clicks: ClassifiedClick[]): Promise<void> {
  const recorder = openRecorder(stored.url)
  if (clicks.length > 0) await recorder.record(clicks)
  await recorder.close()
}

/** The count from a scan of the raw clicks. */
function scan(clicks: readonly ClassifiedClick[], slug: string, window: Window | undefined): number {
  return clicks.filter(
    (one) => one.slug === slug && window && one.clickedAt >= window.from && one.clickedAt <= window.to,
  ).length
}

eachDialect((_dialect, newUrl) => {
  describe('clicks in windows', () => {
    test('a window includes both of its ends, to the second', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      const window = { from: NOW - 100, to: NOW + 100 }
      const moments = [window.from - 1, window.from, window.to, window.to + 1]
      await record(
        stored,
        moments.map((clickedAt) => click(link, 'abcd', { clickedAt })),
      )
      expect(await inWindows(stored.database, [link], window, undefined)).toEqual({
        slugs: [{ link_id: link, slug: 'abcd', clicks: 2 }],
        previous: undefined,
      })
      expect(await inWindows(stored.database, [link], window, { from: 0, to: window.from - 1 })).toEqual({
        slugs: [{ link_id: link, slug: 'abcd', clicks: 2 }],
        previous: new Map([[link, 1]]),
      })
    })

    test('windows within one hour and of a single second are counted', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      const hour = NOW - (NOW % HOUR)
      await record(
        stored,
        [0, 10, 20, 30, HOUR - 1].map((at) => click(link, 'abcd', { clickedAt: hour + at })),
      )
      const count = async (from: number, to: number) =>
        (await inWindows(stored.database, [link], { from: hour + from, to: hour + to }, undefined)).slugs[0]
          ?.clicks ?? 0
      expect(await count(10, 20)).toBe(2)
      expect(await count(10, 10)).toBe(1)
      expect(await count(11, 19)).toBe(0)
      expect(await count(0, HOUR - 1)).toBe(5)
      expect(await count(1, HOUR)).toBe(4)
    })

    test('only the requested links are counted, and slugs without clicks have no rows', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const [first, second] = [await stored.createLink('aaaa', 'quiet'), await stored.createLink('bbbb')]
      await record(stored, [
        click(first, 'aaaa'),
        click(second, 'bbbb'),
        click(first, 'quiet', { clickedAt: 1000 }),
      ])
      const window = { from: NOW - 1, to: NOW }
      expect(await inWindows(stored.database, [first], window, undefined)).toEqual({
        slugs: [{ link_id: first, slug: 'aaaa', clicks: 1 }],
        previous: undefined,
      })
      expect(await inWindows(stored.database, [], window, window)).toEqual({ slugs: [], previous: new Map() })
    })

    test('fifty thousand links are counted in one request', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      await record(stored, [click(link, 'abcd')])
      const ids = Array.from({ length: 50_000 }, (_, index) => index + 1)
      const { slugs, previous: previousClicks } = await inWindows(
        stored.database,
        ids,
        { from: 0, to: NOW },
        { from: 0, to: NOW + 1 },
      )
      expect(slugs).toEqual([{ link_id: link, slug: 'abcd', clicks: 1 }])
      expect([previousClicks?.size, previousClicks?.get(link), previousClicks?.get(50_000)]).toEqual([
        50_000, 1, 0,
      ])
    })

    test('for any clicks and windows, all counts equal a scan of the raw clicks', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const slugs = ['aaaa', 'x', 'y'] as const
      const link = await stored.createLink(...slugs)
      const moment = fc.integer({ min: NOW - 6 * HOUR, max: NOW + 6 * HOUR })
      const window = fc.tuple(moment, moment).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom(...slugs), moment), { maxLength: 40 }),
          window,
          fc.option(window, { nil: undefined }),
          async (clickValues, current, previous) => {
            await stored.run(sql`delete from click`)
            await stored.run(sql`delete from click_hour_open`)
            const clicks = clickValues.map(([slug, clickedAt]) => click(link, slug, { clickedAt }))
            await record(stored, clicks)
            const result = await inWindows(stored.database, [link], current, previous)
            const expected = slugs
              .map((slug) => ({ link_id: link, slug, clicks: scan(clicks, slug, current) }))
              .filter((row) => row.clicks > 0)
            expect(result.slugs.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))).toEqual(expected)
            const before = slugs.reduce((sum, slug) => sum + scan(clicks, slug, previous), 0)
            expect(result.previous).toEqual(previous && new Map([[link, before]]))
          },
        ),
        { numRuns: 25 },
      )
    })
  })
})
