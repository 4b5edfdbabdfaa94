import { beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { clickLink } from '../actions.ts'
import { sharedTestLinks, startTestLinks } from '../testing.ts'

let count = 0
const newUrl = () => `https://example.com/bulk/${++count}`
const newItems = (length: number, fields: object = {}) =>
  Array.from({ length }, () => ({ url: newUrl(), ...fields }))

eachDialect((_dialect, newUrlOf, testOnSqlite) => {
  const links = sharedTestLinks(newUrlOf)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  const create = (items: readonly unknown[], mode?: string, key = ann) =>
    links.call('POST', '/bulk/links', { key, body: { ...(mode && { mode }), items } })
  const change = (body: object, key = ann) => links.call('PATCH', '/bulk/links', { key, body })
  const read = async (id: number) => (await links.call('GET', `/links/${id}`, { key: ann })).body
  const etag = async (id: number) =>
    (await links.call('GET', `/links/${id}`, { key: ann })).headers.get('etag')

  describe('creates', () => {
    test('L28.1b: many links in their order, each as the create of one answers', async () => {
      const slug = `first-${++count}`
      const items = [
        { url: newUrl(), slug, label: 'One' },
        { url: `${newUrl()}/` },
        { url: newUrl(), slug_length: 9 },
      ]
      const { status, body } = await create(items)
      expect(status).toBe(200)
      expect(body.results.map((result: object) => Object.keys(result))).toEqual(
        items.map(() => ['index', 'status', 'link']),
      )
      expect(body.results).toMatchObject([
        { index: 0, status: 201, link: { label: 'One', created_by: 'ann@example.com', created_via: 'api' } },
        { index: 1, status: 201, link: { url: items[1]?.url.slice(0, -1), label: null } },
        { index: 2, status: 201, link: { slugs: [{ is_custom: 0, is_primary: 1 }] } },
      ])
      expect(body.results[0].link.slugs.at(-1)).toMatchObject({ slug, is_custom: 1, is_primary: 1 })
      expect(body.results[2].link.slugs[0].slug).toHaveLength(9)
      for (const { link } of body.results) expect(await read(link.id)).toEqual(link)
    })

    test('L28.1d: with each, an item that fails leaves the others', async () => {
      const slug = `held-${++count}`
      await links.createLink(ben, { slug })
      const twice = `twice-${++count}`
      const items = [
        { url: newUrl(), slug },
        { url: newUrl(), slug: twice },
        { url: newUrl(), slug: twice },
        { url: 'nonsense' },
        'text',
        { url: newUrl(), colour: 'red' },
        { url: newUrl() },
      ]
      const { body } = await create(items, 'each')
      expect(body.results).toMatchObject([
        { index: 0, status: 409, error: 'Slug already exists', code: 'slug_taken' },
        { index: 1, status: 201 },
        { index: 2, status: 409, code: 'slug_taken' },
        { index: 3, status: 400, error: 'url must be a valid URL', code: 'url_invalid' },
        { index: 4, status: 400, error: 'request: must be a JSON object', code: 'invalid_request' },
        { index: 5, status: 400, error: 'Unknown field "colour"', code: 'unknown_field' },
        { index: 6, status: 201 },
      ])
      const urls = await links.rows<{ url: string }>(
        `select url from link where url = '${items[0]?.['url' as never]}'`,
      )
      expect(urls).toEqual([])
    })

    test('L28.1d: with all, the first failure is the answer, names its item, and leaves nothing behind', async () => {
      const slug = `held-${++count}`
      await links.createLink(ben, { slug })
      const options = (items: readonly unknown[]) => ({ key: ann, body: { mode: 'all', items } })
      const used = [...newItems(3), { url: newUrl(), slug }, ...newItems(1)]
      const { headers } = await links.expectRefusal('POST', '/bulk/links', options(used), [
        409,
        'items[3]: Slug already exists',
      ])
      expect(headers.get('x-error-code')).toBe('slug_taken')
      const invalid = [...newItems(1), { url: 'ftp://example.com' }, { url: 1 }]
      await links.expectRefusal('POST', '/bulk/links', options(invalid), [
        400,
        'items[1]: url must use http or https',
      ])
      expect((await create(newItems(5), 'all')).body.results).toHaveLength(5)
    })

    test('L28.1e: URLs that exist are reused, also those of earlier items, with their clicks', async () => {
      const slug = `clicked-${++count}`
      const { url, id } = (await create([{ url: newUrl(), slug }])).body.results[0].link
      await clickLink(links, slug)
      const fresh = newUrl()
      const items = [{ url }, { url: fresh }, { url: fresh }, { url: fresh, allow_duplicate: true }]
      const { results } = (await create(items, 'all')).body
      expect(results[0]).toMatchObject({
        status: 200,
        link: { id, duplicate: true, duplicate_count: 1, total_clicks: 1 },
      })
      expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 201, 200, 201])
      expect(results[2].link.id).toBeOneOf([results[1].link.id, results[3].link.id])
    })

    testOnSqlite('L28.1: links that would lead back to themselves are refused', async () => {
      const slug = `loop-${++count}`
      const { results } = (await create([{ url: `http://localhost:8080/${slug}`, slug }, ...newItems(1)]))
        .body
      expect(results).toMatchObject([{ status: 400, code: 'redirect_loop' }, { status: 201 }])
      expect((await links.fetch(`/${slug}`)).status).toBe(404)
    })

    test('L28.1c: 1 to 1,000 items, in a body of up to 1 MiB', async () => {
      for (const items of [[], newItems(1_001)]) expect((await create(items)).status).toBe(400)
      const long = `https://example.com/${'x'.repeat(900)}`
      const many = Array.from({ length: 1_000 }, (_, n) => ({ url: `${long}/${n}` }))
      const { status, body } = await create(many)
      expect([status, body.results.length]).toEqual([200, 1_000])
      expect(new Set(body.results.map((result: { status: number }) => result.status))).toEqual(new Set([201]))
      const tooLong = newItems(1_000, { label: 'x'.repeat(1_100) })
      expect((await create(tooLong)).status).toBe(413)
    })

    testOnSqlite('L28.1 L28.2: a repeated bulk request with a key creates nothing again', async () => {
      const options = {
        key: ann,
        headers: { 'Idempotency-Key': `bulk-${++count}` },
        body: { items: newItems(20) },
      }
      const replies = await Promise.all([1, 2, 3].map(() => links.call('POST', '/bulk/links', options)))
      expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect(replies[0]?.body.results.every(({ status }: { status: number }) => status === 201)).toBe(true)
    })

    test('L28.1: equal bulk requests at once create each link once', async () => {
      const items = newItems(50)
      const replies = await Promise.all(
        [0, 1, 2, 3].map((n) => create(n % 2 === 0 ? items : items.toReversed())),
      )
      const ids = replies.map(({ body }) =>
        body.results.map(({ link }: { link: { id: number } }) => link.id).toSorted(),
      )
      expect(new Set(ids.map(String)).size).toBe(1)
    })
  })

  describe('changes', () => {
    const idsOf = async (items: readonly unknown[], key = ann): Promise<number[]> =>
      (await create(items, 'all', key)).body.results.map(({ link }: { link: { id: number } }) => link.id)

    test('L28.1a: label, expiry, state and bundle of many links', async () => {
      const ids = await idsOf(newItems(3))
      const bundle = (await links.call('POST', '/bundles', { key: ann, body: { name: 'Many' } })).body.id
      const expires_at = links.now + 3_600
      const set = { label: 'Autumn', expires_at, disabled: true, bundle }
      const { status, body } = await change({ ids: ids.toReversed(), set })
      expect(status).toBe(200)
      expect(body.results).toMatchObject(
        ids.toReversed().map((id, index) => ({
          index,
          status: 200,
          link: { id, label: 'Autumn', expires_at, disabled_at: links.now },
        })),
      )
      const members = await links.call('GET', `/bundles/${bundle}/links`, { key: ann })
      expect(new Set(members.body.map(({ id }: { id: number }) => id))).toEqual(new Set(ids))
      expect(members.body[0]).toEqual(await read(members.body[0].id))
      await change({ ids, set: { label: null, expires_at: null, disabled: false } })
      expect(await read(ids[0] ?? 0)).toMatchObject({ label: null, expires_at: null, disabled_at: null })
      expect((await links.call('GET', '/links?search=autumn', { key: ann })).body).toEqual([])
    })

    testOnSqlite(
      'L28.1f L25.3: one write raises the version once, and a link that has the state keeps it',
      async () => {
        const [one = 0, other = 0] = await idsOf(newItems(2))
        await change({ ids: [one], set: { disabled: true, label: 'x' } })
        expect([await etag(one), await etag(other)]).toEqual(['"2"', '"1"'])
        links.advance(10)
        await change({ ids: [one, other], set: { disabled: true } })
        expect([await etag(one), await etag(other)]).toEqual(['"2"', '"2"'])
      },
    )

    testOnSqlite(
      'L28.1: links of others are refused, missing ones too, and anyone adds links to a bundle',
      async () => {
        const [own = 0] = await idsOf(newItems(1))
        const [foreign = 0] = await idsOf(newItems(1), ben)
        const ids = [foreign, own, 999_999_999, own]
        expect((await change({ ids, set: { label: 'mine' } })).body.results).toMatchObject([
          {
            index: 0,
            status: 403,
            error: 'Only the link owner can update this link',
            code: 'not_owner_update',
          },
          { index: 1, status: 200, link: { id: own } },
          { index: 2, status: 404, error: 'Link not found', code: 'link_not_found' },
          { index: 3, status: 200, link: { id: own } },
        ])
        for (const [disabled, code] of [
          [true, 'not_owner_disable'],
          [false, 'not_owner_enable'],
        ] as const)
          expect((await change({ ids: [foreign], set: { disabled } })).body.results).toMatchObject([{ code }])
        expect(await read(foreign)).toMatchObject({ label: null, disabled_at: null })
        const bundle = (await links.call('POST', '/bundles', { key: ben, body: { name: 'Bens' } })).body.id
        expect((await change({ ids: [own, foreign], set: { bundle } })).body.results).toMatchObject([
          { status: 200 },
          { status: 200 },
        ])
        await links.expectRefusal(
          'PATCH',
          '/bulk/links',
          { key: ann, body: { ids: [own], set: { bundle: 999_999 } } },
          [404, 'Bundle not found'],
        )
      },
    )

    test('L28.1g: all links that match a filter', async () => {
      const host = `host-${++count}.example`
      const ids = await idsOf(
        ['red', 'green', 'blue'].map((label) => ({ url: `https://${host}/${label}`, label })),
      )
      const foreign = await idsOf([{ url: `https://${host}/4` }], ben)
      const { body } = await change({ filter: { host, search: 'green' }, set: { disabled: true } })
      expect(body.results).toMatchObject([{ index: 0, status: 200, link: { id: ids[1] } }])
      const rest = await change({ filter: { host, status: 'active' }, set: { label: 'rest' } })
      expect(rest.body.results.map(({ status }: { status: number }) => status).toSorted()).toEqual([
        200, 200, 403,
      ])
      expect((await read(foreign[0] ?? 0)).label).toBeNull()
      const own = await change({ filter: { host, owner: 'ann@example.com' }, set: { disabled: true } })
      expect(own.body.results).toHaveLength(3)
      expect((await change({ filter: { host: 'nowhere.example' }, set: { label: 'x' } })).body).toEqual({
        results: [],
      })
    })

    testOnSqlite('L28.1a: either ids or a filter, and something to change', async () => {
      const [id = 0] = await idsOf(newItems(1))
      const refusals: [body: object, error: string][] = [
        [{ set: { label: 'x' } }, 'request: must have either ids or filter'],
        [{ ids: [id], filter: {}, set: { label: 'x' } }, 'request: must have either ids or filter'],
        [{ ids: [id], set: {} }, 'set: must change something'],
        [{ ids: [id] }, 'set: is required'],
        [{ ids: [id], set: { colour: 'red' } }, 'Unknown field "set.colour"'],
        [{ ids: [id], set: { delete: true } }, 'Unknown field "set.delete"'],
        [{ filter: { colour: 'red' }, set: { label: 'x' } }, 'Unknown field "filter.colour"'],
        [{ ids: [], set: { label: 'x' } }, 'ids: must be at least 1'],
        [{ ids: Array.from({ length: 1_001 }, () => id), set: { label: 'x' } }, 'ids: must be at most 1000'],
      ]
      for (const [body, error] of refusals)
        await links.expectRefusal('PATCH', '/bulk/links', { key: ann, body }, [400, error])
    })
  })

  testOnSqlite('L28.1h: n items count as 1 + n/10 requests, rounded up', async () => {
    const limited = await startTestLinks(await newUrlOf(), { LINKS_RATE_LIMIT: '10/hour' })
    const key = await limited.key('ann@example.com')
    const send = (items: number) =>
      limited.call('POST', '/bulk/links', { key, body: { items: newItems(items) } })
    const remaining = async (items: number) => {
      const { status, headers } = await send(items)
      return [status, headers.get('ratelimit-remaining')]
    }
    expect(await remaining(91)).toEqual([400, '9'])
    expect(await remaining(11)).toEqual([200, '6'])
    expect(await remaining(60)).toEqual([429, '5'])
    expect(await limited.rows('select id from link')).toHaveLength(11)
    expect(await remaining(40)).toEqual([200, '0'])
  })
})
