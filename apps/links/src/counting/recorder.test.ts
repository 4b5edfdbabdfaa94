import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { sql } from 'kysely'
import {
  BOT,
  SELF_REFERRER,
  NOW,
  TestDatabase,
  click,
  closeAfterEach,
  messageOf,
  until,
} from '../../test/test-database.ts'
import { HOUR } from '../time/window.ts'
import { removeSlug } from '../links/slugs/store.ts'
import { type Recorder } from './recorder.ts'
import { openRecorder } from './open-recorder.ts'

const { closeLater } = closeAfterEach()

eachDialect((dialect, newUrl) => {
  async function open(): Promise<{ stored: TestDatabase; recorder: Recorder }> {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    return { stored, recorder: closeLater(openRecorder(stored.url)) }
  }

  const from = (seq: number, journalId = 'journal') => ({ journalId, seq })

  describe('a journal and its cursor', () => {
    test('an unknown journal is at position 0', async () => {
      const { recorder } = await open()
      expect(await recorder.position('journal')).toBe(0)
    })

    test('clicks and cursor change together', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd')
      expect(await recorder.record([click(link, 'abcd')], { from: from(0), to: 7 })).toBe(true)
      expect(await recorder.position('journal')).toBe(7)
      expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
    })

    test('repeating a move changes nothing', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd')
      const move = { from: from(0), to: 7 }
      expect(await recorder.record([click(link, 'abcd')], move)).toBe(true)
      expect(await recorder.record([click(link, 'abcd')], move)).toBe(false)
      expect(await recorder.record([click(link, 'abcd')], { from: from(3), to: 9 })).toBe(false)
      expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
      expect(await stored.readJournalCursors()).toEqual([{ journal_id: 'journal', seq: 7 }])
    })

    test('a premature move changes nothing and leaves no cursor behind', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd')
      expect(await recorder.record([click(link, 'abcd')], { from: from(5), to: 6 })).toBe(false)
      expect(await stored.countClicks('abcd')).toEqual([0, 0, 0])
      expect(await stored.readJournalCursors()).toEqual([])
    })

    test('the journals of two nodes are independent', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd')
      expect(await recorder.record([click(link, 'abcd')], { from: from(0, 'a'), to: 1 })).toBe(true)
      expect(await recorder.record([click(link, 'abcd')], { from: from(0, 'b'), to: 1 })).toBe(true)
      expect(await stored.countClicks('abcd')).toEqual([2, 2, 2])
      expect(await stored.readJournalCursors()).toEqual([
        { journal_id: 'a', seq: 1 },
        { journal_id: 'b', seq: 1 },
      ])
    })

    test('of several recorders that record the same batches at once, one succeeds', async () => {
      const { stored, recorder } = await open()
      const others = Array.from({ length: 5 }, () => closeLater(openRecorder(stored.url)))
      const link = await stored.createLink('abcd')
      const clicks = Array.from({ length: 100 }, () => click(link, 'abcd'))
      const recorded = await Promise.all(
        [recorder, ...others].map((one) => one.record(clicks, { from: from(0), to: 1 })),
      )
      expect(recorded.filter(Boolean)).toHaveLength(1)
      expect(await stored.countClicks('abcd')).toEqual([100, 100, 100])
    })

    test('two nodes that record the same slugs at once count every click', async () => {
      const { stored, recorder } = await open()
      const other = closeLater(openRecorder(stored.url))
      const slugs = Array.from({ length: 40 }, (_, index) => `s${index}`)
      const links = await Promise.all(slugs.map((slug) => stored.createLink(slug)))
      const batch = slugs.map((slug, index) => click(links[index] ?? 0, slug))
      const record = async (one: Recorder, journalId: string, clicks: typeof batch) => {
        for (let seq = 0; seq < 10; seq++)
          expect(await one.record(clicks, { from: from(seq, journalId), to: seq + 1 })).toBe(true)
      }
      // In opposite orders: locking rows in order of arrival would deadlock.
      await Promise.all([record(recorder, 'a', batch), record(other, 'b', batch.toReversed())])
      for (const slug of slugs) expect(await stored.countClicks(slug)).toEqual([20, 20, 20])
    })

    test('clicks without a move, as from an import, are always stored', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd')
      expect(await recorder.record([click(link, 'abcd')])).toBe(true)
      expect(await recorder.record([click(link, 'abcd')])).toBe(true)
      expect(await stored.countClicks('abcd')).toEqual([2, 2, 2])
      expect(await stored.readJournalCursors()).toEqual([])
    })

    test('a batch without clicks moves the cursor', async () => {
      const { stored, recorder } = await open()
      expect(await recorder.record([], { from: from(0), to: 4 })).toBe(true)
      expect(await stored.readJournalCursors()).toEqual([{ journal_id: 'journal', seq: 4 }])
    })
  })

  describe('clicks of removed slugs', () => {
    test('clicks of a removed slug are dropped, and the other clicks of the batch are counted', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd', 'gone')
      await stored.run(sql`delete from slug where slug = 'gone'`)
      const clicks = [click(link, 'gone'), click(link, 'abcd'), click(link, 'gone')]
      expect(await recorder.record(clicks, { from: from(0), to: 1 })).toBe(true)
      expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
      expect(await stored.countClicks('gone')).toEqual([0, 0, 0])
    })

    test('clicks of a slug that now belongs to another link are dropped', async () => {
      const { stored, recorder } = await open()
      const before = await stored.createLink('aaaa', 'wanted')
      await stored.run(sql`delete from slug where slug = 'wanted'`)
      const after = await stored.createLink('bbbb', 'wanted')
      const clicks = [click(before, 'wanted'), click(after, 'wanted'), click(after, 'wanted')]
      expect(await recorder.record(clicks, { from: from(0), to: 1 })).toBe(true)
      expect(await stored.countClicks('wanted')).toEqual([2, 2, 2])
      expect(await stored.rows('select distinct link_id from click')).toEqual([{ link_id: after }])
    })

    test('clicks of a deleted link leave nothing behind', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd')
      await stored.run(sql`delete from link where id = ${link}`)
      expect(await recorder.record([click(link, 'abcd')], { from: from(0), to: 1 })).toBe(true)
      expect(await stored.countClicks('abcd')).toEqual([0, 0, 0])
      expect(await recorder.position('journal')).toBe(1)
    })

    test('clicks of a disabled slug are counted: the redirect was sent before', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd', 'custom')
      await stored.run(sql`update slug set disabled_at = ${NOW} where slug = 'custom'`)
      await recorder.record([click(link, 'custom')], { from: from(0), to: 1 })
      expect(await stored.countClicks('custom')).toEqual([1, 1, 1])
    })
  })

  test('counts of the slug, of the hours and of the raw clicks agree over any number of batches', async () => {
    const { stored, recorder } = await open()
    const first = await stored.createLink('aaaa', 'custom')
    const second = await stored.createLink('bbbb')
    const kinds = [{}, BOT, SELF_REFERRER, { ...BOT, ...SELF_REFERRER }]
    const places = [
      [first, 'aaaa'],
      [first, 'custom'],
      [second, 'bbbb'],
    ] as const
    const clicks = Array.from({ length: 600 }, (_, index) => {
      const [link, slug] = places[index % 3] ?? places[0]
      return click(link, slug, { ...kinds[index % 4], clickedAt: NOW - (index % 50) * 997 })
    })
    for (let seq = 0; seq < 6; seq++)
      await recorder.record(clicks.slice(seq * 100, seq * 100 + 100), { from: from(seq), to: seq + 1 })

    for (const slug of ['aaaa', 'custom', 'bbbb'])
      expect(await stored.countClicks(slug)).toEqual([200, 200, 200])
    const byHour = await stored.rows(`select link_id, slug, clicked_at - clicked_at % ${HOUR} as hour,
      count(*) as clicks, sum(is_bot) as bots, sum(is_self_referrer) as self_referrers,
      sum(is_bot * is_self_referrer) as bot_self_referrers from click group by 1, 2, 3 order by 1, 3, 2`)
    expect(await stored.rows('select * from click_hour order by link_id, hour, slug')).toEqual(
      byHour.map((row) => expect.objectContaining(row as object)),
    )
    expect(byHour.length).toBeGreaterThan(30)
    const [sums] = await stored.rows<Record<string, number>>(
      'select sum(bots) as bots, sum(self_referrers) as own, sum(bot_self_referrers) as both from click_hour',
    )
    expect(sums).toEqual({ bots: 300, own: 300, both: 150 })
  })

  test('a batch that fails half way stores nothing, and can be recorded once the cause is removed', async () => {
    const { stored, recorder } = await open()
    const link = await stored.createLink('abcd')
    const good = click(link, 'abcd')
    const bad = { ...good, channel: null as unknown as string }
    const twelve = Array.from({ length: 12 }, () => good)
    // Inside the rows that SQLite stores with one statement, and after them.
    for (const at of [5, 10])
      expect(
        await messageOf(recorder.record(twelve.toSpliced(at, 0, bad), { from: from(0), to: 1 })),
      ).toMatch(/channel|null/i)
    expect(await stored.countClicks('abcd')).toEqual([0, 0, 0])
    expect(await stored.readJournalCursors()).toEqual([])

    expect(await recorder.record(twelve, { from: from(0), to: 1 })).toBe(true)
    expect(await stored.countClicks('abcd')).toEqual([12, 12, 12])
  })

  test('all classified properties of a click are stored unchanged', async () => {
    const { stored, recorder } = await open()
    const link = await stored.createLink('abcd')
    const sentClick = click(link, 'abcd', {
      query: '?utm_source=Néws&utm_medium=qr&utm_campaign=c&utm_term=t&utm_content=o',
      referrer: `https://www.example.org/${'å'.repeat(500)}?q='; drop table click; --`,
      country: 'SE',
      visitorFp: 'f'.repeat(64),
      variant: '2.1',
    })
    await recorder.record([sentClick], { from: from(0), to: 1 })
    const [row] = await stored.rows<Record<string, unknown>>('select * from click')
    const expected = Object.fromEntries(
      Object.entries(sentClick).map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
        value,
      ]),
    )
    expect(row).toEqual({ id: expect.any(Number), ...expected })
  })

  test('each click of a batch has its own row, in order per link, however many there are', async () => {
    const { stored, recorder } = await open()
    const [first, second] = [await stored.createLink('abcd'), await stored.createLink('efgh')]
    let seq = 0
    for (const length of [1, 7, 8, 9, 16, 17, 25]) {
      const visitors = Array.from({ length }, (_, index) => `${length}-${index}`)
      const clicks = visitors.flatMap((visitorFp) => [
        click(second, 'efgh', { visitorFp }),
        click(second, 'gone', { visitorFp }),
        click(first, 'abcd', { visitorFp }),
      ])
      await recorder.record(clicks, { from: from(seq), to: ++seq })
      const stands = await stored.rows<{ slug: string; visitor_fp: string }>(
        `select slug, visitor_fp from click where visitor_fp like '${length}-%' order by slug, id`,
      )
      const expected = ['abcd', 'efgh'].flatMap((slug) =>
        visitors.map((visitor) => ({ slug, visitor_fp: visitor })),
      )
      expect(stands).toEqual(expected)
    }
  })

  test('ten thousand clicks of a thousand slugs are one batch', async () => {
    const { stored, recorder } = await open()
    const slugs = Array.from({ length: 1000 }, (_, index) => `s${index}`)
    const link = await stored.createLink('abcd', ...slugs)
    const clicks = Array.from({ length: 10_000 }, (_, index) => click(link, `s${index % 1000}`))
    await recorder.record(clicks, { from: from(0), to: 1 })
    expect(
      await stored.rows(
        'select min(clicks) as smallest, max(clicks) as largest, count(*) as slugs from counted_slug where is_custom = 1',
      ),
    ).toEqual([{ smallest: 10, largest: 10, slugs: 1000 }])
    expect(await stored.rows('select count(*) as clicks from click')).toEqual([{ clicks: 10_000 }])
  })

  describe('hours that are over', () => {
    const rowsOf = async (stored: TestDatabase, slug: string) => {
      const count = async (table: string) =>
        (
          await stored.rows<{ hour: number; clicks: number }>(
            `select hour, clicks from ${table} where slug = '${slug}' order by hour`,
          )
        ).map(({ hour, clicks }) => [hour, clicks])
      return { open: await count('click_hour_open'), closed: await count('click_hour_closed') }
    }
    const closeAll = async (recorder: Recorder, before: number) => {
      while (await recorder.closeHours(before));
    }
    const THIS = NOW - (NOW % HOUR)

    test('close with all of their clicks, and all totals stay the same', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd', 'other')
      const moments = [NOW, NOW - HOUR, NOW - HOUR, NOW - 30 * HOUR]
      await recorder.record(moments.map((clickedAt) => click(link, 'abcd', { ...BOT, clickedAt })))
      await recorder.record([click(link, 'other', { clickedAt: NOW - HOUR })])
      await closeAll(recorder, THIS)
      expect(await rowsOf(stored, 'abcd')).toEqual({
        open: [[THIS, 1]],
        closed: [
          [THIS - 30 * HOUR, 1],
          [THIS - HOUR, 2],
        ],
      })
      expect(await stored.rows(`select sum(bots) as bots from click_hour where slug = 'abcd'`)).toEqual([
        { bots: 4 },
      ])
      expect(await stored.countClicks('abcd')).toEqual([4, 4, 4])
      expect(await stored.countClicks('other')).toEqual([1, 1, 1])
    })

    test('reopen for a late click, and close again', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink('abcd')
      const late = () => recorder.record([click(link, 'abcd', { clickedAt: NOW - HOUR })])
      await late()
      await closeAll(recorder, THIS)
      await late()
      expect(await stored.countClicks('abcd')).toEqual([2, 2, 2])
      await closeAll(recorder, THIS)
      await closeAll(recorder, THIS)
      expect(await rowsOf(stored, 'abcd')).toEqual({ open: [], closed: [[THIS - HOUR, 2]] })
      expect(await stored.countClicks('abcd')).toEqual([2, 2, 2])
    })

    test('close in several transactions if there are many, each once, even with concurrent recorders', async () => {
      const { stored, recorder } = await open()
      const others = [1, 2].map(() => closeLater(openRecorder(stored.url)))
      const links = await Promise.all(['a', 'b', 'c'].map((slug) => stored.createLink(slug)))
      const clicks = links.flatMap((link, index) =>
        Array.from({ length: 3_000 }, (_, hour) =>
          click(link, 'abc'.charAt(index), { clickedAt: NOW - hour * HOUR }),
        ),
      )
      await recorder.record(clicks)
      expect(await recorder.closeHours(THIS)).toBe(true)
      const counting = recorder.record(clicks.slice(0, 500))
      await Promise.all([counting, ...[recorder, ...others].map((one) => closeAll(one, THIS))])
      expect((await rowsOf(stored, 'c')).closed).toHaveLength(2_999)
      const sums = await Promise.all(['a', 'b', 'c'].map((slug) => stored.countClicks(slug)))
      expect(sums).toEqual([
        [3_500, 3_500, 3_500],
        [3_000, 3_000, 3_000],
        [3_000, 3_000, 3_000],
      ])
    })

    test('close while another writer removes a slug, without a deadlock', async () => {
      const { stored, recorder } = await open()
      const link = await stored.createLink(
        'abcd',
        ...Array.from({ length: 50 }, (_, index) => `gone${index}`),
      )
      const clicks = Array.from({ length: 50 }, (_, index) =>
        click(link, `gone${index}`, { clickedAt: NOW - HOUR }),
      )
      await recorder.record([...clicks, click(link, 'abcd', { clickedAt: NOW - HOUR })])
      const removals = clicks.map(({ slug }) =>
        stored.database.write((tx) => removeSlug(tx, stored.database, { link_id: link, slug })),
      )
      await Promise.all([...removals, closeAll(recorder, THIS)])
      expect(await stored.rows(`select slug from click_hour where slug != 'abcd'`)).toEqual([])
      expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
    })
  })

  test('recording waits for a writer who is removing the slug, and then drops its clicks', async () => {
    const { stored, recorder } = await open()
    const link = await stored.createLink('abcd', 'gone')
    const removed = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const removal = stored.database.write(async (tx) => {
      await sql`delete from slug where slug = 'gone'`.execute(tx)
      removed.resolve()
      // SQLite has one writer. The recorder would wait for it without ever yielding to this test.
      if (dialect === 'postgres') await go.promise
    })
    await removed.promise
    if (dialect === 'sqlite') await removal
    const recording = recorder.record([click(link, 'gone'), click(link, 'abcd')], { from: from(0), to: 1 })
    go.resolve()
    await removal
    expect(await recording).toBe(true)
    expect(await stored.countClicks('gone')).toEqual([0, 0, 0])
    expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
  })

  if (dialect === 'sqlite') return

  test('a server that vanishes without closing its connection is waited for only up to the limit, and no click counts twice', async () => {
    const { stored } = await open()
    const link = await stored.createLink('abcd')
    const relay = closeLater(await Relay.before(stored.url))
    const recorder = closeLater(openRecorder(relay.through(stored.url), 200))
    const clicks = [click(link, 'abcd')]
    expect(await recorder.record(clicks, { from: from(0), to: 1 })).toBe(true)
    relay.swallow(1)
    expect(await messageOf(recorder.record(clicks, { from: from(1), to: 2 }))).toContain('timeout')
    expect(await recorder.record(clicks, { from: from(1), to: 2 })).toBe(true)
    expect(await stored.countClicks('abcd')).toEqual([2, 2, 2])
  })

  test('recording that PostgreSQL aborts because of a deadlock is retried', async () => {
    const { stored, recorder } = await open()
    const link = await stored.createLink('abcd')
    await recorder.record([click(link, 'abcd')], { from: from(0), to: 1 })
    const [locked, go] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
    const other = stored.database.write(async (tx) => {
      await sql`select 1 from click_hour_open for update`.execute(tx)
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      locked.resolve(rows[0]?.pid ?? 0)
      await go.promise
      await sql`select 1 from slug for update`.execute(tx)
    })
    const pid = await locked.promise
    const recording = recorder.record([click(link, 'abcd')], { from: from(1), to: 2 })
    await until('counting waits for the other', async () => {
      const waiting = await stored.rows(
        `select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`,
      )
      return waiting.length > 0
    })
    // The session that has waited longer checks for deadlocks first, and is aborted.
    go.resolve()
    expect(await recording).toBe(true)
    await other
    expect(await stored.countClicks('abcd')).toEqual([2, 2, 2])
  })
})
