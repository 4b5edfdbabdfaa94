import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { DESKTOP, PHONE } from './actions.ts'
import { sharedTestLinks } from './testing.ts'

const to = 'https://example.com/to'
const split = [
  { url: `${to}/a`, weight: 1 },
  { url: `${to}/b`, weight: 1, label: 'B' },
]

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })
  let count = 0
  const newLink = async (behaviour: object) => {
    const slug = `v-${++count}`
    const { id } = await links.createLink(ann, { slug })
    await setBehaviour(id, behaviour)
    return { id: id as number, slug }
  }
  const setBehaviour = (id: number, body: object) =>
    links.call('PUT', `/links/${id}/behaviour`, { key: ann, body })
  const follow = async (slug: string, userAgent: string, peer: string) =>
    (await links.fetch(`/${slug}`, { headers: { 'User-Agent': userAgent } }, peer)).headers.get('location')
  const breakdown = async (id: number, query = '') =>
    (await links.call('GET', `/links/${id}/breakdown?dimension=variant${query}`, { key: ann })).body
  const promote = (id: number, variant: string) =>
    links.call('POST', `/links/${id}/behaviour/promote`, { key: ann, body: { variant } })

  test('L26.6a: clicks are counted by the rule and the part that chose their target, and add up', async () => {
    const rules = [
      { when: { os: ['ios'] }, to: `${to}/ios` },
      { when: { os: ['macos'] }, to: { split } },
    ]
    const { id, slug } = await newLink({ rules })
    const targets: (string | null)[] = []
    for (let n = 0; n < 40; n++) {
      const peer = `198.51.100.${n}`
      for (const agent of [PHONE, DESKTOP, 'Macintosh Safari']) targets.push(await follow(slug, agent, peer))
    }
    const countOf = (path: string) => targets.filter((target) => target === `${to}/${path}`).length
    const counts = new Map([
      ['1', countOf('ios')],
      ['2.1', countOf('a')],
      ['2.2', countOf('b')],
      ['url', 40],
    ])
    const { items, total } = await breakdown(id)
    expect(total).toBe(4)
    expect(
      new Map(items.map(({ name, count: clicks }: { name: string; count: number }) => [name, clicks])),
    ).toEqual(counts)
    const sum = items.reduce((all: number, item: { count: number }) => all + item.count, 0)
    expect((await links.call('GET', `/links/${id}`, { key: ann })).body.total_clicks).toBe(sum)
    expect((await breakdown(id, '&offset=1&limit=2')).items).toEqual(items.slice(1, 3))
    // The clicks of variants add up in a window as well.
    links.advance(3600)
    await follow(slug, DESKTOP, '198.51.100.1')
    expect(
      (await breakdown(id, '&range=24h')).items.reduce(
        (all: number, item: { count: number }) => all + item.count,
        0,
      ),
    ).toBe(sum + 1)
  })

  test('L14.13 L26.6: statistics are filtered by variant, which the file of clicks has as well', async () => {
    const { id, slug } = await newLink({ rules: [{ when: { os: ['ios'] }, to: { split } }] })
    for (let n = 0; n < 9; n++) await follow(slug, n % 3 ? PHONE : DESKTOP, `198.51.100.${n}`)
    const read = async (query: string) =>
      (await links.callAdmin('GET', `/analytics?link=${id}&range=24h${query}`)).body
    const { variant } = (await read('')).breakdowns
    expect([variant.unknown, variant.total]).toEqual([3, variant.items.length])
    for (const { name, count: clicks } of [...variant.items, { name: '', count: 3 }]) {
      const { filtered, totals, breakdowns } = await read(`&variant=${name}`)
      expect([name, filtered, totals.clicks]).toEqual([name, true, clicks])
      expect(breakdowns.os.items[0]).toEqual({ name: name === '' ? 'windows' : 'ios', count: clicks })
    }
    expect((await read('&variant=1.1&variant=1.2')).totals.clicks).toBe(6)
    const { body } = await links.callAdmin('GET', `/analytics/clicks/export?link=${id}&variant=`)
    const [head, ...rows] = (body as string).trim().split(/\r?\n/)
    const at = head?.split(',').indexOf('variant') ?? -1
    expect(rows.map((row) => row.split(',')[at])).toEqual(['""', '""', '""'])
  })

  test('L26.6: a link without behaviour has only clicks of its URL, and one without clicks has none', async () => {
    const { id, slug } = await newLink({})
    expect(await breakdown(id)).toEqual({ items: [], total: 0 })
    await follow(slug, DESKTOP, '198.51.100.1')
    expect(await breakdown(id)).toEqual({ items: [{ name: 'url', count: 1 }], total: 1 })
  })

  test('L26.6b: a promoted part of the split becomes the URL of the link, and the split ends', async () => {
    const rules = [{ when: { os: ['ios'] }, to: `${to}/ios` }]
    const { id, slug } = await newLink({ rules, split, sticky: 'visit', password: 'kept' })
    const { status, body, headers } = await promote(id, '0.2')
    expect([status, body, headers.get('etag')]).toEqual([200, { rules, password: true }, '"3"'])
    const { body: link } = await links.call('GET', `/links/${id}`, { key: ann })
    expect(link.url).toBe(`${to}/b`)
    await setBehaviour(id, { rules, password: null })
    expect(await follow(slug, DESKTOP, '198.51.100.1')).toBe(`${to}/b`)
    expect(await follow(slug, PHONE, '198.51.100.1')).toBe(`${to}/ios`)
  })

  test('L26.6b: a promoted part of a rule becomes the target of the rule', async () => {
    const when = { os: ['ios'] }
    const { id } = await newLink({
      rules: [{ when, to: { split, sticky: 'visit' }, label: 'Phones' }],
      split,
    })
    const before = (await links.call('GET', `/links/${id}`, { key: ann })).body
    const { body } = await promote(id, '1.1')
    expect(body).toEqual({ rules: [{ when, to: `${to}/a`, label: 'Phones' }], split })
    expect((await links.call('GET', `/links/${id}`, { key: ann })).body).toEqual(before)
  })

  test('L26.6b: a variant that is no part of a split is refused, and so is a stranger', async () => {
    const { id } = await newLink({ rules: [{ when: { os: ['ios'] }, to }], split })
    const path = `/links/${id}/behaviour/promote`
    for (const variant of ['1', '0.3', '0.0', '1.1', '2.1', 'url', ''])
      await links.expectRefusal('POST', path, { key: ann, body: { variant } }, [
        400,
        'variant: is no part of a split of this link',
      ])
    const ben = await links.key('ben@example.com')
    await links.expectRefusal('POST', path, { key: ben, body: { variant: '0.1' } }, [
      403,
      'Only the link owner can update this link',
    ])
  })
})
