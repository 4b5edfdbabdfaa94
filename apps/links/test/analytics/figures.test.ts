import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { dashboardStats } from '../../src/analytics/dashboard.ts'
import { clickStats, ranking, timeline } from '../../src/analytics/figures.ts'
import { listNames } from '../../src/analytics/schema.ts'
import { dimensionOfList } from '../../src/analytics/tally.ts'
import { bundleStats } from '../../src/bundles/stats.ts'
import { findBundleRow, summarise } from '../../src/bundles/store.ts'
import { openRecorder } from '../../src/clicks/recorder.ts'
import { snapshot } from '../../src/db/snapshot.ts'
import { NOW, Stored, closedAfterEach } from '../durability/stored.ts'
import { type Slug, classified, histories, views } from './history.ts'
import { Scan, type View } from './scan.ts'

const { keep } = closedAfterEach()

eachDialect((dialect, newUrl) => {
  async function open() {
    const stored = keep(await Stored.open(await newUrl()))
    const first = await stored.link('aaaa', 'one', 'two')
    const second = await stored.link('bbbb')
    const alone = await stored.link('cccc')
    const quiet = await stored.link('dddd')
    await stored.run(
      sql`insert into bundle (name, accent, created_by, created_at, updated_at) values ('b', 'red', 'ann', 1, 1)`,
    )
    for (const id of [first, second, quiet])
      await stored.run(sql`insert into bundle_link (bundle_id, link_id) values (1, ${id})`)
    const slugs: Slug[] = [
      { linkId: first, slug: 'aaaa' },
      { linkId: first, slug: 'one' },
      { linkId: first, slug: 'two' },
      { linkId: second, slug: 'bbbb' },
      { linkId: alone, slug: 'cccc' },
    ]
    return { stored, slugs, first, second, quiet, recorder: keep(openRecorder(stored.url)) }
  }

  type World = Awaited<ReturnType<typeof open>>

  async function expectLink({ stored, first }: World, scan: Scan, view: View): Promise<void> {
    await snapshot(stored.database, async (db) => {
      const own = scan.of([first])
      const { stats } = await clickStats(db, [first], view)
      expect(stats).toEqual(own.stats() as never)
      expect(Object.keys(stats).includes('delta_pct')).toBe(stats.delta_pct !== undefined)
      const line = await timeline(db, [first], view)
      expect(line).toEqual(own.timeline() as never)
      expect(line.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(stats.total_clicks)
      for (const name of listNames)
        expect([name, await ranking(db, [first], dimensionOfList[name], view)]).toEqual([
          name,
          own.list(name),
        ])
    })
  }

  async function expectBundle(
    { stored, first, second, quiet }: World,
    scan: Scan,
    view: View,
  ): Promise<void> {
    await snapshot(stored.database, async (db) => {
      const own = scan.of([first, second])
      const row = await findBundleRow(db.read, 1)
      if (!row) throw new Error('The bundle is gone')
      const { bundle: _, timeline: line, per_link, ...stats } = await bundleStats(db, row, view)
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
          return [id, count, share(count), one.delta(count, one.before.length)]
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
    const shown = await snapshot(stored.database, (db) => dashboardStats(db, view))
    const clicked = scan.links()
    const before = scan.links(scan.before)
    const first = Math.min(...scan.clicks.map((click) => click.clickedAt))
    const spans = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 }
    const days =
      view.range === 'all'
        ? Math.max(1, Math.floor((view.now - Math.min(first, view.now)) / 86_400))
        : spans[view.range]
    const change = scan.delta(scan.clicks.length, scan.before.length)
    expect({
      total: shown.total_clicks,
      previous: shown.total_clicks_previous,
      change: [shown.total_clicks_delta, shown.clicks_per_day_delta],
      perDay: shown.clicks_per_day,
      clicked: [shown.clicked_links, shown.clicked_links_delta],
      top: shown.top_links.map((link) => ({ link_id: link.id, clicks: link.total_clicks })),
      lists: [
        shown.top_countries,
        shown.num_countries,
        shown.top_referrers,
        shown.num_referrers,
        shown.num_domains,
      ],
      sparklines: [shown.timeline, shown.timeline_clicked_links],
    }).toEqual({
      total: scan.clicks.length,
      previous: scan.before.length,
      change: [change, change],
      perDay: Math.floor(scan.clicks.length / days + 0.5),
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

  test('every figure of every range, filter and time zone equals a scan of the raw clicks', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.array(views, { minLength: 3, maxLength: 6 }), async (history, looks) => {
        const world = await open()
        const clicks = history.map((made) => classified(made, world.slugs))
        if (clicks.length > 0) await world.recorder.record(clicks)
        for (const view of looks) {
          const scan = new Scan(clicks, view)
          await expectLink(world, scan, view)
          await expectBundle(world, scan, view)
          await expectInstance(world, scan, view)
        }
      }),
      { numRuns: dialect === 'sqlite' ? 25 : 10, seed: NOW },
    )
  }, 120_000)
})
