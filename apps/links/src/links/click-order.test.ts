import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { type KyselyPlugin, sql } from 'kysely'
import { NOW, TestDatabase, click, closeAfterEach } from '../../test/test-database.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { RollupJob } from '../rollups/index.ts'
import type { ClassifiedClick } from '../clicks/click.ts'
import { openRecorder } from '../counting/open-recorder.ts'
import type { Position } from '../api/paging.ts'
import { removeSlug } from './slugs/store.ts'
import { listByClicks } from './click-order.ts'
import { countMatches } from './count.ts'
import { resolveSearch } from './list.ts'
import { deleteLinkRow, lockLinkForWrite } from './store.ts'

const { closeLater } = closeAfterEach()
const HOUR = 3600
const DAY = 24 * HOUR
const OWNERS = ['ann@example.com', 'ben@example.com']

interface ExpectedLink {
  id: number
  created_at: number
  owner: string
  isDisabled: boolean
}

eachDialect((dialect, newUrl) => {
  /** Links of two owners. Some are disabled, several have the same age, and each has two slugs. */
  async function open(count: number) {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const recorder = closeLater(openRecorder(stored.url))
    const links: ExpectedLink[] = []
    for (let n = 0; n < count; n++) {
      const id = await stored.createLink(`auto-${n}`, `own-${n}`)
      links.push({ id, created_at: NOW, owner: OWNERS[n % 2] as string, isDisabled: n % 5 === 3 })
    }
    if (links[1])
      await stored.run(sql`update link set created_by = ${OWNERS[1]} where id % 2 = ${links[1].id % 2}`)
    for (const { id, isDisabled } of links)
      if (isDisabled) await stored.run(sql`update link set disabled_at = ${NOW} where id = ${id}`)
    return { stored, recorder, links }
  }

  interface ListOptions {
    range: '24h' | '30d' | undefined
    owner: string | undefined
    search: string | undefined
    status: 'all' | 'active' | 'disabled'
    filters: ViewerFilters
    limit: number
  }
  const listOptions: fc.Arbitrary<ListOptions> = fc.record({
    range: fc.constantFrom(undefined, '24h', '30d'),
    owner: fc.constantFrom(undefined, ...OWNERS),
    search: fc.constantFrom(undefined, 'example.com', 'auto-1'),
    status: fc.constantFrom('all', 'active', 'disabled'),
    filters: fc.record({ bots: fc.boolean(), selfReferrers: fc.boolean() }),
    limit: fc.integer({ min: 1, max: 5 }),
  })

  type TestWorld = Awaited<ReturnType<typeof open>>

  /** Reference implementation: counts each link's clicks, then sorts. */
  function expectedOrder(
    links: readonly ExpectedLink[],
    clicks: readonly ClassifiedClick[],
    options: ListOptions,
  ): Position[] {
    const { range, owner, search, status, filters } = options
    const from = range === undefined ? -Infinity : NOW - (range === '24h' ? DAY : 30 * DAY)
    const to = range === undefined ? Infinity : NOW
    const visibleClicks = clicks.filter(
      ({ clickedAt, isBot, isSelfReferrer }) =>
        clickedAt >= from &&
        clickedAt <= to &&
        !(filters.bots && isBot) &&
        !(filters.selfReferrers && isSelfReferrer),
    )
    return links
      .filter((link) => owner === undefined || link.owner === owner)
      .filter((link) => status === 'all' || link.isDisabled === (status === 'disabled'))
      .filter((link) => search !== 'auto-1' || String(links.indexOf(link)).startsWith('1'))
      .map(({ id, created_at }) => ({
        id,
        created_at,
        value: visibleClicks.filter(({ linkId }) => linkId === id).length,
      }))
      .toSorted((a, b) => b.value - a.value || b.created_at - a.created_at || b.id - a.id)
  }

  async function expectOrder(
    { stored, links }: TestWorld,
    clicks: readonly ClassifiedClick[],
    options: ListOptions,
  ) {
    const whole = expectedOrder(links, clicks, options)
    const paged: Position[] = []
    for (;;) {
      const page = await listByClicks(stored.database, options, NOW, paged.at(-1))
      const numbered = { ...options, offset: paged.length }
      expect(await listByClicks(stored.database, numbered, NOW, undefined)).toEqual(page)
      paged.push(...page)
      if (page.length < options.limit) break
    }
    expect(paged).toEqual(whole)
    const resolved = await resolveSearch(stored.database, options, NOW)
    expect(await listByClicks(stored.database, { ...resolved, limit: 1000 }, NOW, undefined)).toEqual(whole)
    expect((await countMatches(stored.database, resolved, NOW)).total).toBe(whole.length)
  }

  /** Compares the stored totals of each link with those of its slugs. */
  async function expectStoredClicks({ stored }: TestWorld): Promise<void> {
    const sums = 'closed_clicks - closed_bots - closed_self_referrers + closed_bot_self_referrers'
    expect(
      await stored.rows(`select link_id, clicks_raw, clicks_no_bots, clicks_no_self, clicks_neither from link_clicks
        order by link_id`),
    ).toEqual(
      await stored.rows(`select link_id, sum(closed_clicks) as clicks_raw,
          sum(closed_clicks - closed_bots) as clicks_no_bots,
          sum(closed_clicks - closed_self_referrers) as clicks_no_self, sum(${sums}) as clicks_neither
        from slug group by link_id order by link_id`),
    )
  }

  /** Compares the stored numbers of links with the links. */
  async function expectCounted({ stored }: TestWorld): Promise<void> {
    expect(
      await stored.rows(`select created_by, sum(links) as links from link_count
        group by created_by having sum(links) <> 0 order by created_by`),
    ).toEqual(
      await stored.rows(
        `select created_by, count(*) as links from link group by created_by order by created_by`,
      ),
    )
    expect(
      await stored.rows(
        'select start, sum(links) as links from link_day group by start having sum(links) <> 0',
      ),
    ).toEqual(
      await stored.rows(
        'select created_at - created_at % 86400 as start, count(*) as links from link group by created_at - created_at % 86400',
      ),
    )
  }

  const generated = fc.record({
    link: fc.nat(),
    isOwn: fc.boolean(),
    age: fc.oneof(fc.integer({ min: -2 * HOUR, max: 3 * HOUR }), fc.integer({ min: 0, max: 40 * DAY })),
    userAgent: fc.constantFrom('curl/8.0', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36'),
    referrer: fc.constantFrom(null, 'https://go.example.com/'),
  })

  test('links in order of clicks match a full count, in pages, at every moment', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ clicks: fc.array(generated, { minLength: 1, maxLength: 40 }) }) },
        { weight: 2, arbitrary: fc.record({ close: fc.integer({ min: -1, max: 48 }) }) },
        { weight: 2, arbitrary: fc.record({ sum: fc.integer({ min: 1, max: 60 }) }) },
        { weight: 1, arbitrary: fc.record({ removeSlug: fc.nat() }) },
        { weight: 1, arbitrary: fc.record({ deleteLink: fc.nat() }) },
        { weight: 4, arbitrary: fc.record({ look: listOptions }) },
      ),
      { minLength: 6, maxLength: 14 },
    )
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(listOptions, { minLength: 3, maxLength: 3 }),
        async (history, last) => {
          const world = await open(13)
          const { stored, recorder, links } = world
          const rollupJob = new RollupJob(stored.database, 2)
          const alive = [...links]
          const deletedSlugs = new Set<string>()
          let clicks: ClassifiedClick[] = []
          const options = (one: ListOptions) => expectOrder({ ...world, links: alive }, clicks, one)
          for (const step of history) {
            if ('clicks' in step) {
              const batch = step.clicks.flatMap(({ link, isOwn, age, ...fields }) => {
                const { id } = links[link % links.length] as ExpectedLink
                const slug = `${isOwn ? 'own' : 'auto'}-${link % links.length}`
                if (deletedSlugs.has(slug)) return []
                return [click(id, slug, { clickedAt: NOW - age, ...fields })]
              })
              if (batch.length > 0) await recorder.record(batch)
              clicks.push(...batch)
            } else if ('close' in step) while (await recorder.closeHours(NOW - step.close * HOUR));
            else if ('sum' in step) for (let n = 0; n < step.sum && (await rollupJob.step(NOW)); n++);
            else if ('removeSlug' in step) {
              const n = step.removeSlug % links.length
              const slug = `own-${n}`
              deletedSlugs.add(slug)
              clicks = clicks.filter((one) => one.slug !== slug)
              await stored.database.write((tx) =>
                removeSlug(tx, stored.database, { link_id: links[n]?.id ?? 0, slug }),
              )
            } else if ('deleteLink' in step) {
              const n = step.deleteLink % links.length
              const { id } = links[n] as ExpectedLink
              for (const slug of [`own-${n}`, `auto-${n}`]) deletedSlugs.add(slug)
              clicks = clicks.filter(({ linkId }) => linkId !== id)
              alive.splice(0, alive.length, ...alive.filter((link) => link.id !== id))
              await stored.recorded.write(async (tx) => {
                await lockLinkForWrite(tx, stored.database, id)
                await deleteLinkRow(tx, stored.database, id)
              })
            } else await options({ ...step.look, search: searchFor(step.look.search, alive, links) })
            await expectStoredClicks(world)
            await expectCounted(world)
          }
          for (const one of last) await options({ ...one, search: searchFor(one.search, alive, links) })
        },
      ),
      { numRuns: dialect === 'sqlite' ? 25 : 8, seed: NOW, endOnFailure: true },
    )
  }, 240_000)

  test('a page deep in a list reads only its own rows', async () => {
    const { stored } = await open(60)
    let maxRows = 0
    const watch: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        maxRows = Math.max(maxRows, result.rows.length)
        return result
      },
    }
    const database = { ...stored.database, read: stored.database.read.withPlugin(watch) }
    const options = {
      status: 'all',
      filters: { bots: true, selfReferrers: true },
      limit: 5,
      offset: 50,
    } as const
    for (const range of [undefined, '30d'] as const)
      for (const search of [undefined, 'example.com']) {
        const page = await listByClicks(database, { ...options, range, search }, NOW, undefined)
        expect(page).toHaveLength(5)
        expect(page).toEqual(
          (
            await listByClicks(
              stored.database,
              { ...options, range, search, limit: 55, offset: 0 },
              NOW,
              undefined,
            )
          ).slice(50),
        )
      }
    expect(maxRows).toBeLessThan(10)
  })

  test('links with the same number of clicks are listed once each, newest first, before those without clicks', async () => {
    const MANY = 1_200
    const { stored, recorder } = await open(0)
    const numbers =
      dialect === 'sqlite'
        ? sql`with recursive numbers (n) as (select 101 union all select n + 1 from numbers where n < ${100 + MANY})`
        : sql`with numbers as (select generate_series(101, ${100 + MANY}::bigint) as n)`
    await stored.database.write(async (tx) => {
      await sql`${numbers} insert into link (id, url, url_key, created_by, created_at, primary_slug, search_text)
        select n, 'https://example.com/' || n, n, 'ann', 1700000000 + n, 'bulk-' || n, '' from numbers`.execute(
        tx,
      )
      await sql`${numbers} insert into slug (slug, link_id, is_custom, created_at)
        select 'bulk-' || n, n, 0, 1700000000 + n from numbers`.execute(tx)
    })
    // Two of three links have one click, one in a hundred has a second.
    const ids = Array.from({ length: MANY }, (_, index) => 101 + index)
    const clicksOf = (id: number) => (id % 3 === 0 ? 0 : 1) + (id % 100 === 1 && id % 3 !== 0 ? 1 : 0)
    const clicks = ids.flatMap((id) =>
      Array.from({ length: clicksOf(id) }, () => click(id, `bulk-${id}`, { clickedAt: NOW - 2 * HOUR })),
    )
    await recorder.record(clicks)
    const order = ids.toSorted((a, b) => clicksOf(b) - clicksOf(a) || b - a)
    const query = { status: 'active', filters: { bots: true, selfReferrers: true }, limit: 170 } as const
    for (const [range, owner] of [[undefined], ['7d'], [undefined, 'ann'], ['7d', 'ann']] as const)
      for (const closed of [false, true]) {
        while (closed && (await recorder.closeHours(NOW)));
        const paged: Position[] = []
        while (paged.length < MANY)
          paged.push(...(await listByClicks(stored.database, { ...query, range, owner }, NOW, paged.at(-1))))
        expect(paged.map(({ id }) => id)).toEqual(order)
      }
  })
})

/** The positions of links predict the results of a search only while no link is deleted. */
function searchFor(
  search: string | undefined,
  alive: readonly ExpectedLink[],
  links: readonly ExpectedLink[],
) {
  return alive.length === links.length ? search : undefined
}
