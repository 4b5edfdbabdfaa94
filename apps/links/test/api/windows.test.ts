import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { recordClicks } from '../actions.ts'
import { type TestLinks, sharedTestLinks } from '../testing.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const rangeSeconds = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, '90d': 90 * DAY, '1y': 365 * DAY } as const
type RangeName = keyof typeof rangeSeconds

interface Click {
  slug: string
  at: number
}

/** Stores clicks at these moments directly, because the service only records the present. */
async function record(links: TestLinks, linkId: number, clicks: readonly Click[]): Promise<void> {
  const stored = clicks.map(({ slug, at }) => ({ slug, linkId, clickedAt: at, host: null, userAgent: null }))
  await recordClicks(links.url, stored)
}

/**
 * Computes the expected numbers from the raw clicks. A window includes both ends; the previous one
 * excludes its end.
 */
function scan(clicks: readonly Click[], range: RangeName | 'all', now: number) {
  const span = range === 'all' ? Infinity : rangeSeconds[range]
  const current = clicks.filter(({ at }) => at >= now - span && at <= now)
  const previous = clicks.filter(({ at }) => at >= now - 2 * span && at < now - span)
  const change = (100 * (current.length - previous.length)) / previous.length
  const rounded = Math.sign(change) * Math.floor(Math.abs(change) + 0.5)
  return {
    total: current.length,
    ofSlug: (slug: string) => current.filter((click) => click.slug === slug).length,
    delta: range === 'all' || previous.length === 0 ? undefined : rounded,
  }
}

/** Ages in seconds, clustered at the ends of windows and of an hour. */
const ages = fc.oneof(
  fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
  fc.integer({ min: 0, max: 740 * DAY }),
  fc
    .tuple(
      fc.constantFrom(...Object.values(rangeSeconds)),
      fc.constantFrom(1, 2),
      fc.constantFrom(-HOUR, -1, 0, 1, HOUR),
    )
    .map(([span, times, offset]) => times * span + offset),
)

