import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { NOW, Stored, click, closedAfterEach } from '../../test/durability/stored.ts'
import { Scan, type View } from '../../test/analytics/scan.ts'
import { dashboardStats } from '../analytics/dashboard.ts'
import { clickStats } from '../analytics/figures.ts'
import { Range } from '../analytics/schema.ts'
import { Summing } from '../analytics/summing.ts'
import { openRecorder } from '../clicks/recorder.ts'
import { listByClicks } from '../links/click-order.ts'
import { migrations } from './migrations.ts'
import { snapshot } from './snapshot.ts'
import type { Tables } from './tables.ts'

const { keep } = closedAfterEach()

const HOUR = 3600
const DAY = 24 * HOUR
const BEFORE = ['0001-initial', '0002-changes']

eachDialect((_, newUrl) => {
  /** A database of the version before, with clicks in closed and open hours and sums in its own layout. */
  async function openOld() {
    const url = await newUrl()
    const old = openDatabase<Tables>(url)
    await migrate(
      old,
      Object.fromEntries(Object.entries(migrations).filter(([name]) => BEFORE.includes(name))),
    )
    await old.write(async (tx) => {
      for (const [id, slug] of [
        [1, 'aaaa'],
        [2, 'bbbb'],
        [3, 'cccc'],
      ] as const) {
        await sql`insert into link (id, url, url_key, created_by, created_at, primary_slug, search_text)
          values (${id}, 'https://example.com/', 1, 'ann', ${NOW - id}, ${slug}, '')`.execute(tx)
        await sql`insert into slug (slug, link_id, is_custom, created_at) values (${slug}, ${id}, 0, 1)`.execute(
          tx,
        )
      }
    })
    const clicks = Array.from({ length: 60 }, (_value, n) =>
      click(n % 3 === 0 ? 2 : 1, n % 3 === 0 ? 'bbbb' : 'aaaa', {
        clickedAt: NOW - n * 11 * HOUR,
        country: n % 7 === 0 ? 'SE' : 'NO',
        userAgent: n % 5 === 0 ? 'curl/8.0' : 'Mozilla/5.0 Chrome/140.0.0.0 Safari/537.36',
        visitorFp: `${n % 4} ${Math.floor((NOW - n * 11 * HOUR) / DAY)}`,
      }),
    )
    const recorder = openRecorder(url)
    await recorder.record(clicks)
    while (await recorder.closeHours(NOW - (NOW % HOUR)));
    await recorder.close()
    // What was due is done; that its sums say something else than the clicks tells whether anybody goes on using them.
    await old.write(async (tx) => {
      await sql`insert into click_period select 0, unit, start, 9, 0, 0, 0, 9, 9, 9, 9 from click_due`.execute(
        tx,
      )
      await sql`insert into click_period select 1, unit, start, 9, 0, 0, 0, 9, 9, 9, 9 from click_due`.execute(
        tx,
      )
      await sql`insert into click_sum select 1, unit, start, 'country', 0, 'XX', 9, 0, 0, 0 from click_due`.execute(
        tx,
      )
      await sql`insert into click_link select unit, start, 3, 9, 0, 0, 0 from click_due`.execute(tx)
      await sql`delete from click_due`.execute(tx)
    })
    await old.close()
    return { url, clicks }
  }

  test('a database with sums of the old layout has exact figures at once, and sums of the new one later', async () => {
    const { url, clicks } = await openOld()
    const stored = keep(await Stored.open(url))
    const filters = { bots: true, selfReferrers: true }
    const expectAll = async () => {
      for (const range of Range.options) {
        const view: View = { range, now: NOW, tz: 'UTC', filters }
        const scan = new Scan(clicks, view)
        const { link, instance } = await snapshot(stored.database, async (db) => ({
          link: (await clickStats(db, [1], view)).stats,
          instance: await dashboardStats(db, view),
        }))
        expect(link).toEqual(scan.of([1]).stats() as never)
        expect(
          instance.top_links.map(({ id, total_clicks }) => ({ link_id: id, clicks: total_clicks })),
        ).toEqual(scan.links())
        expect(instance.timeline_clicked_links).toEqual(
          scan.sparkline((some) => new Set(some.map(({ linkId }) => linkId)).size),
        )
      }
    }
    await expectAll()
    const summing = new Summing(stored.database, 1)
    while (await summing.step(NOW + 200 * DAY));
    expect(await stored.rows('select 1 from click_due')).toEqual([])
    const [sums] = await stored.rows<{ n: number }>('select count(*) as n from click_sum where link_id = 1')
    expect(sums?.n).toBeGreaterThan(100)
    await expectAll()
  })

  test('sums that were left of clicks that are gone go, and those that are shown stay', async () => {
    const old = keep(openDatabase<Tables>(await newUrl()))
    const upTo = (last: string) =>
      Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last))
    await migrate(old, upTo('0011'))
    const sums = (unit: string, links: readonly number[]) =>
      links.flatMap((link_id) =>
        (['referrer', 'visitor_fp'] as const).map((dimension) => ({ link_id, unit, dimension })),
      )
    await old.write(async (tx) => {
      for (const { link_id, unit, dimension } of [...sums('day', [1, 2]), ...sums('hour', [1, 2])])
        await sql`insert into click_sum (link_id, unit, start, dimension, sums, names)
          values (${link_id}, ${unit}, 86400, ${dimension}, ${new Uint8Array(3)}, '["https://a.example/"]')`.execute(
          tx,
        )
      await sql`insert into click_period values (1, 'day', 86400, 1, 0, 0, 0, 0, 0, 0, 0, 5),
        (2, 'hour', 86400, 1, 0, 0, 0, 0, 0, 0, 0, 5), (2, 'day', 0, 1, 0, 0, 0, 0, 0, 0, 0, 5)`.execute(tx)
    })
    await migrate(old, upTo('0012'))
    const left = await old.read
      .selectFrom('click_sum')
      .select(['link_id', 'unit', 'dimension'])
      .orderBy('link_id')
      .orderBy('dimension')
      .execute()
    expect(left).toEqual([...sums('day', [1]), ...sums('hour', [2])] as never)
  })

  test('the secret of visitor hashes leaves the database and its files, other values stay', async () => {
    const url = await newUrl()
    const old = openDatabase<Tables>(url)
    await migrate(old, Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0013')))
    await old.write((tx) =>
      sql`insert into instance values ('visitor_secret', 'OF-ALL-DAYS'), ('kept', 'KEPT')`.execute(tx),
    )
    expect((await bytesOf(old, url)).includes('OF-ALL-DAYS')).toBe(true)
    await migrate(old, migrations)
    expect(await old.read.selectFrom('instance').selectAll().execute()).toEqual([
      { name: 'kept', value: 'KEPT' },
    ])
    const bytes = await bytesOf(old, url)
    expect([bytes.includes('OF-ALL-DAYS'), bytes.includes('KEPT')]).toEqual([false, true])
    await old.close()
  })

  /** The file that the table of instance values is in. */
  async function bytesOf(database: Database<Tables>, url: string): Promise<Buffer> {
    if (database.dialect === 'sqlite') {
      await sql`pragma wal_checkpoint(truncate)`.execute(database.writer)
      return readFileSync(url.replace('sqlite:', ''))
    }
    await sql`checkpoint`.execute(database.read)
    const { rows } = await sql<{
      bytes: Buffer
    }>`select pg_read_binary_file(pg_relation_filepath('instance')) as bytes`.execute(database.read)
    return rows[0]?.bytes ?? Buffer.alloc(0)
  }

  test('a database of the version before lists its links by the clicks that they had', async () => {
    const { url, clicks } = await openOld()
    const stored = keep(await Stored.open(url))
    for (const [bots, selfReferrers] of [
      [false, false],
      [true, true],
    ] as const) {
      const query = { status: 'all', limit: 5, filters: { bots, selfReferrers } } as const
      const clicksOf = (id: number) =>
        clicks.filter((one) => one.linkId === id && !(bots && one.isBot)).length
      expect(await listByClicks(stored.database, query, NOW, undefined)).toEqual(
        [1, 2, 3].map((id) => ({ id, created_at: NOW - id, clicks: clicksOf(id) })),
      )
    }
  })
})
