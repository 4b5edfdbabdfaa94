import { expect, test } from 'bun:test'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import type { KyselyPlugin } from 'kysely'
import { NOW, TestDatabase, click, closeAfterEach } from '../../test/test-database.ts'
import { openRecorder } from '../counting/open-recorder.ts'
import { withSnapshot } from '../db/snapshot.ts'
import type { Tables } from '../db/tables.ts'
import { chooseStrategy } from './bucket-clicks.ts'
import { type View, readClickStats, readTimeline, readTopValues } from '../analytics/stats.ts'
import { segmentsOf } from './segments.ts'
import { RollupJob } from './rollup-job.ts'

const { closeLater } = closeAfterEach()
const HOUR = 3600
const view: View = { range: '7d', now: NOW, tz: 'UTC', filters: { bots: true, selfReferrers: true } }

/** Counts the statements that are sent to a database, and the rows that it returns. */
function recordQueries(database: Database<Tables>) {
  let [sent, rows] = [0, 0]
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      sent++
      return node
    },
    async transformResult({ result }) {
      rows += result.rows.length
      return result
    },
  }
  const read = database.read.withPlugin(plugin)
  return { database: { ...database, read }, sent: () => sent, rows: () => rows }
}

eachDialect((_dialect, newUrl) => {
  /**
   * Links with clicks from two countries, in hours with rollups, hours without rollups and open
   * hours.
   */
  async function open(count: number) {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const recorder = closeLater(openRecorder(stored.url))
    const ids: number[] = []
    for (let n = 0; n < count; n++) {
      const slug = `slug-${n}`
      ids.push(await stored.createLink(slug))
      const clicks = [0, 2 * HOUR, 2 * HOUR, 2 * HOUR + 60, 50 * HOUR].map((age, index) =>
        click(ids[n] as number, slug, {
          clickedAt: NOW - age,
          country: index % 2 === n % 2 ? 'SE' : 'ID',
          referrer: index < n % 5 ? `https://host-${n}.example/` : null,
        }),
      )
      await recorder.record(clicks)
    }
    while (await recorder.closeHours(NOW - (NOW % HOUR)));
    const rollupJob = new RollupJob(stored.database, 3)
    while (await rollupJob.step(NOW));
    return { stored, ids }
  }

  test('L14.10 L24.14 the most clicked values of six hundred links take at most ten statements', async () => {
    const { stored, ids } = await open(60)
    // Links that do not exist have no clicks.
    const many = [...ids, ...Array.from({ length: 540 }, (_each, n) => 1_000_000 + n)]
    const { database, sent } = recordQueries(stored.database)
    const tops = await withSnapshot(database, (db) =>
      readTopValues(db, many, ['country', 'referrer_host'], view),
    )
    expect(tops.size).toBe(600)
    expect(tops.get(ids[0] as number)).toEqual({ country: 'SE', referrer_host: null })
    expect(tops.get(ids[1] as number)).toEqual({ country: 'ID', referrer_host: 'host-1.example' })
    expect(tops.get(1_000_000)).toEqual({ country: null, referrer_host: null })
    expect(sent()).toBeLessThanOrEqual(10)
  })

  test('L14.10 statistics of many links read their clicked hours, not each day and week of each link', async () => {
    const { stored, ids } = await open(60)
    const { database, rows } = recordQueries(stored.database)
    await withSnapshot(database, async (db) => {
      const all = { ...view, range: 'all' } as const
      const { stats } = await readClickStats(db, ids, all)
      expect(stats.total_clicks).toBe(300)
      expect((await readTimeline(db, ids, { ...all, now: NOW + 700 * 24 * HOUR })).summary.last_1y).toBe(0)
    })
    expect(rows()).toBeLessThan(40 * ids.length)
  })

  test('statistics of few links, or of links that are clicked in most hours, are not read by the hour', async () => {
    const { stored, ids } = await open(11)
    const day = segmentsOf([NOW - 24 * HOUR], NOW)
    const isByHour = async (some: readonly number[]) =>
      (await chooseStrategy(stored.database, some, day)).byHour ?? false
    expect([await isByHour(ids), await isByHour(ids.slice(1))]).toEqual([true, false])
    const recorder = closeLater(openRecorder(stored.url))
    for (const [n, id] of ids.entries())
      await recorder.record([5, 8].map((age) => click(id, `slug-${n}`, { clickedAt: NOW - age * HOUR })))
    expect(await isByHour(ids)).toBe(false)
  })
})
