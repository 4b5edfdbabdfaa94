import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { clickLink } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  const ids: number[] = []
  beforeAll(async () => {
    for (let n = 0; n < 7; n++) {
      const { body } = await links.callAdmin('POST', '/links', {
        body: { url: `https://example.com/${n}`, slug: `page-${n}` },
      })
      ids.unshift(body.id)
      links.advance(1)
    }
    for (const n of [2, 2, 2, 5]) await clickLink(links, `page-${n}`)
  })
  const page = async (query: string) => {
    const { status, headers, body } = await links.callAdmin('GET', `/links?${query}`)
    const number = (name: string) => Number(headers.get(name) ?? Number.NaN)
    const items = status === 200 ? body.map(({ id }: { id: number }) => id) : body.error
    return { status, items, numbers: [number('x-page'), number('x-per-page'), number('x-total-count')] }
  }

  test('L17: a list has numbered pages and states the number of the current page', async () => {
    expect(await page('page=1&per_page=3')).toEqual({
      status: 200,
      items: ids.slice(0, 3),
      numbers: [1, 3, 7],
    })
    expect(await page('page=2&per_page=3')).toEqual({
      status: 200,
      items: ids.slice(3, 6),
      numbers: [2, 3, 7],
    })
    expect(await page('page=3&per_page=3')).toEqual({ status: 200, items: ids.slice(6), numbers: [3, 3, 7] })
    expect((await page('per_page=7')).numbers).toEqual([1, 7, 7])
    expect(await page('page=1')).toEqual({ status: 200, items: ids, numbers: [1, 25, 7] })
  })

  test('L17: a page past the end is the last page, and an empty list has page 1', async () => {
    expect(await page('page=4&per_page=3')).toEqual({ status: 200, items: ids.slice(6), numbers: [3, 3, 7] })
    expect((await page('page=999999999&per_page=100')).numbers).toEqual([1, 100, 7])
    expect(await page('page=5&search=nothing-like-it')).toEqual({
      status: 200,
      items: [],
      numbers: [1, 25, 0],
    })
  })

  test('numbered pages follow the filters and the order of the list', async () => {
    const [popular, second] = await Promise.all([
      page('sort=clicks&page=1&per_page=1'),
      page('sort=clicks&page=2&per_page=1'),
    ])
    expect([popular.items, second.items]).toEqual([[ids[4]], [ids[1]]])
    expect(await page('search=page-3&page=1&per_page=5')).toMatchObject({
      items: [ids[3]],
      numbers: [1, 5, 1],
    })
  })

  test('a page or page size out of bounds is refused by name', async () => {
    for (const [query, field] of [
      ['page=0', 'page'],
      ['page=-1', 'page'],
      ['page=x', 'page'],
      ['per_page=0', 'per_page'],
      ['per_page=101', 'per_page'],
      ['page=1.5', 'page'],
    ] as const)
      expect([query, await page(query)]).toMatchObject([
        query,
        { status: 400, items: expect.stringMatching(new RegExp(`^${field}: `)) },
      ])
  })

  test('without a page number, the list pages by cursor like the public API', async () => {
    const { body, headers } = await links.callAdmin('GET', '/links?limit=5')
    expect([body.length, headers.get('x-page'), headers.get('x-total-count')]).toEqual([5, null, '7'])
    const next = /<\/_\/admin\/api(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
    expect((await links.callAdmin('GET', next)).body.map(({ id }: { id: number }) => id)).toEqual(
      ids.slice(5),
    )
  })

  test('the public API has no page numbers', async () => {
    const key = await links.key('ann@example.com', 'read')
    const { body, headers } = await links.call('GET', '/links?page=2&per_page=3', { key })
    expect([body.length, headers.get('x-page')]).toEqual([7, null])
    expect((await links.call('GET', '/links?page=x', { key })).status).toBe(200)
  })

  test('L17: bundles with no range or an unknown one use the default range of the person', async () => {
    const bundle = (await links.callAdmin('POST', '/bundles', { body: { name: 'Ranges' } })).body
    const buckets = async (path: string) => {
      const { status, body } = await links.callAdmin('GET', path)
      const [items] = Array.isArray(body) ? body : [body]
      return [status, items.sparkline.length]
    }
    for (const [choice, length] of [
      [null, 31],
      ['24h', 25],
      ['7d', 8],
    ] as const) {
      await links.callAdmin('PUT', '/settings', { body: { default_range: choice } })
      for (const path of ['/bundles', `/bundles/${bundle.id}`])
        for (const query of ['', '?range=', '?range=5d', '?range=ALL'])
          expect([path, query, await buckets(path + query)]).toEqual([path, query, [200, length]])
      expect(await buckets('/bundles?range=90d')).toEqual([200, 91])
    }
    const key = await links.key('admin@localhost', 'read')
    expect((await links.call('GET', '/bundles?range=5d', { key })).status).toBe(400)
    expect((await links.call('GET', `/bundles/${bundle.id}`, { key })).body.sparkline).toEqual([])
  })

  test('L17: lists and links without a range are lifetime, and an unknown range is refused', async () => {
    await links.callAdmin('PUT', '/settings', {
      body: { default_range: '24h', filter_bots: false, filter_self_referrers: false },
    })
    links.advance(2 * 86_400)
    const old = ids[4]
    for (const path of [`/links/${old}`, '/slugs/page-2', '/links?search=page-2']) {
      const { body } = await links.callAdmin('GET', path)
      const [link] = Array.isArray(body) ? body : [body]
      expect([path, link.total_clicks, 'delta_pct' in link]).toEqual([path, 3, false])
      const mark = path.includes('?') ? '&' : '?'
      expect((await links.callAdmin('GET', `${path}${mark}range=5d`)).status).toBe(400)
    }
  })

  test('L17.6: bundles are found by words of their name, and sorted by name and by clicks', async () => {
    for (const [name, slug] of [
      ['Winter sale 26', 'page-5'],
      ['spring SALE 26', 'page-2'],
      ['Åre 26', undefined],
    ] as const) {
      const { body } = await links.callAdmin('POST', '/bundles', { body: { name } })
      const link = slug && (await links.callAdmin('GET', `/links?search=${slug}`)).body[0].id
      if (link) await links.callAdmin('POST', `/bundles/${body.id}/links`, { body: { link_id: link } })
      links.advance(1)
    }
    const list = async (query: string, search = '26') => {
      const path = `/bundles?range=30d&search=${search}&${query}`
      const { status, headers, body } = await links.callAdmin('GET', path)
      expect(status).toBe(200)
      return [headers.get('x-total-count'), ...body.map(({ name }: { name: string }) => name)]
    }
    expect(await list('')).toEqual(['3', 'Åre 26', 'spring SALE 26', 'Winter sale 26'])
    expect(await list('sort=name&limit=2')).toEqual(['3', 'Åre 26', 'spring SALE 26'])
    expect(await list('sort=clicks&limit=1')).toEqual(['3', 'spring SALE 26'])
    expect(await list('sort=clicks&limit=1&page=2')).toEqual(['3', 'Winter sale 26'])
    expect(await list('sort=clicks&limit=2&page=9')).toEqual(['3', 'Åre 26'])
    expect(await list('', '26+SALE+win')).toEqual(['1', 'Winter sale 26'])
    expect(await list('sort=clicks', 'nothing')).toEqual(['0'])
    expect((await links.callAdmin('GET', '/bundles?sort=size')).status).toBe(400)
    const key = await links.key('ann@example.com')
    const all = (await links.call('GET', '/bundles', { key })).body
    expect((await links.call('GET', '/bundles?search=nothing&sort=name', { key })).body).toEqual(all)
  })
})
