import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { createLog } from '@latchkey/http/log'
import { BOT, NOW, TestDatabase, click, closeAfterEach, until } from '../test/test-database.ts'
import { RollupJob } from './rollups/index.ts'
import { DAY, HOUR, type Window, currentWindow, windowsOf } from './time/window.ts'
import { insertBundle } from './bundles/store.ts'
import { recordChanges } from './record-changes.ts'
import type { ClassifiedClick } from './clicks/click.ts'
import { openRecorder } from './counting/open-recorder.ts'
import { deleteClicksBefore } from './counting/old-clicks.ts'
import { startRetention } from './retention.ts'
import { NO_FILTERS } from './clicks/filters.ts'
import { readWindowClicks } from './rollups/index.ts'

const { closeLater } = closeAfterEach()
const DAYS = 30
/** Raw clicks are deleted by whole days. */
const CUT = NOW - DAYS * DAY - ((NOW - DAYS * DAY) % DAY)

eachDialect((_dialect, newUrl) => {
  async function openWith(
    make: (link: number) => ClassifiedClick[],
  ): Promise<{ stored: TestDatabase; link: number }> {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const recorder = closeLater(openRecorder(stored.url))
    await recorder.record(make(link))
    return { stored, link }
  }

  const everyFiveHours = (link: number) =>
    Array.from({ length: 400 }, (_, index) =>
      click(link, 'abcd', { clickedAt: NOW - index * 5 * HOUR, ...(index % 3 ? {} : BOT) }),
    )

  async function countIn({ database }: TestDatabase, link: number, window: Window): Promise<number> {
    const { slugs } = await readWindowClicks(
      database,
      [link],
      { current: window, previous: undefined },
      NO_FILTERS,
    )
    return slugs[0]?.clicks ?? 0
  }

  test('L13.6 raw clicks from before the moment are deleted, and later ones and all rollups stay', async () => {
    const { stored } = await openWith(everyFiveHours)
    const old = everyFiveHours(1).filter(({ clickedAt }) => clickedAt < CUT).length
    const hours = await stored.rows('select * from click_hour order by hour')
    expect(await deleteClicksBefore(stored.database, CUT)).toBe(old)
    expect(await stored.rows(`select count(*) as n from click where clicked_at < ${CUT}`)).toEqual([{ n: 0 }])
    expect(await stored.countClicks('abcd')).toEqual([400, 400, 400 - old])
    expect(await stored.rows('select * from click_hour order by hour')).toEqual(hours)
    expect(await deleteClicksBefore(stored.database, CUT)).toBe(0)
  })

  test('L13.6 full referrers and visitors are deleted from rollups together with the clicks', async () => {
    const { stored } = await openWith((link) =>
      Array.from({ length: 120 }, (_, n) =>
        click(link, 'abcd', { clickedAt: CUT - 1, referrer: `https://ref.example/${n}`, visitorFp: `${n}` }),
      ),
    )
    const recorder = closeLater(openRecorder(stored.url))
    while (await recorder.closeHours(NOW));
    const rollupJob = new RollupJob(stored.database)
    while (await rollupJob.step(NOW));
    const countPersonal = () =>
      stored.rows(`select dimension from click_sum where dimension in ('referrer', 'visitor_fp')
        union all select unit from click_block`)
    const before = (await countPersonal()).map((row) => Object.values(row as object)[0])
    for (const kind of ['referrer', 'visitor_fp', 'month']) expect(before).toContain(kind)
    await deleteClicksBefore(stored.database, CUT)
    expect(await countPersonal()).toEqual([])
    while (await rollupJob.step(NOW));
    expect(await countPersonal()).toEqual([])
    expect(await stored.rows(`select 1 from click_sum where dimension = 'slug'`)).not.toEqual([])
  })

  test('other work runs between small transactions', async () => {
    const { stored } = await openWith((link) =>
      Array.from({ length: 2_600 }, (_, n) => click(link, 'abcd', { clickedAt: CUT - DAY - n })),
    )
    let turns = 0
    let running = true
    const countTurn = () => {
      turns++
      if (running) setImmediate(countTurn)
    }
    setImmediate(countTurn)
    expect(await deleteClicksBefore(stored.database, CUT)).toBe(2_600)
    running = false
    expect(turns).toBeGreaterThanOrEqual(5)
  })

  test('a click in the first second of the day that contains the moment is kept', async () => {
    const { stored } = await openWith((link) =>
      [-1, 0, 1].map((by) => click(link, 'abcd', { clickedAt: CUT + by })),
    )
    expect(await deleteClicksBefore(stored.database, CUT + 5 * HOUR)).toBe(1)
    expect(await stored.rows('select clicked_at as at from click order by 1')).toEqual([
      { at: CUT },
      { at: CUT + 1 },
    ])
  })

  test('more clicks than fit one transaction are all deleted', async () => {
    const { stored } = await openWith((link) => {
      const old = click(link, 'abcd', { clickedAt: CUT - 1 })
      return Array.from({ length: 12_000 }, () => old)
    })
    expect(await deleteClicksBefore(stored.database, CUT)).toBe(12_000)
    expect(await stored.countClicks('abcd')).toEqual([12_000, 12_000, 0])
  })

  describe('statistics after raw clicks were deleted', () => {
    test('ranges that end now keep their values, to the hour where they begin before the age limit', async () => {
      const { stored, link } = await openWith(everyFiveHours)
      const all = everyFiveHours(link)
      await deleteClicksBefore(stored.database, CUT)
      const countBetween = (from: number, to: number) =>
        all.filter(({ clickedAt }) => clickedAt >= from && clickedAt <= to).length
      for (const range of ['24h', '7d', '30d', '90d', '1y', 'all'] as const) {
        const { from, to } = currentWindow(range, NOW)
        const exact = countBetween(from, to)
        const count = await countIn(stored, link, { from, to })
        if (from >= CUT) expect([range, count]).toEqual([range, exact])
        else expect([range, count]).toEqual([range, countBetween(from - (from % HOUR), to)])
      }
      expect(await countIn(stored, link, currentWindow('all', NOW))).toBe(400)
    })

    test('the previous window keeps its value too, and links stay separate', async () => {
      const { stored, link } = await openWith(everyFiveHours)
      const other = await stored.createLink('efgh')
      const before = await readWindowClicks(stored.database, [link, other], windowsOf('7d', NOW), NO_FILTERS)
      await deleteClicksBefore(stored.database, NOW - 20 * DAY)
      expect(
        await readWindowClicks(stored.database, [link, other], windowsOf('7d', NOW), NO_FILTERS),
      ).toEqual(before)
      expect(before).toEqual({
        slugs: [{ link_id: link, slug: 'abcd', clicks: 34 }],
        previous: new Map([
          [link, 34],
          [other, 0],
        ]),
      })
    })

    test('wherever a window begins and ends, it is off by at most the clicks of the two hours at its ends', async () => {
      const { stored, link } = await openWith(everyFiveHours)
      const all = everyFiveHours(link)
      await deleteClicksBefore(stored.database, CUT)
      for (let step = 0; step < 60; step++) {
        const from = NOW - step * 33 * HOUR - step * 61
        const to = from + 9 * DAY + step * 127
        const count = await countIn(stored, link, { from, to })
        const countBetween = (low: number, high: number) =>
          all.filter(({ clickedAt }) => clickedAt >= low && clickedAt <= high).length
        expect(count).toBeGreaterThanOrEqual(countBetween(from, to))
        expect(count).toBeLessThanOrEqual(countBetween(from - (from % HOUR), to - (to % HOUR) + HOUR - 1))
        if (from >= CUT) expect(count).toBe(countBetween(from, to))
      }
    })
  })

  test('with an age limit, old clicks are deleted at the start; without one, none are ever deleted', async () => {
    const ago = (days: number) => Math.floor(Date.now() / 1000) - days * DAY
    const make = (link: number) =>
      [9, 3.001, 1.9, 0].map((days) => click(link, 'abcd', { clickedAt: Math.floor(ago(days)) }))
    const { stored } = await openWith(make)
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line) })
    const countRemaining = async () => (await stored.countClicks('abcd'))[2]

    await startRetention(
      stored.database,
      { retentionDays: null, auditDays: null, privacy: 'full' },
      log,
      Date.now,
    )()
    expect(await countRemaining()).toBe(4)
    const stop = startRetention(
      stored.database,
      { retentionDays: 2, auditDays: null, privacy: 'full' },
      log,
      Date.now,
    )
    await until('they are gone', async () => (await countRemaining()) === 2)
    await stop()
    expect(await stored.countClicks('abcd')).toEqual([4, 4, 2])
    expect(lines).toEqual([])
  })

  test('L29.1h: with LINKS_AUDIT_DAYS, older history is deleted at the start; without it, none is ever deleted', async () => {
    const { stored } = await openWith(() => [])
    const now = Math.floor(Date.now() / 1000)
    const write = (daysAgo: number, name: string) =>
      recordChanges(stored.database, { identity: 'ann', via: 'api', now: now - daysAgo * DAY }).write((tx) =>
        insertBundle(tx, { name, accent: 'red', created_by: 'ann', created_at: 1, updated_at: 1 }),
      )
    for (const days of [9, 3, 1]) await write(days, `${days}`)
    const log = createLog({ write: () => {} })
    const countDays = async () => {
      const rows = await stored.rows<{ at: number }>(
        `select changed_at as at from history where bundle_id is not null order by id`,
      )
      return rows.map(({ at }) => (now - at) / DAY)
    }
    await startRetention(
      stored.database,
      { retentionDays: null, auditDays: null, privacy: 'full' },
      log,
      Date.now,
    )()
    const stop = startRetention(
      stored.database,
      { retentionDays: null, auditDays: 5, privacy: 'full' },
      log,
      Date.now,
    )
    await until('it is gone', async () => (await countDays()).length === 2)
    await stop()
    expect(await countDays()).toEqual([3, 1])
    expect(await stored.rows('select * from history_erasure')).toEqual([])
    const refusal = await stored.run(sql`delete from history`).catch((error: unknown) => error)
    expect(String(refusal)).toContain('history is append-only')
  })

  test('L20.2: a stop waits for the step that runs, and begins no other', async () => {
    const { stored } = await openWith((link) => [click(link, 'abcd', { clickedAt: NOW - 9 * DAY })])
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held: typeof stored.database = {
      ...stored.database,
      async write(work) {
        begun.resolve()
        await gate.promise
        return stored.database.write(work)
      },
    }
    const lines: string[] = []
    const stop = startRetention(
      held,
      { retentionDays: 1, auditDays: null, privacy: 'full' },
      createLog({ write: (line) => void lines.push(line) }),
      Date.now,
    )
    await begun.promise
    let hasStopped = false
    const stopping = stop().then(() => (hasStopped = true))
    await Bun.sleep(1)
    expect(hasStopped).toBe(false)
    gate.resolve()
    await stopping
    expect(await stored.rows('select slug from click')).toEqual([{ slug: 'abcd' }])
    expect(lines).toEqual([])
  })

  test('L13.6: a step that fails is logged, and stops no other', async () => {
    const { stored } = await openWith((link) => [click(link, 'abcd', { clickedAt: NOW - 9 * DAY })])
    await stored.run(sql`drop table idempotent_answer`)
    const lines: string[] = []
    const stop = startRetention(
      stored.database,
      { retentionDays: 1, auditDays: null, privacy: 'full' },
      createLog({ write: (line) => void lines.push(line) }),
      Date.now,
    )
    const countClicks = async () => (await stored.rows('select id from click')).length
    await until('the old click is deleted', async () => (await countClicks()) === 0)
    await stop()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('retention: cannot delete old data')
    expect(lines[0]).toContain('"step":"repeated requests"')
  })
})
