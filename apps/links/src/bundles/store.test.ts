import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { type KyselyPlugin, sql } from 'kysely'
import { Range } from '../time/schema.ts'
import { ranges } from '../time/ranges.ts'
import { DAY, HOUR } from '../time/window.ts'
import type { BundleWithSummary } from './schema.ts'
import { NOW, type TestBundles, openTestBundles } from '../../test/test-bundles.ts'

interface Click {
  linkId: number
  slug: string
  at: number
}

const labelLengths = {
  '24h': 'YYYY-MM-DDTHH'.length,
  '7d': 'YYYY-MM-DD'.length,
  '30d': 'YYYY-MM-DD'.length,
  '90d': 'YYYY-MM-DD'.length,
  '1y': 'YYYY-MM'.length,
  all: 'YYYY-MM'.length,
}

/** The statistics of a bundle, from a scan of every raw click. */
function scan(range: Range, members: readonly number[], clicks: readonly Click[]) {
  const span = ranges[range].seconds ?? NOW
  const own = clicks.filter((click) => members.includes(click.linkId))
  const inside = own.filter(({ at }) => at >= NOW - span && at <= NOW)
  const before = own.filter(({ at }) => at >= NOW - 2 * span && at < NOW - span).length
  const labelOf = (at: number) => new Date(at * 1000).toISOString().slice(0, labelLengths[range])
  const start = range === 'all' ? Math.min(...inside.map(({ at }) => at)) : NOW - span
  const labels = new Set<string>()
  // Every day and month has a moment of each quarter of a day.
  const step = range === '24h' ? HOUR : 6 * HOUR
  for (let at = start; at < NOW; at += step) labels.add(labelOf(at))
  if (start <= NOW) labels.add(labelOf(NOW))
  const clicksOf = Map.groupBy(inside, ({ at }) => labelOf(at))
  const byLink = [...Map.groupBy(inside, (click) => click.linkId)].map(([id, list]) => ({
    id,
    count: list.length,
  }))
  return {
    link_count: members.length,
    total_clicks: inside.length,
    delta_pct: before === 0 || range === 'all' ? undefined : change(inside.length, before),
    sparkline: [...labels].map((label) => clicksOf.get(label)?.length ?? 0),
    top_links: byLink
      .toSorted((a, b) => b.count - a.count || a.id - b.id)
      .slice(0, 3)
      .map(({ id, count }) => ({ slug: `primary-${id}`, click_count: count })),
  }
}

function change(current: number, previous: number): number {
  const exact = (100 * (current - previous)) / previous
  return Math.sign(exact) * Math.round(Math.abs(exact)) + 0
}

function statsOf({ link_count, total_clicks, delta_pct, sparkline, top_links }: BundleWithSummary) {
  return { link_count, total_clicks, delta_pct, sparkline, top_links }
}

const windowEdges = [0, 1, 2, 7, 14, 30, 60, 90, 180, 365, 730].map((days) => NOW - days * DAY)
const monthEdges = [0, -1, -10, -11, -12].map((month) => Date.UTC(2026, month) / 1000)

/** Moments close to an edge of a window, an hour, a day or a month. */
const moment = fc
  .tuple(
    fc.constantFrom(...windowEdges, ...monthEdges),
    fc.constantFrom(1, 100, HOUR, DAY, 40 * DAY).chain((near) => fc.integer({ min: -near, max: near })),
  )
  .map(([edge, shift]) => Math.min(edge + shift, NOW + 2 * HOUR))

