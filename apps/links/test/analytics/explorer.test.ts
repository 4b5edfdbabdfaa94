import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { type FilteredRead, readFiltered } from '../../src/analytics/explorer/filtered-read.ts'
import { getAnalytics, getAnalyticsBreakdown } from '../../src/analytics/explorer/operations.ts'
import type { AnalyticsQuery } from '../../src/analytics/explorer/query.ts'
import { Analytics } from '../../src/analytics/explorer/schema.ts'
import { RollupJob } from '../../src/rollups/index.ts'
import { Range } from '../../src/time/schema.ts'
import type { ClassifiedClick } from '../../src/clicks/click.ts'
import { deleteClicksBefore } from '../../src/counting/old-clicks.ts'
import type { Context } from '../../src/api/context.ts'
import type { Tables } from '../../src/db/tables.ts'
import { deleteClicks } from '../../src/links/delete-clicks.ts'
import { removeSlug } from '../../src/links/slugs/store.ts'
import { NOW, closeAfterEach } from '../test-database.ts'
import { ages, batches, classifyGenerated, zones } from './click-history.ts'
import { ExplorerScan, type Look } from './explorer-scan.ts'
import { type World, closeHours, openWorld } from './world.ts'

const { closeLater } = closeAfterEach()

const HOUR = 3600
const DAY = 24 * HOUR

/** Custom windows: of whole local days, and with any ends. */
const windows = fc.oneof(
  fc.record({ age: ages, length: fc.integer({ min: 0, max: 800 * DAY }) }).map(({ age, length }) => {
    const from = NOW - Math.max(age, 1) - length
    return { from, to: from + length }
  }),
  fc.record({ age: fc.integer({ min: 0, max: 700 }), days: fc.integer({ min: 1, max: 100 }) }),
)

/** Filters by one or two dimensions, with values that occur, unknown ones and others. */
const valueFilters: fc.Arbitrary<Partial<AnalyticsQuery>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 5,
    arbitrary: fc
      .array(
        fc.constantFrom<Partial<AnalyticsQuery>>(
          { country: ['SE'] },
          { country: ['SE', 'ID', ''] },
          { country: ['XX'] },
          { referrer_host: ['example.org', 'slack.com'] },
          { referrer_host: [''] },
          { referrer: ['https://www.example.org/a'] },
          { referrer: ['', 'nonsense'] },
          { channel: ['direct', 'referral'] },
          { device: ['desktop'] },
          { device: ['mobile', ''] },
          { os: ['linux', 'ios', 'other'] },
          { browser: ['Chrome', 'Safari'] },
          { link_mode: ['link'] },
          { utm_source: ['a'] },
          { utm_medium: ['', 'qr'] },
          { utm_campaign: ['x'] },
          { variant: ['1', '2.1'] },
          { variant: ['', '0.2'] },
          { slug: ['aaaa', 'cccc'] },
        ),
        { minLength: 1, maxLength: 2 },
      )
      .map((filters) => Object.assign({}, ...filters)),
  },
)

const looks: fc.Arbitrary<Look> = fc
  .record({
    time: fc.oneof(fc.record({ range: fc.constantFrom(...Range.options) }), windows),
    tz: fc.constantFrom(...zones),
    compare: fc.constantFrom(undefined, 'previous' as const, 'year' as const),
    subject: fc.constantFrom<Partial<AnalyticsQuery>>(
      {},
      {},
      {},
      { link: [1] },
      { link: [2, 3] },
      { bundle: [1] },
      { link: [1, 3], bundle: [1] },
      { link: [99] },
      { bundle: [0] },
      { bundle: [0, 1], link: [1, 3] },
    ),
    chosen: valueFilters,
    now: fc.oneof(fc.constant(NOW), fc.integer({ min: NOW - 500 * DAY, max: NOW + 2 * HOUR })),
    filters: fc.record({ bots: fc.boolean(), selfReferrers: fc.boolean() }),
  })
  .map(({ time, tz, compare, subject, chosen, now, filters }) => ({
    query: { ...endBefore(now, inZone(time, tz)), tz, compare, ...subject, ...chosen },
    now,
    filters,
  }))

type Time = Pick<AnalyticsQuery, 'range' | 'from' | 'to'> | { age: number; days: number }

/** Local days as a window. */
function inZone(time: Time, tz: string): Pick<AnalyticsQuery, 'range' | 'from' | 'to'> {
  if (!('days' in time)) return time
  const last = new Temporal.ZonedDateTime(BigInt(NOW) * 1_000_000_000n, tz)
    .subtract({ days: time.age })
    .startOfDay()
  const at = (days: number) => Math.floor(last.add({ days }).startOfDay().epochMilliseconds / 1000)
  return { from: at(1 - time.days), to: at(1) - 1 }
}

/** A window that begins at `now` at the latest. */
function endBefore(now: number, time: Pick<AnalyticsQuery, 'range' | 'from' | 'to'>) {
  return time.from === undefined ? time : { ...time, from: Math.min(time.from, now) }
}

function contextOf({ stored }: World, { now, filters }: Look): Context {
  return {
    database: stored.database,
    now,
    filters,
    defaultRange: '30d',
    flushClicks: async () => true,
    async *readFiltered(request: FilteredRead) {
      const { signal } = new AbortController()
      yield { result: await readFiltered(stored.database, request, { signal, onProgress: () => {} }) }
    },
  } as unknown as Context
}

async function read(world: World, look: Look) {
  const input = { params: undefined, query: look.query, body: undefined }
  return (await getAnalytics.handler(contextOf(world, look), input)) as Analytics
}

