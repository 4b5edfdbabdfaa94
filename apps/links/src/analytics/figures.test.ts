import { expect, test } from 'bun:test'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import type { KyselyPlugin } from 'kysely'
import { NOW, Stored, click, closedAfterEach } from '../../test/durability/stored.ts'
import { openRecorder } from '../clicks/recorder.ts'
import { snapshot } from '../db/snapshot.ts'
import type { Tables } from '../db/tables.ts'
import { type View, topValues } from './figures.ts'
import { Summing } from './summing.ts'

const { keep } = closedAfterEach()
const HOUR = 3600
const view: View = { range: '7d', now: NOW, tz: 'UTC', filters: { bots: true, selfReferrers: true } }

/** The same database, and how many statements it was sent. */
function watched(database: Database<Tables>): { database: Database<Tables>; sent: () => number } {
  let sent = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      sent++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { database: { ...database, read: database.read.withPlugin(plugin) }, sent: () => sent }
}

eachDialect((_dialect, newUrl) => {
  /** Links with clicks from two countries, in hours that are summed, hours that are not, and hours that still run. */
  async function open(count: number) {
    const stored = keep(await Stored.open(await newUrl()))
    const recorder = keep(openRecorder(stored.url))
    const ids: number[] = []
    for (let n = 0; n < count; n++) {
      const slug = `slug-${n}`
      ids.push(await stored.link(slug))
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
    const summing = new Summing(stored.database, 3)
    while (await summing.step(NOW));
    return { stored, ids }
  }

  test('the most clicked values of six hundred links take ten statements at most', async () => {
    const { stored, ids } = await open(60)
    // Links that do not exist were never clicked.
    const many = [...ids, ...Array.from({ length: 540 }, (_each, n) => 1_000_000 + n)]
    const { database, sent } = watched(stored.database)
    const tops = await snapshot(database, (db) => topValues(db, many, ['country', 'referrer_host'], view))
    expect(tops.size).toBe(600)
    expect(tops.get(ids[0] as number)).toEqual({ country: 'SE', referrer_host: null })
    expect(tops.get(ids[1] as number)).toEqual({ country: 'ID', referrer_host: 'host-1.example' })
    expect(tops.get(1_000_000)).toEqual({ country: null, referrer_host: null })
    expect(sent()).toBeLessThanOrEqual(10)
  })
})
