import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { sharedTestLinks } from '../testing.ts'

const LINK_COUNT = 100_000
/** Far more than an index takes and far less than a scan of every row for every row takes. */
const TIMEOUT_MS = 7_500

eachDialect((dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    const numbers =
      dialect === 'sqlite'
        ? sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${LINK_COUNT})`
        : sql`with numbers as (select generate_series(1, ${LINK_COUNT}::bigint) as n)`
    await links.database.write(async (tx) => {
      await sql`${numbers} insert into link (id, url, url_key, label, created_via, created_by, created_at, primary_slug, search_text)
        select n, 'https://example.com/' || n, n, 'Label ' || n, 'import', 'ann@example.com', 1700000000 + n, 'bulk-' || n,
          'label ' || n || ' https://example.com/' || n || ' ann@example.com' from numbers`.execute(tx)
      await sql`${numbers} insert into slug (slug, link_id, is_custom, created_at, closed_clicks)
        select 'bulk-' || n, n, 0, 1700000000 + n, n % 7 from numbers`.execute(tx)
      if (dialect === 'postgres')
        await sql`select setval(pg_get_serial_sequence('link', 'id'), ${LINK_COUNT}::bigint)`.execute(tx)
    })
  }, 60_000)

  async function expectFast(path: string) {
    const startedMs = performance.now()
    const reply = await links.call('GET', path, { key: ann })
    expect([path, reply.status]).toEqual([path, 200])
    expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS)
    return reply
  }

  test('L24.13: with a hundred thousand links, a full page is fast by age and by clicks, with and without a range', async () => {
    for (const query of [
      '',
      '?sort=clicks',
      '?range=30d',
      '?sort=clicks&range=30d',
      '?status=active&owner=ann@example.com',
    ]) {
      const { headers, body } = await expectFast(`/links${query}`)
      expect([query, body.length, headers.get('x-total-count')]).toEqual([query, 1000, String(LINK_COUNT)])
      const next = /^<\/_\/api(.*)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
      expect((await expectFast(next)).body[0].id).not.toBe(body[0].id)
    }
  })

  test('with a hundred thousand links, one is found fast by slug, id, search or URL', async () => {
    expect((await expectFast('/slugs/BULK-77777')).body.id).toBe(77_777)
    expect((await expectFast('/links/77777?range=1y')).body.id).toBe(77_777)
    expect(
      (await expectFast('/links?search=LABEL%2077777')).body.map((link: { id: number }) => link.id),
    ).toEqual([77_777])
    expect((await links.fetch('/bulk-77777')).headers.get('location')).toBe('https://example.com/77777')
    const made = await links.createLink(ann, { url: 'https://example.com/one-more' })
    expect(made.id).toBe(LINK_COUNT + 1)
  })

  test('L28.1j: with a hundred thousand links, a thousand are created, found again and changed fast', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => ({ url: `https://bulk.example/${n}` }))
    const send = async (method: string, body: object) => {
      const startedMs = performance.now()
      const { status, body: answer } = await links.call(method, '/bulk/links', { key: ann, body })
      expect([status, answer.results.length]).toEqual([200, 1_000])
      expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS)
      return answer.results as { status: number; link: { id: number } }[]
    }
    const created = await send('POST', { mode: 'all', items })
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]))
    const again = await send('POST', { items })
    expect(again.map(({ link }) => link.id)).toEqual(created.map(({ link }) => link.id))
    await send('PATCH', { ids: created.map(({ link }) => link.id), set: { label: 'Bulk' } })
    await send('PATCH', { filter: { host: 'bulk.example' }, set: { disabled: true } })
  })

  test('with a hundred thousand links of one URL, the newest is still the duplicate', async () => {
    const { url, id } = await links.createLink(ann, { url: 'https://example.com/popular' })
    const [row] = await links.rows<{ url_key: number }>(`select url_key from link where id = ${id}`)
    await links.database.write((tx) =>
      tx
        .updateTable('link')
        .set({ url, url_key: row?.url_key ?? 0 })
        .where('id', '<=', LINK_COUNT)
        .execute(),
    )
    const startedMs = performance.now()
    const { status, body } = await links.call('POST', '/links', { key: ann, body: { url } })
    expect([status, body.id, body.duplicate_count]).toEqual([200, id, LINK_COUNT + 1])
    expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS)
  })
})
