import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { openDatabase } from '@latchkey/database/database'
import { sql } from 'kysely'
import { readDashboardStats } from '../../src/analytics/dashboard.ts'
import { readClickStats, readRanking, readTimeline, readTopValues } from '../../src/analytics/stats.ts'
import { breakdownNames } from '../../src/analytics/schema.ts'
import { Range } from '../../src/time/schema.ts'
import { RollupJob } from '../../src/rollups/index.ts'
import { dimensionOfBreakdown } from '../../src/clicks/dimensions.ts'
import { sum as sumOf } from '../../src/time/window.ts'
import { readBundleStats } from '../../src/analytics/bundle-stats.ts'
import { findBundleRow, summarise } from '../../src/bundles/store.ts'
import type { ClassifiedClick } from '../../src/clicks/click.ts'
import { deleteClicksBefore } from '../../src/counting/old-clicks.ts'
import { withSnapshot } from '../../src/db/snapshot.ts'
import type { Tables } from '../../src/db/tables.ts'
import { deleteLinkRow, lockLinkForWrite } from '../../src/links/store.ts'
import { deleteClicks } from '../../src/links/delete-clicks.ts'
import { removeSlug } from '../../src/links/slugs/store.ts'
import { NOW, closeAfterEach } from '../test-database.ts'
import { type Slug, ages, batches, classifyGenerated, histories, views } from './click-history.ts'
import { Scan, type View } from './scan.ts'
import { type World, closeHours, openWorld } from './world.ts'

const { closeLater } = closeAfterEach()

