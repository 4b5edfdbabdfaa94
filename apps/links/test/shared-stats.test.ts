import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DESKTOP, PHONE, type StoredClick, recordClicks } from './actions.ts'
import { BOT } from './test-database.ts'
import { sharedTestLinks } from './testing.ts'

const OWNER = { 'X-Forwarded-Email': 'owner@example.com' }
const OTHER = { 'X-Forwarded-Email': 'other@example.com' }
const settings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
  LINKS_BASE_URL: 'https://go.example.com',
}
const STRANGER = '203.0.113.5'

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, settings)
  const limited = sharedTestLinks(newUrl, { ...settings, LINKS_RATE_LIMIT: '3/hour' })

  const admin = async (method: string, path: string, body?: unknown, headers = OWNER, service = links) =>
    (await service.callAdmin(method, path, { headers, ...(body !== undefined && { body }) })).body
  const createLink = async (slug: string, fields: object = {}): Promise<number> =>
    (await admin('POST', '/links', { url: `https://secret.example/${slug}/destination`, slug, ...fields })).id
  const share = async (path: string, service = links): Promise<string> =>
    new URL((await admin('POST', `${path}/share`, undefined, OWNER, service)).url).pathname
  const createBundle = async (name: string, ids: readonly number[]) => {
    const { id } = await admin('POST', '/bundles', { name })
    for (const link_id of ids) await admin('POST', `/bundles/${id}/links`, { link_id })
    return id as number
  }
  /** Opens a page as a visitor from elsewhere who is not signed in. */
  const open = (path: string, headers: Record<string, string> = {}) =>
    links.fetch(path, { headers }, STRANGER)
  const read = async (path: string, headers?: Record<string, string>) => (await open(path, headers)).text()
  /** The text of a page, and its words in a line. */
  const textOf = (html: string) =>
    html
      .replace(/<style>.*?<\/style>/s, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
  const record = (linkId: number, slug: string, ...clicks: Partial<StoredClick>[]) =>
    recordClicks(
      links.url,
      clicks.map((click) => ({ linkId, slug, clickedAt: links.now - 3600, ...click })),
    )

  describe('the address of shared statistics', () => {
    test('L41.1, L41.1c: is created by the owner with 192 random bits, of which only a hash is stored', async () => {
      const id = await createLink('created')
      const path = `/links/${id}/share`
      expect(await admin('GET', path)).toEqual({ created_at: null })
      const created = await links.callAdmin('POST', path, { headers: OWNER })
      expect([created.status, created.body]).toEqual([
        201,
        {
          url: expect.stringMatching(/^https:\/\/go\.example\.com\/_\/stats\/[\w-]{32}$/),
          created_at: links.now,
        },
      ])
      expect(await admin('GET', path)).toEqual({ created_at: links.now })
      const secret = (created.body.url as string).slice(-32)
      expect(JSON.stringify(await links.databaseState())).not.toContain(secret)
      expect(JSON.stringify(links.log)).not.toContain(secret)
      expect((await open(`/_/stats/${secret}`)).status).toBe(200)
    })

    test('L41.1a, L41.1b: is replaced and revoked by the owner at once, and only by the owner', async () => {
      for (const path of [
        `/links/${await createLink('rotated')}`,
        `/bundles/${await createBundle('Rotated', [])}`,
      ]) {
        const first = await share(path)
        for (const method of ['POST', 'DELETE']) {
          const refused = await links.callAdmin(method, `${path}/share`, { headers: OTHER })
          const kind = path.startsWith('/links') ? 'link' : 'bundle'
          expect([refused.status, refused.body.code]).toEqual([403, `not_owner_${kind}_share`])
        }
        expect((await open(first)).status).toBe(200)
        const second = await share(path)
        expect([(await open(first)).status, (await open(second)).status]).toEqual([404, 200])
        expect(await admin('DELETE', `${path}/share`)).toEqual({ revoked: true })
        expect(await admin('DELETE', `${path}/share`)).toEqual({ revoked: false })
        expect((await open(second)).status).toBe(404)
        expect(await admin('GET', `${path}/share`)).toEqual({ created_at: null })
      }
    })

    test('L41.1d: ends with its link or bundle', async () => {
      const [link, bundle] = [await createLink('deleted'), await createBundle('Deleted', [])]
      const pages = [await share(`/links/${link}`), await share(`/bundles/${bundle}`)]
      await admin('DELETE', `/links/${link}`)
      await admin('DELETE', `/bundles/${bundle}`)
      for (const page of pages) expect((await open(page)).status).toBe(404)
    })

    testOnSqlite(
      'L41.2: that is unknown, revoked or malformed gets the page of any unknown path',
      async () => {
        const expected = await read('/_/nothing')
        const page = await share(`/links/${await createLink('near')}`)
        const paths = [
          '',
          'x',
          'x'.repeat(32),
          page.slice(9).toUpperCase(),
          `${page.slice(9)}/`,
          `${page.slice(9)}x`,
        ]
        for (const end of [...paths, page.slice(9, -1), '%00', "' or 1=1", '1']) {
          const response = await open(`/_/stats/${end}`)
          expect([end, response.status, await response.text()]).toEqual([end, 404, expected])
        }
        expect((await links.fetch(page, { method: 'POST' }, STRANGER)).status).toBe(404)
      },
    )
  })

  describe('the page of shared statistics', () => {
    testOnSqlite(
      'L41.2: needs no sign-in, and is neither cached, indexed, framed nor able to run anything',
      async () => {
        const response = await open(await share(`/links/${await createLink('headers')}`))
        expect(response.status).toBe(200)
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'cache-control': 'private, no-store',
          'x-robots-tag': 'noindex, nofollow',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        })
        const html = (await response.text()).replace(
          '<link rel="icon" href="/favicon.svg" type="image/svg+xml">',
          '',
        )
        expect(html).toContain('<meta name="robots" content="noindex, nofollow">')
        expect(html).not.toMatch(/<script|<img|<link|<iframe|<form|(href|src)="(?!\?)/)
      },
    )

    test('L41.3b: shows the clicks of people, whatever the owner has chosen to see', async () => {
      const id = await createLink('people')
      const self = { referrer: 'https://go.example.com/other', host: 'go.example.com' }
      const people = [
        { country: 'SE', visitorFp: 'a', referrer: 'https://news.example/private/path?token=1' },
        { country: 'SE', visitorFp: 'a', userAgent: DESKTOP },
        { country: 'ID', visitorFp: 'b', userAgent: PHONE },
      ]
      await record(id, 'people', ...people, BOT, BOT, self, { clickedAt: links.now - 40 * 86_400 })
      await admin('PUT', '/settings', { filter_bots: false, filter_self_referrers: false })
      const page = await share(`/links/${id}`)
      const text = textOf(await read(page))
      expect(text).toContain('Clicks 3 +200% compared with the previous period Visitors 2 Countries 2')
      expect(text).toContain('SE Sweden 2 67% ID Indonesia 1 33%')
      expect(text).toContain('news.example 1 33%')
      expect(text).toMatch(/Mobile 2 67% Desktop 1 33%/)
      expect(textOf(await read(`${page}?range=90d`))).toContain('Clicks 4 Visitors 2')
      await admin('PUT', '/settings', { filter_bots: true, filter_self_referrers: true })
      expect(textOf(await read(page))).toBe(text)
    })

    testOnSqlite(
      'L41.3: says that visitors and countries of clicks are unknown, where the owner sees a dash',
      async () => {
        const id = await createLink('imported')
        const page = await share(`/links/${id}`)
        expect(textOf(await read(page))).toContain('Clicks 0 Visitors 0 Countries 0')
        await record(id, 'imported', {}, {})
        for (const [language, text] of [
          ['en', 'Visitors – unknown Countries – unknown'],
          ['sv', 'Besökare – okänt Länder – okänt'],
          ['id', 'Pengunjung – tidak diketahui Negara – tidak diketahui'],
        ] as const)
          expect(textOf(await read(page, { 'Accept-Language': language }))).toContain(text)
        await record(id, 'imported', { visitorFp: 'a' })
        expect(textOf(await read(page))).toContain('Visitors 1 Countries – unknown')
      },
    )

    test('L41.3: of a bundle shows its members and no other link', async () => {
      const ids = [await createLink('member-a', { label: 'First member' }), await createLink('member-b')]
      const outside = await createLink('outsider', { label: 'Outside label' })
      await record(ids[0] ?? 0, 'member-a', {}, {})
      await record(ids[1] ?? 0, 'member-b', {})
      await record(outside, 'outsider', {}, {}, {}, {}, {})
      const text = textOf(await read(await share(`/bundles/${await createBundle('Campaign', ids)}`)))
      expect(text).toContain('Analytics Campaign')
      expect(text).toContain('Clicks 3')
      expect(text).toContain('First member /member-a 2 67% member-b 1 33%')
      expect(text).not.toMatch(/outsider|Outside/i)
    })

    testOnSqlite(
      'L41.3a, L41.3c: never shows another link, whichever id, page or filter is asked for',
      async () => {
        const [mine, theirs] = [
          await createLink('mine'),
          await createLink('theirs', { label: 'Private plan' }),
        ]
        await record(mine, 'mine', { country: 'NO' })
        await record(theirs, 'theirs', { country: 'JP' }, { country: 'JP' })
        const bundle = await createBundle('Hidden bundle', [theirs])
        const page = await share(`/links/${mine}`)
        const expected = await read(page)
        const all = await links.rows<{ id: number }>('select id from link')
        const queries = [
          ...all.flatMap(({ id }) => [`id=${id}`, `link_id=${id}&linkId=${id}`, `link=${id}&links=${id}`]),
          `bundle=${bundle}&bundle_id=${bundle}`,
          'slug=theirs&search=theirs&owner=other@example.com',
          'page=2&per_page=100&offset=1&limit=1000&cursor=x&dimension=slugs&country=JP&tz=Asia/Tokyo',
          'filter_bots=false&bots=true&range=nonsense&from=0&to=9999999999',
        ]
        for (const query of queries)
          expect([query, await read(`${page}?${query}`)]).toEqual([query, expected])
        for (const { id } of all)
          for (const path of [`${page}/${id}`, `${page}/links/${id}`, `/_/stats/${id}`])
            expect([path, (await open(path)).status]).toEqual([path, 404])
        expect(expected).not.toMatch(
          /theirs|Private plan|Hidden bundle|Japan|owner@|secret\.example|destination/,
        )
        expect(textOf(expected)).toContain('Norway')
      },
    )

    testOnSqlite('L24.17 L41.2: user data is text, never markup', async () => {
      const hostile = `"><script>alert(1)</script>'&\u202e`
      const id = await createLink('hostile', { label: hostile })
      await record(id, 'hostile', {
        referrer: 'https://x"><img src=x onerror=alert(1)>.example/',
        country: 'SE',
      })
      const bundle = await createBundle(hostile, [id])
      for (const page of [await share(`/links/${id}`), await share(`/bundles/${bundle}`)]) {
        const html = await read(page, { 'Accept-Language': '"><script>,en-"><script>;q=1' })
        expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>/)
        expect(html).toContain('&quot;&gt;&lt;script&gt;')
      }
    })

    testOnSqlite('L41.4: is in the language of the browser, with the dates of its region', async () => {
      const page = await share(`/links/${await createLink('languages')}`)
      for (const [accepted, lang, word, date] of [
        ['', 'en', 'All time', 'Nov 18, 2026'],
        ['en-GB,en;q=0.9', 'en-GB', 'All time', '18 Nov 2026'],
        ['de-DE, sv-SE;q=0.5, en;q=0.3', 'sv-SE', 'All tid', '18 nov. 2026'],
        ['en;q=0.1, id', 'id', 'Sepanjang waktu', '18 Nov 2026'],
        ['fr', 'en', 'All time', 'Nov 18, 2026'],
      ] as const) {
        const html = await read(page, { 'Accept-Language': accepted })
        expect([accepted, /<html lang="([^"]*)"/.exec(html)?.[1]]).toEqual([accepted, lang])
        expect([accepted, textOf(html).includes(word), textOf(html).includes(date)]).toEqual([
          accepted,
          true,
          true,
        ])
      }
    })

    testOnSqlite('L41.2: is rate limited by address, and images on other sites do not count', async () => {
      const { id } = await admin('POST', '/links', { url: 'https://example.com/' }, OWNER, limited)
      const page = await share(`/links/${id}`, limited)
      const statusOf = async (headers = {}, peer = STRANGER) =>
        (await limited.fetch(page, { headers }, peer)).status
      const image = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }
      for (let n = 0; n < 5; n++) expect(await statusOf(image)).toBe(404)
      expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 200])
      const refused = await limited.fetch(page, {}, STRANGER)
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
      expect(await statusOf({}, '198.51.100.7')).toBe(200)
    })
  })
})
