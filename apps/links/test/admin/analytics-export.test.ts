import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { PHONE, clickLink } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  const create = (body: Record<string, unknown>) => links.callAdmin('POST', '/links', { body })
  const read = async (path: string) => (await links.callAdmin('GET', path)).body
  const readText = async (path: string) => {
    const response = await links.fetch(`/_/admin/api${path}`)
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toStartWith('attachment; filename="latchkey-')
    return (await response.text()).trimEnd().split('\r\n')
  }

  test('L14.14: values are found by their words, links also by label and URL, with and without filters', async () => {
    await create({ url: 'https://shop.example/winter/coats', slug: 'coats', label: 'Warm coats' })
    await create({ url: 'https://shop.example/summer', slug: 'hats', label: 'Sun hats' })
    for (const slug of ['coats', 'coats', 'hats'])
      await clickLink(links, slug, { Referer: `https://${slug}.example.org/` })
    const slugsOf = async (query: string) => {
      const { items, total } = await read(`/analytics/breakdown?dimension=link&${query}`)
      expect(total).toBeGreaterThanOrEqual(items.length)
      return items.map(({ slug }: { slug: string }) => slug)
    }
    for (const filter of ['', '&device=desktop']) {
      expect(await slugsOf(`search=WARM${filter}`)).toEqual(['coats'])
      expect(await slugsOf(`search=shop+winter${filter}`)).toEqual(['coats'])
      expect(await slugsOf(`search=shop${filter}`)).toEqual(['coats', 'hats'])
      expect(await slugsOf(`search=shop&offset=1${filter}`)).not.toContain('coats')
      expect(await slugsOf(`search=nothing${filter}`)).toEqual([])
      const hosts = await read(`/analytics/breakdown?dimension=referrer_host&search=hats${filter}`)
      expect(hosts).toEqual({ items: [{ name: 'hats.example.org', count: 1 }], total: 1, unknown: 0 })
    }
  })

  test('L14.14: a breakdown is a file without formulas, also of filtered clicks', async () => {
    const { body } = await create({ url: 'https://example.com/sum', slug: 'sum', label: '=1+1' })
    await clickLink(links, 'sum')
    await clickLink(links, 'sum', { 'User-Agent': PHONE })
    const of = `link=${body.id}`
    expect(await readText(`/analytics/breakdown/export?dimension=link&${of}`)).toEqual([
      'slug,label,url,clicks',
      `"sum","'=1+1","https://example.com/sum","2"`,
    ])
    expect(await readText(`/analytics/breakdown/export?dimension=device&${of}`)).toEqual([
      'device,clicks',
      '"desktop","1"',
      '"mobile","1"',
    ])
    expect(await readText(`/analytics/breakdown/export?dimension=browser&device=mobile&${of}`)).toEqual([
      'browser,clicks',
      '"Safari","1"',
    ])
  })

  test('L14.14: raw clicks are a file, oldest first, of the clicks that pass the filters', async () => {
    const { body } = await create({ url: 'https://example.com/raw', slug: 'raw' })
    await clickLink(links, 'raw', { Referer: 'https://example.org/page' })
    links.advance(10)
    await clickLink(links, 'raw', { 'User-Agent': PHONE })
    await create({ url: 'https://example.com/other', slug: 'other-raw' })
    await clickLink(links, 'other-raw')
    const rows = async (query: string) => (await readText(`/analytics/clicks/export?${query}`)).slice(1)
    const all = await rows(`link=${body.id}`)
    expect(all.map((row) => row.split(',').slice(1, 3))).toEqual([
      [`"${body.id}"`, '"raw"'],
      [`"${body.id}"`, '"raw"'],
    ])
    expect(all[0]).toContain('"https://example.org/page","desktop"')
    expect(all.toSorted()).toEqual(all)
    expect(await rows(`link=${body.id}&device=mobile`)).toEqual(all.slice(1))
    expect(await rows(`slug=other-raw`)).toHaveLength(1)
    expect(await rows(`link=${body.id}&to=${links.now - 5}&from=${links.now - 60}`)).toEqual(all.slice(0, 1))
    const [head] = await readText(`/analytics/clicks/export?link=${body.id}`)
    expect(head).not.toMatch(/visitor|ip|address|agent/)
  })
})
