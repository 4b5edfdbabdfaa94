import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { listLinkIds, recordClicks } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

const HOUR = 3_600
const ascending = (a: number, b: number) => a - b

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl, { LINKS_DOMAINS: 'go.example.org' })
  let ann: string
  beforeAll(async () => (ann = await links.key('ann@example.com')))
  const list = (query: Record<string, string | number>) => listLinkIds(links, ann, query)
  /** Lists all pages of two. */
  async function listPages(query: Record<string, string | number>): Promise<number[]> {
    const ids: number[] = []
    let path: string | undefined = `/links?${new URLSearchParams({ ...query, limit: '2' })}`
    while (path !== undefined) {
      const { body, headers } = await links.call('GET', path, { key: ann })
      ids.push(...body.map(({ id }: { id: number }) => id))
      path = /^<\/_\/api(.*)>/.exec(headers.get('link') ?? '')?.[1]
    }
    return ids
  }
  const create = async (fields: Record<string, unknown> = {}) =>
    (await links.createLink(ann, fields)).id as number

  test('L28.3: links of a bundle, of no bundle, of a host and of a domain', async () => {
    const host = 'Host-One.example:8443'
    const [one, two] = [
      await create({ url: `https://${host}/a` }),
      await create({ url: `https://${host}/b` }),
    ]
    const body = { url: `https://${host}/c` }
    const three = (await links.call('POST', '/domains/go.example.org/links', { key: ann, body })).body.id
    const bundle = (await links.call('POST', '/bundles', { key: ann, body: { name: 'Spring' } })).body.id
    await links.call('POST', `/bundles/${bundle}/links`, { key: ann, body: { link_id: one } })
    expect(await list({ bundle })).toEqual([one])
    expect(await list({ host })).toEqual([three, two, one])
    expect(await list({ host, no_bundle: 'true' })).toEqual([three, two])
    expect(await list({ host, no_bundle: 'false' })).toEqual([three, two, one])
    expect(await list({ host, domain: 'go.example.org' })).toEqual([three])
    expect(await list({ host, bundle, search: 'host spring' })).toEqual([one])
    expect(await list({ bundle: 999_999 })).toEqual([])
    for (const sort of ['clicks', 'updated', 'last_click']) {
      expect(await list({ sort, domain: 'go.example.org' })).toEqual([three])
      expect(await list({ sort, bundle })).toEqual([one])
    }
  })

  test('L28.3b: links that were changed since a moment, the latest change first', async () => {
    links.advance(HOUR)
    const since = links.now
    const later = async (work: () => Promise<unknown>) => {
      links.advance(10)
      await work()
    }
    const ids = [await create(), await create(), await create(), await create()] as const
    expect((await list({ updated_since: since })).toSorted(ascending)).toEqual(ids.toSorted(ascending))
    expect(await list({ updated_since: since + 1 })).toEqual([])
    await later(() => links.call('PATCH', `/links/${ids[1]}`, { key: ann, body: { label: 'New' } }))
    await later(() => links.call('POST', `/links/${ids[3]}/slugs`, { key: ann, body: { slug: 'updated-3' } }))
    await later(() => links.call('POST', '/slugs/updated-3/disable', { key: ann }))
    const behaviour = { after_url: 'https://example.com/after' }
    await later(() => links.call('PUT', `/links/${ids[0]}/behaviour`, { key: ann, body: behaviour }))
    await later(() =>
      links.call('PATCH', '/bulk/links', { key: ann, body: { ids: [ids[2]], set: { disabled: true } } }),
    )
    const order = [ids[2], ids[0], ids[3], ids[1]]
    expect(await list({ updated_since: since + 1, sort: 'updated' })).toEqual(order)
    expect((await listPages({ sort: 'updated' })).slice(0, 4)).toEqual(order)
    expect(await listPages({ sort: 'updated', updated_since: since })).toEqual(order)
    expect(await list({ updated_since: since + 40 })).toEqual([ids[2], ids[0]])
    // A request that changes nothing is no change.
    await later(() => links.call('POST', `/links/${ids[2]}/disable`, { key: ann }))
    expect(await list({ updated_since: links.now })).toEqual([])
  })

  test('L28.3c: links without clicks since a moment, and links by their last click', async () => {
    links.advance(48 * HOUR)
    const start = links.now - (links.now % HOUR)
    const before = await Promise.all([
      create({ slug: 'use-a' }),
      create({ slug: 'use-b' }),
      create({ slug: 'use-c' }),
    ])
    const [a, b, never] = before
    links.advance(HOUR)
    const isNew = await create()
    const click = (linkId: number, slug: string, clickedAt: number) =>
      recordClicks(links.url, [{ slug, linkId, clickedAt }])
    await click(a, 'use-a', start - 30 * HOUR)
    await click(a, 'use-a', start - 20 * HOUR + 600)
    await click(b, 'use-b', start - 10 * HOUR)
    const own = async (query: Record<string, string | number>) =>
      (await list(query)).filter((id) => [...before, isNew].includes(id)).toSorted(ascending)
    const moment = links.now
    expect(await own({ unused_since: moment })).toEqual([a, b, never].toSorted(ascending))
    // All these links were created after that moment.
    expect(await own({ unused_since: moment - 2 * HOUR })).toEqual([])
    await links.database.write((tx) =>
      tx
        .updateTable('link')
        .set({ created_at: start - 40 * HOUR })
        .where('id', 'in', before)
        .execute(),
    )
    expect(await own({ unused_since: start - 15 * HOUR })).toEqual([a, never].toSorted(ascending))
    expect(await own({ unused_since: start - 10 * HOUR })).toEqual([a, never].toSorted(ascending))
    expect(await own({ unused_since: start - 10 * HOUR + 1 })).toEqual([a, b, never].toSorted(ascending))
    expect(await own({ unused_since: start - 20 * HOUR + 600 })).toEqual([never])
    expect(await own({ unused_since: start - 20 * HOUR + 601 })).toEqual([a, never].toSorted(ascending))
    await links.fetch('/use-a')
    expect(await own({ unused_since: moment })).toEqual([b, never].toSorted(ascending))
    const order = [a, b]
    expect((await list({ sort: 'last_click' })).slice(0, 2)).toEqual(order)
    expect((await listPages({ sort: 'last_click' })).slice(0, 2)).toEqual(order)
    expect(new Set(await listPages({ sort: 'last_click' }))).toEqual(new Set(await list({})))
    // Without its clicks, the link was never used again.
    await links.call('DELETE', '/slugs/use-b?force=true', { key: ann })
    const unclicked = (await list({ sort: 'last_click' })).slice(1)
    expect(unclicked).toEqual((await list({})).filter((id) => id !== a))
  })

  test('L28.3: an invalid filter is refused', async () => {
    for (const [query, error] of [
      ['bundle=x', /^bundle: /],
      ['no_bundle=yes', /^no_bundle: must be one of: true, false/],
      ['updated_since=yesterday', /^updated_since: must be a whole number/],
      ['unused_since=-1', /^unused_since: must be a whole number/],
      ['updated_since=253402300800', /^updated_since: must be at most 253402300799/],
    ] as const) {
      const { status, body } = await links.call('GET', `/links?${query}`, { key: ann })
      expect([query, status, body.error]).toEqual([query, 400, expect.stringMatching(error)])
    }
    const first = await links.call('GET', '/links?limit=1&sort=updated', { key: ann })
    const path = /^<\/_\/api(.*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    for (const other of [path.replace('sort=updated', 'sort=last_click'), `${path}&host=x.example`])
      expect((await links.call('GET', other, { key: ann })).headers.get('x-error-code')).toBe(
        'cursor_invalid',
      )
  })
})