async function expectEqual(world: World, clicks: readonly ClassifiedClick[], look: Look, rawStart?: number) {
  const scan = new ExplorerScan(clicks, look, world, rawStart)
  const analytics = await read(world, look)
  expect(analytics).toEqual(scan.expected() as never)
  expect(Analytics.parse(analytics)).toEqual(analytics)
  expect(JSON.stringify(analytics)).not.toContain('_delta":null')
  for (const [dimension, { items, total, unknown }] of Object.entries(scan.all())) {
    const query = { ...look.query, dimension, offset: 1, limit: 2 } as never
    const page = await getAnalyticsBreakdown.handler(contextOf(world, look), {
      params: undefined,
      query,
      body: undefined,
    })
    expect([dimension, page]).toEqual([dimension, { items: items.slice(1, 3), total, unknown }])
  }
}

eachDialect((dialect, newUrl) => {
  const open = async () => openWorld(await newUrl(), closeLater)
  const runs = (sqlite: number, postgres: number) => ({
    numRuns: dialect === 'sqlite' ? sqlite : postgres,
    seed: NOW,
    endOnFailure: true,
  })

  // Each look has filters, a window, a comparison and pages of breakdowns (L14.11a, L14.11b, L14.11c,
  // L14.11d, L14.12a, L14.12b, L14.13a).
  test('L14.11 L14.12 L14.3: analytics of any clicks equal a scan at every moment, while clicks arrive late and are rolled up', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: batches.map((made) => ({ record: made })) },
        { weight: 2, arbitrary: ages.map((age) => ({ close: age })) },
        { weight: 3, arbitrary: fc.record({ sum: fc.integer({ min: 1, max: 60 }), who: fc.nat(1) }) },
        { weight: 4, arbitrary: looks.map((look) => ({ look })) },
      ),
      { minLength: 8, maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(steps, looks, async (made, last) => {
        const world = await open()
        const { stored } = world
        const jobs = [stored.database, closeLater(openDatabase<Tables>(stored.url))].map(
          (db) => new RollupJob(db, 2),
        )
        const clicks: ClassifiedClick[] = []
        for (const step of made)
          if ('record' in step) {
            const batch = step.record.map((one) => classifyGenerated(one, world.slugs))
            if (batch.length > 0) await world.recorder.record(batch)
            clicks.push(...batch)
          } else if ('close' in step) await closeHours(world, NOW - step.close)
          else if ('look' in step) await expectEqual(world, clicks, step.look)
          else for (let count = 0; count < step.sum && (await jobs[step.who]?.step(NOW)); count++);
        await expectEqual(world, clicks, last)
        await closeHours(world, NOW - (NOW % HOUR))
        while (await jobs[0]?.step(NOW));
        await expectEqual(world, clicks, last)
      }),
      runs(15, 6),
    )
  }, 240_000)

  test('L13.6: retention and removal leave analytics as a scan of what is kept computes them', async () => {
    const wholeHours = looks
      .filter(
        ({ query, now }) =>
          query.from === undefined && !/Kolkata|Kathmandu|Lord|Chatham|Johns/.test(query.tz) && now <= NOW,
      )
      .map((look) => ({ ...look, now: look.now - (look.now % HOUR) }))
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: batches.map((made) => ({ record: made })) },
        { weight: 2, arbitrary: fc.integer({ min: 2, max: 500 }).map((age) => ({ forget: age })) },
        { weight: 2, arbitrary: fc.integer({ min: 1, max: 60 }).map((sum) => ({ sum })) },
        { weight: 3, arbitrary: wholeHours.map((look) => ({ look })) },
        { weight: 1, arbitrary: fc.record({ remove: fc.constantFrom('one', 'two') }) },
      ),
      { minLength: 8, maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(steps, wholeHours, async (made, last) => {
        const world = await open()
        const { stored } = world
        const job = new RollupJob(stored.database, 3)
        let clicks: ClassifiedClick[] = []
        const forgottenHours = new Map<string, number[]>()
        const rawStart = () => {
          const hour = Math.max(...[...forgottenHours.values()].flat())
          return hour === -Infinity ? undefined : hour - (hour % DAY) + DAY
        }
        for (const step of made)
          if ('record' in step) {
            const batch = step.record.map((one) => classifyGenerated(one, world.slugs))
            if (batch.length > 0) await world.recorder.record(batch)
            clicks.push(...batch)
          } else if ('forget' in step) {
            const cut = NOW - step.forget * DAY
            await deleteClicksBefore(stored.database, cut)
            clicks = clicks.map((click) => {
              if (click.clickedAt >= cut - (cut % DAY)) return click
              const old = forgotten(click)
              forgottenHours.set(old.slug, [...(forgottenHours.get(old.slug) ?? []), old.clickedAt])
              return old
            })
          } else if ('remove' in step) {
            world.slugs = world.slugs.filter(({ slug }) => slug !== step.remove)
            clicks = clicks.filter(({ slug }) => slug !== step.remove)
            forgottenHours.delete(step.remove)
            const removed = { link_id: world.first, slug: step.remove }
            const remove = () => stored.database.write((tx) => removeSlug(tx, stored.database, removed))
            await deleteClicks(stored.database, async () => removed, remove, 3)
          } else if ('look' in step) await expectEqual(world, clicks, step.look, rawStart())
          else {
            await closeHours(world, NOW - (NOW % HOUR))
            for (let count = 0; count < step.sum && (await job.step(NOW)); count++);
          }
        await expectEqual(world, clicks, last, rawStart())
      }),
      runs(12, 5),
    )
  }, 240_000)
})

/** A click after retention, which removes its full referrer and its visitor and keeps its hour. */
function forgotten(click: ClassifiedClick): ClassifiedClick {
  return { ...click, clickedAt: click.clickedAt - (click.clickedAt % HOUR), referrer: null, visitorFp: null }
}
