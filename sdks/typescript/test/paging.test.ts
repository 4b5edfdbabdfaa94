import { describe, expect, test } from 'bun:test'
import { FakeService, type FakeAnswer, failureOf } from '../../testing/fake-service.ts'
import { LinksClient } from '../src/index.ts'
import { nextCursor } from '../src/paging.ts'

const clientOf = (service: FakeService) => new LinksClient({ baseUrl: service.url, apiKey: 'sk_test' })

const page = (ids: readonly number[], cursor?: string): FakeAnswer => ({
  headers: {
    'x-total-count': '3',
    ...(cursor !== undefined && { link: `</_/api/links?limit=2&cursor=${cursor}>; rel="next"` }),
  },
  body: ids.map((id) => ({ id })),
})

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

describe('a list', () => {
  test('is returned as one page with the total and the cursor of the next page', async () => {
    const service = new FakeService(page([1, 2], 'a%2Bb'), page([3]))
    const first = await clientOf(service).links.list({ limit: 2 })
    expect([first.items.map(({ id }) => id), first.total, first.nextCursor]).toEqual([[1, 2], 3, 'a+b'])
    const last = await clientOf(service).links.list({ limit: 2, cursor: first.nextCursor })
    expect(last.nextCursor).toBeUndefined()
    expect(service.requests[1]?.path).toBe('/_/api/links?limit=2&cursor=a%2Bb')
  })

  test('is iterated over all pages with the same parameters', async () => {
    const service = new FakeService(page([1, 2], 'x'), page([3]))
    const links = await all(clientOf(service).bundles.listAllLinks(9, { limit: 2 }))
    expect(links.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/_/api/bundles/9/links?limit=2',
      '/_/api/bundles/9/links?limit=2&cursor=x',
    ])
  })

  test('is loaded only as far as it is consumed', async () => {
    const service = new FakeService(page([1, 2], 'x'))
    for await (const { id } of clientOf(service).links.listAll()) if (id === 2) break
    expect(service.requests).toHaveLength(1)
  })

  test('without cursors is iterated by offset', async () => {
    const items = (...names: string[]) => names.map((name) => ({ name, count: 1 }))
    const service = new FakeService(
      { body: { items: items('SE', 'ID'), total: 3 } },
      { body: { items: items('DE'), total: 3 } },
      { body: { items: [], total: 3 } },
    )
    const query = { dimension: 'countries', limit: 2 } as const
    const collected = await all(clientOf(service).links.breakdownAll(4, query))
    expect(collected.map(({ name }) => name)).toEqual(['SE', 'ID', 'DE'])
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/_/api/links/4/breakdown?dimension=countries&limit=2&offset=0',
      '/_/api/links/4/breakdown?dimension=countries&limit=2&offset=2',
    ])
    expect(await all(clientOf(service).bundles.breakdownAll(4, { ...query, offset: -3 }))).toEqual([])
  })

  test('that fails on a later page yields the earlier items, then throws', async () => {
    const service = new FakeService(page([1], 'x'), { status: 404, body: { error: 'Not Found' } })
    const collected: number[] = []
    const walk = async () => {
      for await (const { id } of clientOf(service).links.listAll()) collected.push(id)
    }
    expect(await failureOf(walk())).toMatchObject({ status: 404 })
    expect(collected).toEqual([1])
  })
})

test('the next cursor is undefined without a next page', () => {
  expect(nextCursor('<https://go.example.com/_/api/links?cursor=c1&limit=2>; rel="next"')).toBe('c1')
  for (const header of [null, '', '</x?cursor=c>; rel="prev"', '</x>; rel="next"'])
    expect(nextCursor(header)).toBeUndefined()
})