/** `number (n)` from 1 to `to`, to fill tables. */
function numbers(to: number) {
  return sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < ${sql.lit(to)})`
}

eachDialect((_dialect, newUrl) => {
  let bundles: TestBundles
  beforeEach(async () => {
    bundles = await openTestBundles(await newUrl())
  })
  afterEach(() => bundles.close())

  const linkWithSlugs = async (): Promise<number> => {
    const { id } = await bundles.ok('POST', '/links', {
      body: { url: `https://example.com/${crypto.randomUUID()}` },
    })
    await bundles.ok('POST', `/links/${id}/slugs`, { body: { slug: `primary-${id}` } })
    return id
  }

  /** Clicks on both sides of all edges, on random slugs of these links. Deterministic. */
  const exampleClicks = async (links: readonly number[], count: number): Promise<Click[]> => {
    const slugs: Omit<Click, 'at'>[] = []
    for (const linkId of links) {
      const link: { slugs: { slug: string }[] } = await bundles.ok('GET', `/links/${linkId}`)
      slugs.push(...link.slugs.map(({ slug }) => ({ linkId, slug })))
    }
    const samples = fc.sample(fc.tuple(fc.constantFrom(...slugs), moment), { numRuns: count, seed: 1 })
    const clicks = samples.map(([slug, at]) => ({ ...slug, at }))
    for (const list of Map.groupBy(clicks, (click) => click.slug).values())
      for (const { linkId, slug, at } of list) await bundles.click(linkId, slug, [at])
    return clicks
  }

  test('L15 all statistics of every range equal a scan of the raw clicks, in the list and alone', async () => {
    const links = await Promise.all(Array.from({ length: 8 }, linkWithSlugs))
    const memberships = [links, links.slice(0, 5), links.slice(3, 4), links.slice(6), [], links.slice(7)]
    const members = new Map<number, number[]>()
    for (const ids of memberships) {
      const id = await bundles.newBundle('Example')
      await bundles.add(id, ...ids)
      members.set(id, ids)
    }
    const clicks = await exampleClicks(links.slice(0, 7), 600)
    for (const range of Range.options) {
      const list: BundleWithSummary[] = await bundles.ok('GET', `/bundles?range=${range}`)
      expect(list).toHaveLength(members.size)
      for (const bundle of list) {
        expect(statsOf(bundle)).toEqual(scan(range, members.get(bundle.id) ?? [], clicks))
        expect(await bundles.ok('GET', `/bundles/${bundle.id}?range=${range}`)).toEqual(bundle)
      }
    }
  })

  test('the buckets of each range add up to its total', async () => {
    const links = await Promise.all(Array.from({ length: 3 }, linkWithSlugs))
    const id = await bundles.newBundle('Example')
    await bundles.add(id, ...links)
    await exampleClicks(links, 300)
    for (const range of Range.options) {
      const { sparkline, total_clicks } = await bundles.ok('GET', `/bundles/${id}?range=${range}`)
      expect(sparkline.reduce((sum: number, count: number) => sum + count, 0)).toBe(total_clicks)
      expect(total_clicks).toBeGreaterThan(0)
    }
  })

  test('the total of all time is the sum of the members’ lifetime clicks', async () => {
    const links = await Promise.all(Array.from({ length: 4 }, linkWithSlugs))
    const id = await bundles.newBundle('Example')
    await bundles.add(id, ...links)
    for (const link of links) await bundles.click(link, `primary-${link}`, [NOW - 900 * DAY, NOW - HOUR, NOW])
    const members: { total_clicks: number }[] = await bundles.ok('GET', `/bundles/${id}/links`)
    const { total_clicks } = await bundles.ok('GET', `/bundles/${id}`)
    expect(total_clicks).toBe(members.reduce((sum, link) => sum + link.total_clicks, 0))
    expect(total_clicks).toBe(12)
  })

  test('totals stay the same after raw clicks are deleted by age', async () => {
    const link = await linkWithSlugs()
    const id = await bundles.newBundle('Example')
    await bundles.add(id, link)
    await bundles.click(link, `primary-${link}`, [NOW - 500 * DAY, NOW - 100 * DAY, NOW - 60, NOW])
    const before = await bundles.ok('GET', `/bundles/${id}`)
    await bundles.context.database.write((tx) =>
      tx
        .deleteFrom('click')
        .where('clicked_at', '<', NOW - 30 * DAY)
        .execute(),
    )
    expect(await bundles.ok('GET', `/bundles/${id}`)).toEqual(before)
    expect(before.total_clicks).toBe(4)
  })

  test('L24.11 ties rank by link, links without clicks are never listed, and the primary slug stands for all slugs', async () => {
    const links = await Promise.all(Array.from({ length: 5 }, linkWithSlugs))
    const [first = 0, second = 0, third = 0, fourth = 0] = links.toSorted((a, b) => a - b)
    const id = await bundles.newBundle('Example')
    await bundles.add(id, ...links)
    await bundles.click(third, `primary-${third}`, [NOW - 1])
    await bundles.click(second, `primary-${second}`, [NOW - 2])
    expect((await bundles.ok('GET', `/bundles/${id}`)).top_links).toEqual([
      { slug: `primary-${second}`, click_count: 1 },
      { slug: `primary-${third}`, click_count: 1 },
    ])
    const { slugs } = await bundles.ok('GET', `/links/${fourth}`)
    await bundles.click(fourth, slugs[0].slug, [NOW - 3, NOW - 4])
    await bundles.click(first, `primary-${first}`, [NOW - 5])
    expect((await bundles.ok('GET', `/bundles/${id}`)).top_links).toEqual([
      { slug: `primary-${fourth}`, click_count: 2 },
      { slug: `primary-${first}`, click_count: 1 },
      { slug: `primary-${second}`, click_count: 1 },
    ])
  })

  test('the change is against the previous window, and absent without one', async () => {
    const link = await linkWithSlugs()
    const id = await bundles.newBundle('Example')
    await bundles.add(id, link)
    const delta = async (range: string) =>
      (await bundles.ok('GET', `/bundles/${id}?range=${range}`)).delta_pct
    await bundles.click(link, `primary-${link}`, [NOW])
    expect([await delta('24h'), await delta('all')]).toEqual([undefined, undefined])
    await bundles.click(link, `primary-${link}`, [NOW - DAY, NOW - DAY - 1, NOW - 2 * DAY, NOW - 2 * DAY - 1])
    expect([await delta('24h'), await delta('7d'), await delta('all')]).toEqual([0, undefined, undefined])
    await bundles.click(link, `primary-${link}`, [NOW - DAY - 5])
    expect(await delta('24h')).toBe(-33)
    expect(await bundles.ok('GET', `/bundles/${id}`)).not.toHaveProperty('delta_pct')
  })

  /** The number of statements that a call reads with. */
  const statementsOf = async (method: string, url: string): Promise<number> => {
    let count = 0
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => {
        count++
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const { context } = bundles
    const { database } = context
    context.database = { ...database, read: database.read.withPlugin(counter) }
    await bundles.ok(method, url)
    context.database = database
    return count
  }

  test('L24.13 1000 bundles of 100 members take as many statements as one bundle of one', async () => {
    const link = await linkWithSlugs()
    await bundles.add(await bundles.newBundle('Single'), link)
    const few = await statementsOf('GET', '/bundles?range=30d')
    await bundles.context.database.write(async (tx) => {
      await sql`insert into link (id, url, url_key, created_by, created_at, primary_slug, search_text)
        ${numbers(100)} select 1000 + n, 'https://example.com', 1, 'ann', 1, 'many-' || n, '' from number`.execute(
        tx,
      )
      await sql`insert into slug (slug, link_id, is_custom, created_at)
        ${numbers(100)} select 'many-' || n, 1000 + n, 0, 1 from number`.execute(tx)
      await sql`insert into bundle (id, name, accent, created_by, created_at, updated_at, search_text)
        ${numbers(1000)} select 1000 + n, 'Many', 'red', 'ann', 1, 1, 'many' from number`.execute(tx)
      await sql`insert into bundle_link (bundle_id, link_id)
        select bundle.id, link.id from bundle, link where bundle.id > 1000 and link.id > 1000`.execute(tx)
    })
    for (let n = 1; n <= 100; n++) await bundles.click(1000 + n, `many-${n}`, [NOW - n, NOW - n * DAY])
    const { headers, body } = await bundles.call('GET', '/bundles?range=30d')
    expect(headers['X-Total-Count']).toBe('1001')
    expect(body).toHaveLength(1000)
    expect(body[1]).toMatchObject({ link_count: 100, total_clicks: 130 })
    expect(await statementsOf('GET', '/bundles?range=30d')).toBe(few)
    expect(few).toBeLessThanOrEqual(4)
    // Two of the statements start and end a snapshot.
    expect(await statementsOf('GET', '/bundles/1001/links')).toBeLessThanOrEqual(7)
  }, 30_000)

  test('L24.13 a bundle of 1,000 members returns all of them', async () => {
    const id = await bundles.newBundle('Large')
    await bundles.context.database.write(async (tx) => {
      await sql`insert into link (id, url, url_key, created_by, created_at, primary_slug, search_text)
        ${numbers(1000)} select 5000 + n, 'https://example.com', 1, 'ann', n, 'large-' || n, '' from number`.execute(
        tx,
      )
      await sql`insert into slug (slug, link_id, is_custom, created_at)
        ${numbers(1000)} select 'large-' || n, 5000 + n, 0, n from number`.execute(tx)
      await sql`insert into bundle_link (bundle_id, link_id)
        select ${sql.lit(id)}, id from link where id > 5000`.execute(tx)
    })
    expect((await bundles.ok('GET', `/bundles/${id}`)).link_count).toBe(1000)
    const members: { id: number }[] = await bundles.ok('GET', `/bundles/${id}/links`)
    expect(members.map((link) => link.id)).toEqual(Array.from({ length: 1000 }, (_, index) => 6000 - index))
  })
})