eachDialect((dialect, newUrl) => {
  const open = async () => openWorld(await newUrl(), closeLater)

  async function expectLink({ stored, first }: World, scan: Scan, view: View): Promise<void> {
    await withSnapshot(stored.database, async (db) => {
      const own = scan.of([first])
      const { stats } = await readClickStats(db, [first], view)
      expect(stats).toEqual(own.stats() as never)
      expect(Object.keys(stats).includes('delta_pct')).toBe(stats.delta_pct !== undefined)
      const line = await readTimeline(db, [first], view)
      expect(line).toEqual(own.timeline() as never)
      expect(line.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(stats.total_clicks)
      for (const name of breakdownNames) {
        const items = own.list(name)
        const whole = { total: items.length, clicks: sumOf(items.map(({ count }) => count)) }
        for (const max of [Infinity, 2]) {
          const ranking = await readRanking(db, [first], dimensionOfBreakdown[name], { ...view, max })
          expect([name, ranking]).toEqual([name, { items: items.slice(0, max), ...whole }])
        }
      }
    })
  }

  async function expectBundle(
    { stored, first, second, quiet }: World,
    scan: Scan,
    view: View,
  ): Promise<void> {
    await withSnapshot(stored.database, async (db) => {
      const own = scan.of([first, second])
      const row = await findBundleRow(db.read, 1)
      if (!row) throw new Error('The bundle is gone')
      const { bundle: _, timeline: line, per_link, ...stats } = await readBundleStats(db, row, view)
      const total = own.clicks.length
      const share = (count: number) => (total === 0 ? 0 : Math.floor((100 * count) / total + 0.5))
      const clicked = own.links()
      const [country] = own.list('countries')
      const label = null
      const slugOf = (id: number) => (id === first ? 'aaaa' : 'bbbb')
      const best = clicked[0]
      expect(line).toEqual(own.timeline() as never)
      expect(stats).toEqual({
        ...own.stats(),
        link_count: 3,
        clicked_links: clicked.length,
        ...(best && {
          top_performer: {
            slug: slugOf(best.link_id),
            label,
            click_count: best.clicks,
            pct_of_bundle: share(best.clicks),
          },
        }),
        countries_reached: own.list('countries').length,
        ...(country && { top_country: { name: country.name, pct: share(country.count) } }),
      } as never)
      const silent = [first, second, quiet].filter((id) => !clicked.some((link) => link.link_id === id))
      const ids = [...clicked.map((link) => link.link_id), ...silent]
      expect(
        per_link.map((link) => [link.link_id, link.click_count, link.pct_of_bundle, link.delta_pct]),
      ).toEqual(
        ids.map((id) => {
          const one = own.of([id])
          const count = one.clicks.length
          return [id, count, share(count), one.delta(count, one.previous.length)]
        }),
      )
      const tops = await readTopValues(db, [quiet, second, first], ['country', 'referrer_host'], view)
      expect([...tops]).toEqual(
        [quiet, second, first].map((id) => {
          const one = scan.of([id])
          const name = (list: 'countries' | 'referrer_hosts') => one.list(list)[0]?.name ?? null
          return [id, { country: name('countries'), referrer_host: name('referrer_hosts') }]
        }),
      )
      const [summary] = await summarise(db, [row], view)
      expect(summary).toMatchObject({
        total_clicks: total,
        sparkline: own.sparkline((clicks) => clicks.length),
      })
    })
  }

  async function expectInstance({ stored }: World, scan: Scan, view: View): Promise<void> {
    const stats = await withSnapshot(stored.database, (db) => readDashboardStats(db, view))
    const clicked = scan.links()
    const before = scan.links(scan.previous)
    const first = Math.min(...scan.clicks.map((click) => click.clickedAt))
    const spans = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 }
    const days =
      view.range === 'all'
        ? Math.max(1, Math.floor((view.now - Math.min(first, view.now)) / 86_400))
        : spans[view.range]
    const change = scan.delta(scan.clicks.length, scan.previous.length)
    expect({
      total: stats.total_clicks,
      previous: stats.total_clicks_previous,
      change: [stats.total_clicks_delta, stats.clicks_per_day_delta],
      perDay: stats.clicks_per_day,
      days: stats.days,
      clicked: [stats.clicked_links, stats.clicked_links_delta],
      top: stats.top_links.map((link) => ({ link_id: link.id, clicks: link.total_clicks })),
      lists: [
        stats.top_countries,
        stats.num_countries,
        stats.top_referrers,
        stats.num_referrers,
        stats.num_domains,
      ],
      sparklines: [stats.timeline, stats.timeline_clicked_links],
    }).toEqual({
      total: scan.clicks.length,
      previous: scan.previous.length,
      change: [change, change],
      perDay: Math.floor(scan.clicks.length / days + 0.5),
      days,
      clicked: [clicked.length, scan.delta(clicked.length, before.length)],
      top: clicked.slice(0, 5),
      lists: [
        scan.list('countries').slice(0, 5),
        scan.list('countries').length,
        scan.list('referrer_hosts').slice(0, 5),
        scan.list('referrer_hosts').length,
        scan.list('referrer_hosts').length,
      ],
      sparklines: [
        scan.sparkline((clicks) => clicks.length),
        scan.sparkline((clicks) => scan.links(clicks).length),
      ],
    })
  }

  async function expectAll(world: World, clicks: readonly ClassifiedClick[], view: View): Promise<void> {
    const scan = new Scan(clicks, view)
    await expectLink(world, scan, view)
    await expectBundle(world, scan, view)
    await expectInstance(world, scan, view)
  }

  const runs = (sqlite: number, postgres: number) => ({
    numRuns: dialect === 'sqlite' ? sqlite : postgres,
    seed: NOW,
    endOnFailure: true,
  })

  // L14.1, L14.3, L14.4, L14.5, L14.6, L14.7, L14.9, L24.7, L24.11
  test('every statistic of every range, filter and time zone equals a scan of the raw clicks', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.array(views, { minLength: 3, maxLength: 6 }), async (history, looks) => {
        const world = await open()
        const clicks = history.map((made) => classifyGenerated(made, world.slugs))
        if (clicks.length > 0) await world.recorder.record(clicks)
        for (const view of looks) await expectAll(world, clicks, view)
      }),
      runs(12, 5),
    )
  }, 120_000)

  test('statistics are equal at every moment while clicks arrive, arrive late, and two jobs roll them up', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: batches.map((made) => ({ record: made })) },
        { weight: 2, arbitrary: ages.map((age) => ({ close: age })) },
        { weight: 3, arbitrary: fc.record({ sum: fc.integer({ min: 1, max: 40 }), who: fc.nat(1) }) },
        { weight: 3, arbitrary: views.map((view) => ({ look: view })) },
      ),
      { minLength: 8, maxLength: 20 },
    )
    let sums = 0
    await fc.assert(
      fc.asyncProperty(steps, views, async (made, last) => {
        const world = await open()
        const { stored, recorder } = world
        const rollupJob = [stored.database, closeLater(openDatabase<Tables>(stored.url))].map(
          (db) => new RollupJob(db, 2),
        )
        const sum = async (who: RollupJob | undefined, maxSteps: number) => {
          let stepCount = 0
          while (stepCount < maxSteps && (await who?.step(NOW))) stepCount++
        }
        const clicks: ClassifiedClick[] = []
        const running: Promise<void>[] = [Promise.resolve(), Promise.resolve()]
        for (const step of made) {
          // Recording blocks its thread until the other writers of SQLite finish, which must not
          // wait for that thread.
          if (dialect === 'sqlite' && !('look' in step)) await Promise.all(running)
          if ('record' in step) {
            const batch = step.record.map((one) => classifyGenerated(one, world.slugs))
            if (batch.length > 0) await recorder.record(batch)
            clicks.push(...batch)
          } else if ('close' in step) await closeHours(world, NOW - step.close)
          else if ('look' in step) await expectAll(world, clicks, step.look)
          // Runs beside the next steps.
          else
            running[step.who] = (running[step.who] ?? Promise.resolve()).then(() =>
              sum(rollupJob[step.who], step.sum),
            )
        }
        await Promise.all(running)
        await expectAll(world, clicks, last)
        await closeHours(world, NOW - (NOW % 3600))
        await sum(rollupJob[0], 5_000)
        await expectAll(world, clicks, last)
        const [periods] = await stored.rows<{ n: number }>(
          'select count(*) as n from click_period where link_id > 0',
        )
        sums += periods?.n ?? 0
        const [due] = await stored.rows<{ n: number }>(
          // Late clicks of the current hour, which was closed early, are due once it is over.
          `select count(*) as n from click_due where unit = 'hour' and start < ${NOW - (NOW % 3600)}`,
        )
        expect(due?.n).toBe(0)
      }),
      runs(12, 5),
    )
    expect(sums).toBeGreaterThan(20)
  }, 240_000)

  test('L13.6 L24.22: deleting raw clicks keeps totals, timelines and lists, and so do late clicks', async () => {
    const HOUR = 3600
    const wholeHours = fc.record({
      range: fc.constantFrom(...Range.options),
      now: fc.constant(NOW - (NOW % HOUR)),
      tz: fc.constantFrom('UTC', 'Europe/Stockholm', 'America/New_York'),
      filters: fc.record({ bots: fc.boolean(), selfReferrers: fc.boolean() }),
    })
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: batches.map((made) => ({ record: made })) },
        { weight: 2, arbitrary: fc.integer({ min: 2, max: 500 }).map((days) => ({ forget: days })) },
        { weight: 2, arbitrary: fc.integer({ min: 1, max: 60 }).map((sum) => ({ sum })) },
        { weight: 3, arbitrary: wholeHours.map((view) => ({ look: view })) },
        { weight: 1, arbitrary: fc.record({ remove: fc.constantFrom('one', 'two') }) },
      ),
      { minLength: 8, maxLength: 20 },
    )
    await fc.assert(
      fc.asyncProperty(steps, wholeHours, async (made, last) => {
        const world = await open()
        const { stored, recorder } = world
        const rollupJob = new RollupJob(stored.database, 3)
        let slugs = world.slugs
        let clicks: ClassifiedClick[] = []
        for (const step of made) {
          if ('record' in step) {
            const batch = step.record.map((one) => classifyGenerated(one, slugs))
            if (batch.length > 0) await recorder.record(batch)
            clicks.push(...batch)
          } else if ('forget' in step) {
            const cut = NOW - step.forget * 24 * HOUR
            await deleteClicksBefore(stored.database, cut)
            clicks = clicks.map((click) =>
              click.clickedAt < cut - (cut % (24 * HOUR)) ? forgotten(click) : click,
            )
          } else if ('remove' in step) {
            slugs = slugs.filter(({ slug }) => slug !== step.remove)
            clicks = clicks.filter(({ slug }) => slug !== step.remove)
            const removed = { link_id: world.first, slug: step.remove }
            const remove = () => stored.database.write((tx) => removeSlug(tx, stored.database, removed))
            await deleteClicks(stored.database, async () => removed, remove, 3)
          } else if ('look' in step) await expectAll(world, clicks, step.look)
          else {
            await closeHours(world, NOW - (NOW % HOUR))
            for (let count = 0; count < step.sum && (await rollupJob.step(NOW)); count++);
          }
        }
        await expectAll(world, clicks, last)
      }),
      runs(10, 4),
    )
  }, 240_000)

  test('more raw clicks than fit in memory are counted correctly, before and after their rollup', async () => {
    const world = await open()
    const made = fc.sample(histories, { numRuns: 60, seed: 7 }).flat()
    // Repeats the same clicks, some minutes later, all of the first link.
    const clicks = Array.from({ length: 6_000 }, (_, n) => made[n % made.length] ?? [])
      .flat()
      .map((one, n) =>
        classifyGenerated({ ...one, slug: n % 3, age: (one.age + 420 * n) % 86_400 }, world.slugs),
      )
    expect(clicks).toHaveLength(6_000)
    await world.recorder.record(clicks)
    const filters = { bots: true, selfReferrers: false }
    const looks: View[] = [
      { range: '30d', now: NOW, tz: 'UTC', filters },
      { range: 'all', now: NOW - 86_400, tz: 'Asia/Kolkata', filters },
    ]
    for (const view of looks) await expectAll(world, clicks, view)
    await closeHours(world, NOW - (NOW % 3600))
    const rollupJob = new RollupJob(world.stored.database, 5)
    while (await rollupJob.step(NOW));
    for (const view of looks) await expectAll(world, clicks, view)
  }, 120_000)

  test('a thousand links with one old click each equal a scan, wherever days and windows cut their hours', async () => {
    const world = await open()
    const { stored, recorder } = world
    const DAY = 86_400
    const numbers = Array.from({ length: 1_000 }, (_, n) => n)
    const values = sql.join(numbers.map((n) => sql`(${sql.lit(`many-${n}`)})`))
    await stored.database.write(async (tx) => {
      await sql`insert into link (url, url_key, created_by, created_at, primary_slug, search_text)
        select 'https://example.com/', 1, 'ann', 1, column1, '' from (values ${values}) as input`.execute(tx)
      await sql`insert into slug (slug, link_id, is_custom, created_at)
        select primary_slug, id, 0, 1 from link where primary_slug like 'many-%'`.execute(tx)
    })
    const slugs = await stored.rows<Slug>(
      `select link_id as "linkId", slug from slug where slug like 'many-%'`,
    )
    const made = fc.sample(histories, { numRuns: 40, seed: 5 }).flat()
    // Over two months in which the clock of Lord Howe changes by half an hour.
    const clicks = numbers.flatMap((n) => {
      const one = made[n % made.length]
      return one
        ? [classifyGenerated({ ...one, slug: n, age: 730 * DAY + ((n * 51_217) % (60 * DAY)) }, slugs)]
        : []
    })
    expect(clicks).toHaveLength(1_000)
    await recorder.record(clicks)
    const [none, people, others] = [
      { bots: false, selfReferrers: false },
      { bots: true, selfReferrers: true },
      { bots: false, selfReferrers: true },
    ]
    const then = NOW - 667 * DAY + 1_234
    const looks: View[] = [
      { range: 'all', now: NOW, tz: 'UTC', filters: none },
      { range: 'all', now: NOW, tz: 'Asia/Kolkata', filters: people },
      { range: 'all', now: NOW - 745 * DAY, tz: 'Australia/Lord_Howe', filters: others },
      { range: '1y', now: NOW - 391 * DAY + 77, tz: 'America/St_Johns', filters: people },
      { range: '90d', now: then, tz: 'Australia/Lord_Howe', filters: people },
      { range: '90d', now: then, tz: 'Asia/Kathmandu', filters: none },
    ]
    const ids = slugs.map(({ linkId }) => linkId)
    const expectEqualRankings = async () => {
      for (const view of looks)
        await withSnapshot(stored.database, async (db) => {
          const { stats } = await readClickStats(db, ids, view)
          expect(stats).toEqual(new Scan(clicks, view).stats() as never)
          expect(await readTimeline(db, ids, view)).toEqual(new Scan(clicks, view).timeline() as never)
        })
    }
    await expectEqualRankings()
    await closeHours(world, NOW - (NOW % 3600))
    await expectEqualRankings()
  }, 120_000)

  test('L14.9: links created in a window, before it and in each of its buckets equal a scan of the links', async () => {
    const world = await open()
    const { stored } = world
    const made = [
      ...fc.sample(ages, { numRuns: 150, seed: 5 }),
      0,
      -1,
      86_400,
      86_401,
      7 * 86_400,
      2 * 86_400,
    ]
    const values = made.map((age, n) => sql`(${sql.lit(`made-${n}`)}, ${sql.lit(NOW - age)})`)
    await stored.database.write(async (tx) => {
      await sql`insert into link (url, url_key, created_by, created_at, primary_slug, search_text)
        select 'https://example.com/', 1, 'ann', column2, column1, '' from (values ${sql.join(values)}) as input`.execute(
        tx,
      )
      await sql`insert into slug (slug, link_id, is_custom, created_at)
        select primary_slug, id, 0, 1 from link where primary_slug like 'made-%'`.execute(tx)
    })
    const rows = await stored.rows<{ id: number; created_at: number }>('select id, created_at from link')
    // Treats each link as if it had one click, at its creation.
    const clicks = rows.map(({ id, created_at }) =>
      classifyGenerated(
        {
          age: NOW - created_at,
          slug: 0,
          agent: null,
          referrer: null,
          country: null,
          query: null,
          visitor: null,
          variant: null,
        },
        [{ linkId: id, slug: 'aaaa' }],
      ),
    )
    const filters = { bots: false, selfReferrers: false }
    for (const range of Range.options)
      for (const now of [NOW, NOW - 3 * 86_400, NOW - 40 * 86_400]) {
        const view: View = { range, now, tz: 'UTC', filters }
        const scan = new Scan(clicks, view)
        const stats = await withSnapshot(stored.database, (db) => readDashboardStats(db, view))
        const created = scan.sparkline((some) => some.length)
        expect([range, stats.total_links, stats.new_links_delta, stats.timeline_links]).toEqual([
          range,
          scan.clicks.length,
          scan.delta(scan.clicks.length, scan.previous.length),
          created,
        ])
      }
  })

  test('deleting a link with its clicks removes them from the rollups of the instance', async () => {
    const world = await open()
    const { stored, recorder, slugs, first } = world
    const made = fc.sample(histories, { numRuns: 10, seed: 3 }).flat()
    const clicks = made.map((one) => classifyGenerated(one, slugs))
    await recorder.record(clicks)
    const rollupJob = new RollupJob(stored.database, 3)
    await closeHours(world, NOW - (NOW % 3600))
    while (await rollupJob.step(NOW));
    const remove = () =>
      stored.recorded.write(async (tx) => {
        await lockLinkForWrite(tx, stored.database, first)
        await deleteLinkRow(tx, stored.database, first)
      })
    await deleteClicks(stored.database, async () => ({ link_id: first }), remove, 5)
    const rest = clicks.filter(({ linkId }) => linkId !== first)
    const view: View = { range: '90d', now: NOW, tz: 'UTC', filters: { bots: false, selfReferrers: false } }
    for (const range of Range.options)
      await expectInstance(world, new Scan(rest, { ...view, range }), { ...view, range })
    while (await rollupJob.step(NOW));
    for (const range of Range.options)
      await expectInstance(world, new Scan(rest, { ...view, range }), { ...view, range })
    expect(await stored.rows(`select * from click_sum where link_id = ${first}`)).toEqual([])
  })
})

/** A click after retention, which removes its full referrer and its visitor and keeps its hour. */
function forgotten(click: ClassifiedClick): ClassifiedClick {
  return { ...click, clickedAt: click.clickedAt - (click.clickedAt % 3600), referrer: null, visitorFp: null }
}