eachDialect((dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })
  const read = async (id: number, query = '') =>
    (await links.call('GET', `/links/${id}${query}`, { key: ann })).body

  test('L14.1: every number in every range equals a scan of the raw clicks, to the second', async () => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ age: ages, which: fc.constantFrom(0, 1) }), { maxLength: 60 }),
        fc.integer({ min: 0, max: 2 * HOUR }),
        async (history, pause) => {
          links.advance(pause)
          const slug = `w-${++made}`
          const link = await links.createLink(ann, { slug })
          const slugs = link.slugs.map((each: { slug: string }) => each.slug) as string[]
          const clicks = history.map(({ age, which }) => ({
            slug: slugs[which] ?? slug,
            at: links.now - age,
          }))
          if (clicks.length > 0) await record(links, link.id, clicks)
          for (const range of [...(Object.keys(rangeSeconds) as RangeName[]), 'all'] as const) {
            const expected = scan(clicks, range, links.now)
            const body = await read(link.id, `?range=${range}`)
            const numbers = {
              total: body.total_clicks,
              slugs: body.slugs.map((each: { click_count: number }) => each.click_count),
              delta: body.delta_pct,
              hasDelta: 'delta_pct' in body,
            }
            expect({ range, ...numbers }).toEqual({
              range,
              total: expected.total,
              slugs: slugs.map(expected.ofSlug),
              delta: expected.delta,
              hasDelta: expected.delta !== undefined,
            })
          }
        },
      ),
      { numRuns: dialect === 'sqlite' ? 60 : 30, seed: 20_261_108 },
    )
  })

  test('L24.8: list, detail and look-up by slug return the same numbers', async () => {
    const link = await links.createLink(ann, { slug: 'same-figures', label: 'same figures' })
    const at = [1, DAY, DAY + 1, 3 * DAY, 9 * DAY].map((age) => links.now - age)
    await record(
      links,
      link.id,
      at.map((moment) => ({ slug: 'same-figures', at: moment })),
    )
    for (const query of ['?range=24h', '?range=7d', '?range=all', '?']) {
      const detail = await read(link.id, query)
      const [listed] = (await links.call('GET', `/links${query}&search=same+figures`, { key: ann })).body
      const bySlug = (await links.call('GET', `/slugs/same-figures${query}`, { key: ann })).body
      expect([listed, bySlug]).toEqual([detail, detail])
    }
    expect((await read(link.id, '?range=24h')).total_clicks).toBe(2)
  })

  test('L14.1: both ends of the window count: a click at this second and one exactly a day old', async () => {
    const { id } = await links.createLink(ann, { slug: 'both-ends' })
    const at = [0, DAY, DAY + 1, 2 * DAY, 2 * DAY + 1].map((age) => links.now - age)
    await record(
      links,
      id,
      at.map((moment) => ({ slug: 'both-ends', at: moment })),
    )
    expect(await read(id, '?range=24h')).toMatchObject({ total_clicks: 2, delta_pct: 0 })
    links.advance(1)
    expect(await read(id, '?range=24h')).toMatchObject({ total_clicks: 1, delta_pct: -50 })
  })

  test('L14.2: delta_pct is an integer, with halves rounded away from zero', async () => {
    const cases: [current: number, previous: number, delta: number][] = [
      [9, 8, 13],
      [7, 8, -13],
      [0, 3, -100],
      [3, 3, 0],
      [4, 3, 33],
      [5, 3, 67],
      [1, 3, -67],
      [10, 1, 900],
      [201, 200, 1],
      [199, 200, -1],
      [401, 400, 0],
      [399, 400, 0],
    ]
    for (const [index, [current, previous, delta]] of cases.entries()) {
      const slug = `delta-${index}`
      const { id } = await links.createLink(ann, { slug })
      const clicks = [
        ...Array.from({ length: current }, () => ({ slug, at: links.now })),
        ...Array.from({ length: previous }, () => ({ slug, at: links.now - DAY - 1 })),
      ]
      await record(links, id, clicks)
      const body = await read(id, '?range=24h')
      expect([current, previous, body.delta_pct]).toEqual([current, previous, delta])
      expect(Object.is(body.delta_pct, -0)).toBe(false)
    }
  })

  test('L14.2: delta_pct is absent, not null, without a range, for all time, and without earlier clicks', async () => {
    const { id } = await links.createLink(ann, { slug: 'no-delta' })
    await record(links, id, [
      { slug: 'no-delta', at: links.now },
      { slug: 'no-delta', at: links.now - 3 * DAY },
    ])
    for (const query of ['', '?range=all', '?range=24h', '?range=90d'])
      expect([query, 'delta_pct' in (await read(id, query))]).toEqual([query, false])
    expect((await links.call('GET', '/links?range=all', { key: ann })).body[0]).not.toHaveProperty(
      'delta_pct',
    )
  })

  test('L13.5: without a range, numbers are lifetime and include bots', async () => {
    const { id } = await links.createLink(ann, { slug: 'lifetime' })
    await record(links, id, [
      { slug: 'lifetime', at: 5 },
      { slug: 'lifetime', at: links.now - 800 * DAY },
    ])
    await links.fetch('/lifetime', { headers: { 'User-Agent': 'curl/8.0' } })
    await links.fetch('/lifetime', { headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/130.0' } })
    expect((await read(id)).total_clicks).toBe(4)
    expect((await read(id, '?range=all')).total_clicks).toBe(4)
    expect((await read(id, '?range=1y')).total_clicks).toBe(2)
  })

  test('L14.3: the filter preferences of the owner of the key do not affect public numbers', async () => {
    const admin = await links.key('admin@localhost')
    const { id } = await links.createLink(admin, { slug: 'raw' })
    await links.fetch('/raw', {
      headers: { 'User-Agent': 'Googlebot/2.1', Referer: 'http://localhost:8080/' },
    })
    for (const filter of [true, false]) {
      await links.callAdmin('PUT', '/settings', {
        body: { filter_bots: filter, filter_self_referrers: filter },
      })
      const body = (await links.call('GET', `/links/${id}?range=7d`, { key: admin })).body
      expect([filter, body.total_clicks]).toEqual([filter, 1])
    }
  })

  test('L14.6: a breakdown starts at its offset, and a negative offset of any length counts as 0', async () => {
    const { id } = await links.createLink(ann, { slug: 'offsets' })
    for (const userAgent of [
      'Mozilla/5.0 Firefox/140.0',
      'Mozilla/5.0 Chrome/140.0',
      'Mozilla/5.0 Edg/140.0',
    ])
      await links.fetch('/offsets', { headers: { 'User-Agent': userAgent } })
    const ask = (offset: string) =>
      links.call('GET', `/links/${id}/breakdown?dimension=browsers&offset=${offset}`, { key: ann })
    const namesFrom = async (offset: string) => {
      const { body } = await ask(offset)
      expect(body.total).toBe(3)
      return body.items.map(({ name }: { name: string }) => name)
    }
    const all = ['Chrome', 'Edge', 'Firefox']
    expect(await namesFrom('1')).toEqual(all.slice(1))
    for (const offset of ['0', '-0', '-1', '-9999999999', `-${'9'.repeat(400)}`])
      expect([offset, await namesFrom(offset)]).toEqual([offset, all])
    for (const offset of ['--1', '-', '-1.5', '-1e3', '1.5']) {
      const { status, body } = await ask(offset)
      expect([offset, status, body.error]).toEqual([offset, 400, 'offset: must be a whole number'])
    }
  })

  test('a link without clicks has zeros in every range', async () => {
    const link = await links.createLink(ann)
    for (const range of [...Object.keys(rangeSeconds), 'all'])
      expect(await read(link.id, `?range=${range}`)).toEqual(link)
  })

  test('L14.1: an unknown range is 400 with its name, on every route that accepts one', async () => {
    const { id } = await links.createLink(ann, { slug: 'ranges' })
    for (const path of ['/links', `/links/${id}`, '/slugs/ranges'])
      for (const range of ['', '1h', '7D', '365d', 'all ', 'null'])
        await links.expectRefusal('GET', `${path}?range=${encodeURIComponent(range)}`, { key: ann }, [
          400,
          'range: must be one of: 24h, 7d, 30d, 90d, 1y, all',
        ])
  })
})
