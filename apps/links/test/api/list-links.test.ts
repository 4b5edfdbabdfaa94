import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { listLinkIds, listLinks } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

interface ListedLink {
  id: number
  created_at: number
  total_clicks: number
}

function nextOf(headers: Headers): string | undefined {
  return /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
}

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  const list = (query: Record<string, string | number> = {}) => listLinks(links, ann, query)
  const listIds = (query: Record<string, string | number>) => listLinkIds(links, ann, query)

  /** Reads all pages from the first one. `between` runs after each. */
  async function walk(
    query: Record<string, string | number>,
    between = async () => {},
  ): Promise<ListedLink[]> {
    const listed: ListedLink[] = []
    let { status, headers, body } = await list(query)
    for (;;) {
      expect(status).toBe(200)
      listed.push(...body)
      const next = nextOf(headers)
      if (next === undefined) return listed
      expect(body).toHaveLength(Number(query['limit']))
      await between()
      ;({ status, headers, body } = await links.call('GET', next.replace('/_/api', ''), { key: ann }))
    }
  }

  test('L6 L6.7a: the list is a bare array of links as single reads return them, newest first, with their number', async () => {
    const first = await links.createLink(ann, { slug: 'l-first', label: 'First' })
    const second = await links.createLink(ben)
    links.advance(1)
    const third = await links.createLink(ann)
    const { status, headers, body } = await list()
    expect([status, body]).toEqual([200, [third, second, first]])
    expect([headers.get('x-total-count'), headers.get('link')]).toEqual(['3', null])
  })

  test('L6.7: owner selects the links of exactly this identity; an empty owner selects all', async () => {
    const carl = await links.key('Carl@example.com')
    const { id } = await links.createLink(carl)
    expect(await listIds({ owner: 'Carl@example.com' })).toEqual([id])
    expect(await listIds({ owner: 'carl@example.com' })).toEqual([])
    expect(await listIds({ owner: 'Carl' })).toEqual([])
    expect(await listIds({ owner: '' })).toHaveLength((await listIds({})).length)
  })

  test('an impossible owner causes no fault', async () => {
    for (const owner of ['\0', 'a\0b', '%', '_', "'; drop table link; --", '\ud800', '🎈'.repeat(3000)]) {
      const { status, body } = await list({ owner })
      if (status === 200) expect(body).toEqual([])
      else expect([status, body.error]).toEqual([400, expect.stringMatching(/^owner: /)])
    }
  })

  test('the filters apply together, and X-Total-Count is the number of matches', async () => {
    const erik = await links.key('erik@example.com')
    const active = await links.createLink(erik, { label: 'combined one' })
    const off = await links.createLink(erik, { label: 'combined two' })
    await links.createLink(ann, { label: 'combined three' })
    await links.call('POST', `/links/${off.id}/disable`, { key: erik })
    const query = { owner: 'erik@example.com', search: 'combined' }
    expect(await listIds(query)).toEqual([off.id, active.id])
    expect(await listIds({ ...query, status: 'active' })).toEqual([active.id])
    const { headers, body } = await list({ ...query, status: 'all', limit: 1 })
    expect([headers.get('x-total-count'), body.length]).toEqual(['2', 1])
  })

  test('every bad value is 400 with the name of its field, and unknown keys are ignored', async () => {
    const bad: [Record<string, string>, string][] = [
      [{ range: '5d' }, 'range: must be one of: 24h, 7d, 30d, 90d, 1y, all'],
      [{ range: '' }, 'range: must be one of: 24h, 7d, 30d, 90d, 1y, all'],
      [{ status: 'gone' }, 'status: must be one of: active, disabled, expired, all'],
      [{ sort: 'label' }, 'sort: must be one of: created, clicks, updated, last_click'],
      [{ limit: '0' }, 'limit: must be at least 1'],
      [{ limit: '1001' }, 'limit: must be at most 1000'],
      [{ limit: '-5' }, 'limit: must be at least 1'],
      [{ limit: '2.5' }, 'limit: must be a whole number'],
      [{ limit: 'ten' }, 'limit: must be a whole number'],
      [{ limit: '' }, 'limit: must be a whole number'],
      [{ search: 'a\0b' }, 'search: must be well-formed Unicode without NUL'],
    ]
    for (const [query, error] of bad) {
      const { status, body } = await list(query)
      expect([query, status, body]).toEqual([query, 400, { error }])
    }
    expect((await list({ colour: 'red', page: 'x', __proto__: 'x' })).status).toBe(200)
  })

  test('the first value of a repeated query key counts', async () => {
    const { body } = await links.call('GET', '/links?limit=1&limit=2', { key: ann })
    expect(body).toHaveLength(1)
  })

  test('pages by age return every link once, in order, with the total', async () => {
    const whole = (await list()).body
    const paged = await walk({ limit: 3 })
    expect(paged).toEqual(whole)
    expect((await list({ limit: 3 })).headers.get('x-total-count')).toBe(String(whole.length))
  })

  test('the next page belongs to the same list, also if the search contains a question mark', async () => {
    for (let made = 0; made < 3; made++) await links.createLink(ann, { label: 'why? who knows' })
    const { headers } = await links.call('GET', '/links?search=why?+who&limit=2', { key: ann })
    const next = new URL(nextOf(headers) ?? '', 'http://localhost').searchParams
    expect([next.get('search'), next.get('limit')]).toEqual(['why? who', '2'])
  })

  test('L6.7c: pages by age neither skip nor repeat links while others add and delete some', async () => {
    const lasting = await listIds({})
    const passing = await links.createLink(ann)
    const listed = await walk({ limit: 4 }, async () => {
      await links.createLink(ben)
      links.advance(1)
      await links.createLink(ben)
      await links.call('DELETE', `/links/${passing.id}`, { key: ann })
    })
    const remaining = listed.map((link) => link.id).filter((id) => lasting.includes(id))
    expect(remaining).toEqual(lasting)
    expect(new Set(listed.map((link) => link.id)).size).toBe(listed.length)
  })

  test('the last page has no next one, full or not', async () => {
    const { length } = (await list()).body
    expect(nextOf((await list({ limit: length })).headers)).toBeUndefined()
    expect(nextOf((await list({ limit: length - 1 })).headers)).toBeDefined()
    expect(nextOf((await list({ search: 'nothing has this' })).headers)).toBeUndefined()
  })

  test('the link to the next page keeps the other parameters', async () => {
    const next = new URL(
      nextOf((await list({ owner: 'ann@example.com', limit: 1 })).headers) ?? '',
      'http://x',
    )
    expect(next.pathname).toBe('/_/api/links')
    expect(next.searchParams.get('owner')).toBe('ann@example.com')
    expect(next.searchParams.get('limit')).toBe('1')
  })

  test('L6.7b: a cursor continues with another limit, and is 400 with any other parameter changed', async () => {
    const query = {
      owner: 'ann@example.com',
      search: 'example',
      sort: 'created',
      status: 'all',
      range: '7d',
      limit: 2,
    }
    const whole = await listIds({ ...query, limit: 1000 })
    const next = new URL(nextOf((await list(query)).headers) ?? '', 'http://x')
    const cursor = next.searchParams.get('cursor') ?? ''
    expect(await listIds({ ...query, cursor, limit: 1000 })).toEqual(whole.slice(2))
    expect(await listIds({ ...query, cursor, limit: 1 })).toEqual(whole.slice(2, 3))
    const others = {
      owner: 'ben@example.com',
      search: 'exampl',
      sort: 'clicks',
      status: 'active',
      range: '24h',
    }
    for (const [name, value] of Object.entries(others)) {
      const { status, body } = await list({ ...query, cursor, [name]: value })
      expect([name, status, body.error]).toEqual([name, 400, expect.stringContaining('cursor')])
    }
    const { range: _, ...without } = query
    expect((await list({ ...without, cursor })).status).toBe(400)
  })

  test('an invented or damaged cursor is 400 with its name', async () => {
    const cursor = new URL(nextOf((await list({ limit: 1 })).headers) ?? '', 'http://x').searchParams.get(
      'cursor',
    )
    const forged = Buffer.from('0.1.2').toString('base64url')
    for (const bad of [
      '',
      'x',
      '0',
      '🎈',
      `${cursor}AAAA`,
      forged,
      cursor?.slice(4) ?? '',
      'A'.repeat(5000),
    ]) {
      const { status, body } = await list({ cursor: bad })
      expect([bad, status, body.error]).toEqual([bad, 400, expect.stringContaining('cursor')])
    }
  })

  test('by clicks, the link with the largest number comes first, then the newest, also across pages', async () => {
    const made = []
    for (const clicks of [1, 0, 3, 1]) {
      const link = await links.createLink(ann, { label: 'clicked-list', slug: `c-${made.length}` })
      for (let click = 0; click < clicks; click++) await links.fetch(`/c-${made.length}`)
      made.push(link.id)
    }
    const expected = [made[2], made[3], made[0], made[1]]
    const query = { search: 'clicked-list', sort: 'clicks' }
    expect(await listIds(query)).toEqual(expected)
    for (const limit of [1, 2, 3])
      expect((await walk({ ...query, limit })).map((link) => link.id)).toEqual(expected)
    expect((await walk({ ...query, limit: 1 })).map((link) => link.total_clicks)).toEqual([3, 1, 1, 0])
  })

  test('by clicks with a range, only the clicks in that window count', async () => {
    const old = await links.createLink(ann, { label: 'ranked-list', slug: 'old-hit' })
    for (let click = 0; click < 3; click++) await links.fetch('/old-hit')
    links.advance(8 * 86_400)
    const fresh = await links.createLink(ann, { label: 'ranked-list', slug: 'new-hit' })
    await links.fetch('/new-hit')
    const query = { search: 'ranked-list', sort: 'clicks' }
    expect(await listIds(query)).toEqual([old.id, fresh.id])
    expect(await listIds({ ...query, range: '7d' })).toEqual([fresh.id, old.id])
    expect((await walk({ ...query, range: '7d', limit: 1 })).map((link) => link.total_clicks)).toEqual([1, 0])
    expect(await listIds({ ...query, range: '30d' })).toEqual([old.id, fresh.id])
  })
})
