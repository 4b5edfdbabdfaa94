import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { BOT, SELF_REFERRER, NOW, TestDatabase, click, closeAfterEach } from '../../test/test-database.ts'
import { RollupJob } from '../rollups/index.ts'
import { openRecorder } from '../counting/open-recorder.ts'
import type { Context } from '../api/context.ts'
import { recordChanges } from '../record-changes.ts'
import { slugOperations } from './slugs/operations.ts'
import { linkOperations } from './operations.ts'

const { closeLater } = closeAfterEach()
const HOUR = 3600
const DAY = 24 * HOUR
const CLICKS = 7_000
/** Maximum per transaction. A few clicks remain for the last one. */
const CLICKS_PER_STEP = 2_000

eachDialect((_dialect, newUrl) => {
  async function open(clickedAt = (n: number) => NOW - 60 * n) {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const id = await stored.createLink('auto', 'mine')
    const other = await stored.createLink('other')
    const recorder = closeLater(openRecorder(stored.url))
    const clicks = Array.from({ length: CLICKS }, (_, n) =>
      click(id, n % 10 === 0 ? 'auto' : 'mine', {
        clickedAt: clickedAt(n),
        ...(n % 3 === 0 ? BOT : {}),
        ...(n % 7 === 0 ? SELF_REFERRER : {}),
      }),
    )
    await recorder.record([...clicks, click(other, 'other')])
    while (await recorder.closeHours(NOW - 20 * HOUR));
    return { stored, id, recorder, remove: createRemover(stored) }
  }

  function createRemover({ database }: TestDatabase) {
    return (name: string, params: object, identity = 'ann@example.com') => {
      const operation = [...linkOperations, ...slugOperations].find((one) => one.id === name)
      const recorded = recordChanges(database, { identity, via: 'api', now: NOW })
      const context = { database: recorded, identity, flushClicks: async () => true } as unknown as Context
      return operation?.handler(context, { params, query: { force: true } } as never)
    }
  }

  /**
   * Number of clicks of these slugs after each transaction, and how often other work ran in
   * between.
   */
  async function measureWork(stored: TestDatabase, slugs: readonly string[], work: () => Promise<unknown>) {
    const left: number[] = []
    let turns = 0
    let running = true
    const turn = () => {
      turns++
      if (running) setImmediate(turn)
    }
    stored.database.afterWrite(async () => {
      const counts = await Promise.all(slugs.map((slug) => stored.countClicks(slug)))
      // Totals, hours and raw clicks agree at every moment.
      for (const [sum, hours, raw] of counts) expect([sum, hours]).toEqual([raw, raw])
      expect(await subsets(stored, 'click_hour')).toEqual(await subsets(stored, 'click'))
      expect(await subsets(stored, 'counted_slug')).toEqual(await subsets(stored, 'click'))
      left.push(counts.reduce((all, [sum]) => all + sum, 0))
    })
    setImmediate(turn)
    await work()
    running = false
    return { left, turns }
  }

  /** Clicks of each slug that viewer filters exclude. */
  function subsets(stored: TestDatabase, table: 'click' | 'click_hour' | 'counted_slug') {
    const counts =
      table === 'click'
        ? ['is_bot', 'is_self_referrer', 'is_bot * is_self_referrer']
        : ['bots', 'self_referrers', 'bot_self_referrers']
    return stored.rows(`select slug, ${counts.map((count, n) => `sum(${count}) as n${n}`).join(', ')}
      from ${table} where link_id <> 0 group by slug having sum(${table === 'click' ? '1' : 'clicks'}) > 0 order by slug`)
  }

  function expectSmallSteps(before: number, { left, turns }: { left: number[]; turns: number }): void {
    expect(left.at(-1)).toBe(0)
    for (const [n, now] of left.entries())
      expect((left[n - 1] ?? before) - now).toBeLessThanOrEqual(CLICKS_PER_STEP)
    expect(turns).toBeGreaterThanOrEqual(Math.floor(before / CLICKS_PER_STEP))
  }

  test('L6.8c: a link and its clicks are deleted in small transactions, with other work in between', async () => {
    const { stored, id, remove } = await open()
    const steps = await measureWork(stored, ['auto', 'mine'], async () =>
      expect(await remove('deleteLink', { id })).toEqual({ deleted: true }),
    )
    expectSmallSteps(CLICKS, steps)
    expect(await stored.rows('select slug from click')).toEqual([{ slug: 'other' }])
    for (const table of ['link', 'slug', 'click_hour', 'click_period', 'click_sum'])
      expect(
        await stored.rows(`select * from ${table} where ${table === 'link' ? 'id' : 'link_id'} = ${id}`),
      ).toEqual([])
    expect(await stored.countClicks('other')).toEqual([1, 1, 1])
  })

  test('a slug and its clicks are deleted in small transactions, and those of the other slugs stay', async () => {
    const { stored, id, remove } = await open()
    const steps = await measureWork(stored, ['mine'], async () =>
      expect(await remove('removeSlug', { id, slug: 'mine' })).toEqual({ removed: true }),
    )
    expectSmallSteps((CLICKS * 9) / 10, steps)
    const remaining = CLICKS / 10
    expect(await stored.countClicks('auto')).toEqual([remaining, remaining, remaining])
    const [link] = await stored.rows<{ clicks: number }>(`select
      (select clicks_raw from link_clicks where link_id = ${id})
        + coalesce((select sum(clicks) from click_hour_open where link_id = ${id}), 0) as clicks`)
    expect(link?.clicks).toBe(remaining)
  })

  test('an hour with more clicks than one transaction may delete is split, for a link and for a slug', async () => {
    for (const [name, slugs, before] of [
      ['deleteLink', ['auto', 'mine'], CLICKS],
      ['removeSlug', ['mine'], (CLICKS * 9) / 10],
    ] as const) {
      const { stored, id, recorder, remove } = await open((n) => NOW - DAY + (n % 60))
      // A closed hour gets a late click, and is closed again between two steps.
      await recorder.record([click(id, 'mine', { clickedAt: NOW - DAY })])
      let closings = 0
      stored.database.afterWrite(async () => {
        if (closings++ === 1) while (await recorder.closeHours(NOW - 20 * HOUR));
      })
      const steps = await measureWork(
        stored,
        slugs,
        () => remove(name, { id, slug: 'mine' }) as Promise<unknown>,
      )
      expectSmallSteps(before + 1, steps)
      const remaining = name === 'deleteLink' ? 0 : CLICKS / 10
      expect(await stored.countClicks('auto')).toEqual([remaining, remaining, remaining])
      expect(await stored.countClicks('other')).toEqual([1, 1, 1])
    }
  })

  test('a deleted slug leaves no counts in any rollup, even if its link keeps too few clicks for a new one', async () => {
    // The first clicks are deleted with the slug; the second are too many for that.
    for (const clicks of [120, CLICKS_PER_STEP + 1]) {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const id = await stored.createLink('auto', 'mine')
      const recorder = closeLater(openRecorder(stored.url))
      const from = (slug: string, referrer: string) => (_: unknown, n: number) =>
        click(id, slug, { clickedAt: NOW - HOUR, referrer, visitorFp: `${slug}${n}` })
      await recorder.record([
        ...Array.from({ length: clicks }, from('mine', 'https://gone.example/secret')),
        ...Array.from({ length: 10 }, from('auto', 'https://kept.example/')),
      ])
      while (await recorder.closeHours(NOW));
      const rollupJob = new RollupJob(stored.database)
      while (await rollupJob.step(NOW + 100 * DAY));
      const sums = () =>
        stored.rows<object>(`select distinct unit, dimension from click_sum
          where link_id = ${id} or names like '%gone.example%' union select unit, 'block' from click_block`)
      expect(await sums()).toContainEqual({ unit: 'quarter', dimension: 'referrer' })
      expect(await sums()).toContainEqual({ unit: 'hour', dimension: 'visitor_fp' })
      expect(await sums()).toContainEqual({ unit: 'month', dimension: 'block' })
      await createRemover(stored)('removeSlug', { id, slug: 'mine' })
      expect(await sums()).toEqual([])
      while (await rollupJob.step(NOW + 100 * DAY));
      expect(await sums()).toEqual([{ unit: 'month', dimension: 'block' }])
      expect(await stored.countClicks('auto')).toEqual([10, 10, 10])
    }
  })

  test('L6.8c: a database failure in the middle is reported as such, and says "nothing was changed" only before any click is deleted', async () => {
    const { stored, id, remove } = await open()
    const full = Object.assign(new Error('disk is full'), { code: 'SQLITE_FULL' })
    const whole = stored.database.write.bind(stored.database)
    const removals = [
      ['removeSlug', { id, slug: 'mine' }],
      ['deleteLink', { id }],
    ] as const
    for (const [name, params] of removals)
      for (const [writes, expected] of [
        [0, full],
        [1, { code: 'deletion_stopped', status: 503, headers: { 'Retry-After': '5' } }],
      ] as const) {
        let left: number = writes
        stored.database.write = (work) => (left-- > 0 ? whole(work) : Promise.reject(full))
        const failed = await (remove(name, params) as Promise<unknown>).catch((error: unknown) => error)
        expect(failed).toMatchObject(expected)
      }
    stored.database.write = whole
    expect(await remove('deleteLink', { id })).toEqual({ deleted: true })
  })

  test('a refused deletion deletes no clicks', async () => {
    const { stored, id, remove } = await open()
    const refusals = [
      ['deleteLink', { id }, 'ben@example.com', 403],
      ['removeSlug', { id, slug: 'mine' }, 'ben@example.com', 403],
      ['removeSlug', { id, slug: 'auto' }, 'ann@example.com', 400],
    ] as const
    for (const [name, params, identity, status] of refusals)
      expect(
        await (remove(name, params, identity) as Promise<unknown>).catch((error: unknown) => error),
      ).toMatchObject({
        status,
      })
    const [row] = await stored.rows<{ n: number }>(`select count(*) as n from click where link_id = ${id}`)
    expect(row?.n).toBe(CLICKS)
  })
})
