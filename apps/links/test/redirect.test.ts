import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { rootNames } from '../src/urls/reserved.ts'
import { titleUserAgent } from '../src/destinations/fetch-title.ts'
import { DESKTOP } from './actions.ts'
import { sharedTestLinks, startTestLinks } from './testing.ts'

/** A visitor whom the loopback mode of the admin side does not admit. */
const VISITOR = '203.0.113.9'

/** Everything by which a visitor can distinguish two answers. */
async function describeResponse(response: Response): Promise<unknown> {
  return [response.status, Object.fromEntries(response.headers), await response.text()]
}

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    await links.createLink(ann, { url: 'https://example.com/target', slug: 'known' })
  })
  const visit = (path: string, init: RequestInit = {}) => links.fetch(path, init, VISITOR)
  const clicksOf = async (slug: string) =>
    (await links.call('GET', `/slugs/${slug}`, { key: ann })).body.total_clicks

  const readLocation = async (slug = 'changing') => (await visit(`/${slug}`)).headers.get('location')
  const setRoot = (url: string | null) =>
    links.callAdmin('PUT', '/settings', { body: { root_redirect_url: url } })

  test('L12.1: a short URL is 302 to its destination and not cacheable', async () => {
    const response = await visit('/known')
    expect([response.status, await response.text()]).toEqual([302, ''])
    expect(response.headers.get('location')).toBe('https://example.com/target')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect([...response.headers.keys()].toSorted()).toEqual(['cache-control', 'location'])
  })

  testOnSqlite('L12.1: the status of redirects is configurable', async () => {
    for (const status of [301, 302, 307, 308]) {
      const other = await startTestLinks(await newUrl(), { LINKS_REDIRECT_STATUS: String(status) })
      const { slugs } = await other.createLink(await other.key('ann@example.com'))
      const response = await other.fetch(`/${slugs[0].slug}`)
      expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'private, no-store'])
      expect((await other.fetch('/none')).status).toBe(404)
    }
  })

  test('L12.1 L24.6: a short URL is followed in any case and percent-encoded', async () => {
    for (const path of ['/KNOWN', '/kNoWn', '/%6bnown', '/%4B%4E%4F%57%4E'])
      expect((await visit(path)).status).toBe(302)
    for (const path of ['/%256bnown', '/\u212anown', '/ｋnown', '/known%20', '/%20known', '/known%00'])
      expect([path, (await visit(path)).status]).toEqual([path, 404])
  })

  testOnSqlite('L12.3a: a slash at the end changes nothing, and every other slash is 404', async () => {
    await links.createLink(ann, { url: 'https://example.com/oauth', slug: 'oauth' })
    const before = await clicksOf('known')
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
      for (const slug of ['known', 'none', 'oauth'])
        expect(await describeResponse(await visit(`/${slug}/`, { method }))).toEqual(
          await describeResponse(await visit(`/${slug}`, { method })),
        )
    expect((await visit('/KNOWN/?utm_source=print')).headers.get('location')).toBe(
      'https://example.com/target',
    )
    expect((await visit('/%6bnown/')).status).toBe(302)
    expect(await clicksOf('known')).toBe(before + 4)
    for (const path of [
      '/known//',
      '//known',
      '//known/',
      '/known/x',
      '/known/x/',
      '/known%2F',
      '/known%2f/',
    ])
      expect([path, (await visit(path)).status]).toEqual([path, 404])
    expect(await clicksOf('known')).toBe(before + 4)
  })

  testOnSqlite('L12.3a: passwords and limits hold for a short URL that ends in a slash', async () => {
    const set = (id: number, body: object) => links.call('PUT', `/links/${id}/behaviour`, { key: ann, body })
    const locked = await links.createLink(ann, { url: 'https://example.com/locked', slug: 'locked' })
    expect((await set(locked.id, { password: 'sesame' })).status).toBe(200)
    const enter = (password: string) =>
      visit('/locked/', { method: 'POST', body: new URLSearchParams({ password }) })
    expect((await visit('/locked/')).status).toBe(200)
    expect((await enter('wrong')).status).toBe(401)
    const entered = await enter('sesame')
    expect([entered.status, entered.headers.get('location')]).toEqual([303, 'https://example.com/locked'])
    const once = await links.createLink(ann, { url: 'https://example.com/once', slug: 'once' })
    expect((await set(once.id, { max_clicks: 1 })).status).toBe(200)
    const headers = { 'User-Agent': DESKTOP }
    const statuses = await Promise.all(
      ['/once/', '/once', '/once/'].map(async (path) => (await visit(path, { headers })).status),
    )
    expect(statuses.toSorted((one, other) => one - other)).toEqual([302, 404, 404])
  })

  testOnSqlite('L12.2: HEAD gets the same answer and counts nothing', async () => {
    const before = await clicksOf('known')
    const [head, get] = [await visit('/known', { method: 'HEAD' }), await visit('/known')]
    expect(await describeResponse(head)).toEqual(await describeResponse(get))
    expect((await visit('/none', { method: 'HEAD' })).status).toBe(404)
    expect(await clicksOf('known')).toBe(before + 1)
  })

  testOnSqlite(
    'L12.2: a prefetch gets the same answer and counts nothing; other purposes count',
    async () => {
      const before = await clicksOf('known')
      const prefetches = [
        { 'Sec-Purpose': 'prefetch' },
        { 'Sec-Purpose': 'prefetch;prerender' },
        { 'Sec-Purpose': 'Prefetch' },
        { Purpose: 'prefetch' },
        { 'Sec-Purpose': '', Purpose: 'prefetch' },
      ]
      for (const headers of prefetches) expect((await visit('/known', { headers })).status).toBe(302)
      expect(await clicksOf('known')).toBe(before)
      const others = [{ Purpose: 'preview' }, { 'Sec-Purpose': 'navigate' }, { 'Sec-Fetch-Mode': 'navigate' }]
      for (const headers of others) await visit('/known', { headers })
      expect(await clicksOf('known')).toBe(before + others.length)
    },
  )

  testOnSqlite(
    'L12.2: the title fetcher of this service gets the same answer and counts nothing',
    async () => {
      const before = await clicksOf('known')
      const [row] = await links.rows<{ value: string }>(
        `select value from instance where name = 'title_secret'`,
      )
      const { status } = await visit('/known', {
        headers: { 'User-Agent': titleUserAgent(row?.value ?? '') },
      })
      expect([status, await clicksOf('known')]).toEqual([302, before])
    },
  )

  testOnSqlite('other title fetchers count as bots, whatever name they send', async () => {
    const before = await clicksOf('known')
    const others = ['latchkey-links title fetch', titleUserAgent('of another instance')]
    for (const agent of others) await visit('/known', { headers: { 'User-Agent': agent } })
    expect(await clicksOf('known')).toBe(before + others.length)
    expect(
      await links.rows(`select user_agent, is_bot from click where user_agent like 'latchkey%' order by id`),
    ).toEqual(others.map((user_agent) => ({ user_agent, is_bot: 1 })))
  })

  testOnSqlite('L12.2: other methods are 405, equally for an existing slug and an unknown one', async () => {
    const before = await links.databaseState()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const existing = await visit('/known', { method })
      expect([method, existing.status, existing.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      expect(await describeResponse(await visit('/none', { method }))).toEqual(
        await describeResponse(existing),
      )
    }
    expect(await links.databaseState()).toEqual(before)
  })

  test('L12.3, L12.3d: every unusable address gets the same page, byte for byte', async () => {
    const disabled = await links.createLink(ann, { slug: 'disabled-link' })
    await links.call('POST', `/links/${disabled.id}/disable`, { key: ann })
    await links.createLink(ann, { slug: 'disabled-slug' })
    await links.call('POST', '/slugs/disabled-slug/disable', { key: ann })
    await links.createLink(ann, { slug: 'expired', expires_at: links.now })
    const deleted = await links.createLink(ann, { slug: 'deleted' })
    await links.call('DELETE', `/links/${deleted.id}`, { key: ann })
    const before = await links.databaseState()
    const page = await visit('/unknown')
    expect([page.status, page.headers.get('cache-control')]).toEqual([404, 'private, no-store'])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const expected = await describeResponse(page)
    const nowhere = [
      'disabled-link',
      'DISABLED-slug',
      'expired',
      'deleted',
      'known?x=1'.replace('known', 'none'),
      'a/b',
      'known/x',
      'x-',
      '-x',
      '%zz',
      '%',
      'x'.repeat(129),
      '_x',
      '_known',
      '_/x',
      '_/',
      '_/links/x',
      '_/apix',
      '_/admin2',
      'é',
      '.',
      '~',
      '.well-known/security.txt',
      'index.html',
      'wp-login.php',
    ]
    for (const path of nowhere.filter((each) => each !== '.'))
      expect([path, await describeResponse(await visit(`/${path}`))]).toEqual([path, expected])
    expect(await links.databaseState()).toEqual(before)
  })

  test('L12.3b: a stored destination that is not a URL gets that page too, without a fault', async () => {
    const { id } = await links.createLink(ann, { slug: 'broken-target' })
    expect((await visit('/broken-target')).status).toBe(302)
    await links.database.write((tx) =>
      tx.updateTable('link').set({ url: 'not a url' }).where('id', '=', id).execute(),
    )
    const deadline = performance.now() + 10_000
    while ((await visit('/broken-target')).status !== 404) expect(performance.now()).toBeLessThan(deadline)
    expect(await describeResponse(await visit('/broken-target'))).toEqual(
      await describeResponse(await visit('/unknown')),
    )
  })

  testOnSqlite('L12.1: the Location is the destination as browsers write URLs', async () => {
    const targets = {
      'https://example.com': 'https://example.com/',
      'https://example.com?q=1': 'https://example.com/?q=1',
      'https://EXAMPLE.com:443/A b': 'https://example.com/A%20b',
      'https://bücher.example/ö?ä=å#ñ': 'https://xn--bcher-kva.example/%C3%B6?%C3%A4=%C3%A5#%C3%B1',
      'https://example.com/a/../b/./c': 'https://example.com/b/c',
      'https://example.com/%7Ea%2fb': 'https://example.com/%7Ea%2fb',
      'https://user:pw@example.com/': 'https://user:pw@example.com/',
      'http://[2001:DB8::0:1]:8080/x': 'http://[2001:db8::1]:8080/x',
      'https://example.com/"<>`': 'https://example.com/%22%3C%3E%60',
      'https://example.com/\u2028x': 'https://example.com/%E2%80%A8x',
    }
    for (const [url, location] of Object.entries(targets)) {
      const { slugs } = await links.createLink(ann, { url, allow_duplicate: true })
      expect([url, (await visit(`/${slugs[0].slug}`)).headers.get('location')]).toEqual([url, location])
    }
  })

  testOnSqlite(
    'L12.1: the query of the short URL is dropped, and that of the destination stays',
    async () => {
      await links.createLink(ann, { url: 'https://example.com/page?kept=1#here', slug: 'query' })
      const { headers } = await visit('/query?utm_source=news&x=1')
      expect(headers.get('location')).toBe('https://example.com/page?kept=1#here')
    },
  )

  testOnSqlite('L8.1b: names that the server serves are no short URLs', async () => {
    for (const name of rootNames) {
      const response = await visit(`/${name}`)
      expect([name, [200, 404].includes(response.status)]).toEqual([name, true])
      expect((await visit(`/${name}`, { method: 'POST' })).status).toBe(405)
    }
    expect(await (await visit('/robots.txt')).text()).toContain('Disallow: /')
    expect((await visit('/favicon.ico')).headers.get('content-type')).toMatch(/^image\//)
    expect((await visit('/manifest.webmanifest')).headers.get('content-type')).toBe(
      'application/manifest+json',
    )
  })

  testOnSqlite(
    'L12.5: the root is the dashboard for an admitted person, and a page without data for all others',
    async () => {
      for (const path of ['/', '/_']) {
        const admin = await links.fetch(path)
        expect([path, admin.status, admin.headers.get('location')]).toEqual([path, 302, '/_/admin/dashboard'])
      }
      const landing = await visit('/')
      expect([landing.status, landing.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const underscore = await visit('/_')
      expect([underscore.status, underscore.headers.get('location')]).toEqual([302, '/'])
    },
  )

  testOnSqlite(
    'L12.8, L12.5: the old addresses of pages redirect to the new ones, for all callers',
    async () => {
      for (const path of ['/_/admin', '/_/admin/']) {
        const response = await visit(path)
        expect([path, response.status, response.headers.get('location')]).toEqual([
          path,
          302,
          '/_/admin/dashboard',
        ])
      }
      for (const page of ['dashboard', 'links', 'links/17', 'keys', 'settings']) {
        const response = await visit(`/_/${page}`)
        expect([response.status, response.headers.get('location')]).toEqual([301, `/_/admin/${page}`])
      }
      for (const path of ['/_/links/', '/_/links/x', '/_/keys/1', '/_/bundles', '/_/dashboard/'])
        expect([path, (await visit(path)).status]).toEqual([path, 404])
    },
  )

  test('L12.8: the root redirects visitors to the configured URL until it is cleared', async () => {
    for (const [url, location] of [
      ['https://example.com', 'https://example.com/'],
      ['http://пример.рф/å b', 'http://xn--e1afmkfd.xn--p1ai/%C3%A5%20b'],
    ] as const) {
      expect((await setRoot(url)).status).toBe(200)
      const response = await visit('/')
      expect([response.status, response.headers.get('location')]).toEqual([302, location])
      expect((await links.fetch('/')).headers.get('location')).toBe('/_/admin/dashboard')
      expect((await visit('/none')).status).toBe(404)
    }
    for (const cleared of [null, '  ']) {
      await setRoot('https://example.com')
      await setRoot(cleared)
      expect((await visit('/')).status).toBe(200)
    }
  })

  testOnSqlite('public pages contain no script, no address of another host and no stored data', async () => {
    const response = await visit('/')
    for (const page of [response, await visit('/none')]) {
      const csp = page.headers.get('content-security-policy') ?? ''
      expect(csp).toContain(`default-src 'none'`)
      expect(csp).toContain(`frame-ancestors 'none'`)
      expect(page.headers.get('x-content-type-options')).toBe('nosniff')
      const html = await page.text()
      expect(html).not.toMatch(/<script|javascript:|https?:\/\/|\son\w+=/i)
      for (const secret of ['ann@example.com', 'example.com', 'known', '0.1.0', dialect])
        expect(html).not.toContain(secret)
    }
  })

  testOnSqlite('L24.17: a page contains nothing of the requested address', async () => {
    const hostile = '/<script>alert(1)</script>?q="><img src=x onerror=alert(1)>'
    expect(await (await visit(hostile)).text()).not.toContain('alert')
  })

  test('L12.5 L24.2: a change applies to the next request: destination, disable, slug, expiry, delete', async () => {
    const { id } = await links.createLink(ann, { url: 'https://example.com/one', slug: 'changing' })
    const act = (method: string, path: string, body?: unknown) => links.call(method, path, { key: ann, body })
    expect(await readLocation()).toBe('https://example.com/one')
    await act('PATCH', `/links/${id}`, { url: 'https://example.com/two' })
    expect(await readLocation()).toBe('https://example.com/two')
    for (const expiry of [links.now, null, 0, links.now + 5]) {
      await act('PATCH', `/links/${id}`, { expires_at: expiry })
      const alive = expiry === null || expiry > links.now
      expect([expiry, await readLocation()]).toEqual([expiry, alive ? 'https://example.com/two' : null])
    }
    expect(await readLocation('later')).toBeNull()
    await act('POST', `/links/${id}/slugs`, { slug: 'later' })
    expect(await readLocation('later')).toBe('https://example.com/two')
    await act('POST', '/slugs/later/disable')
    expect(await readLocation('later')).toBeNull()
    await act('POST', '/slugs/later/enable')
    expect(await readLocation('later')).toBe('https://example.com/two')
    await act('DELETE', '/slugs/later?force=true')
    expect(await readLocation('later')).toBeNull()
    await act('POST', `/links/${id}/disable`)
    expect(await readLocation()).toBeNull()
    await act('DELETE', `/links/${id}?force=true`)
    expect(await readLocation()).toBeNull()
    await links.createLink(ann, { url: 'https://example.com/three', slug: 'changing' })
    expect(await readLocation()).toBe('https://example.com/three')
  })

  test('a link that was requested while it was disabled redirects on the next request once it is enabled', async () => {
    const { id, url } = await links.createLink(ann, { slug: 'back-again' })
    await links.call('POST', `/links/${id}/disable`, { key: ann })
    expect((await visit('/back-again')).status).toBe(404)
    await links.call('POST', `/links/${id}/enable`, { key: ann })
    expect((await visit('/back-again')).headers.get('location')).toBe(url)
  })

  test('a destination that was requested while it was invalid redirects on the next request once it is valid', async () => {
    const { id } = await links.createLink(ann, { slug: 'mended' })
    await links.database.write((tx) =>
      tx.updateTable('link').set({ url: 'not a url' }).where('id', '=', id).execute(),
    )
    expect((await visit('/mended')).status).toBe(404)
    await links.call('PATCH', `/links/${id}`, { key: ann, body: { url: 'https://example.com/mended' } })
    expect((await visit('/mended')).headers.get('location')).toBe('https://example.com/mended')
  })
})
