import { afterAll, beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { claims, jwtSettings, startIssuer } from './issuer.ts'
import { type TestLinks, sharedTestLinks, startTestLinks } from './testing.ts'

const PROXY = '10.0.0.1'
const STRANGER = '203.0.113.9'
const ANN = { 'X-Forwarded-Email': 'ann@example.com' }
const NAVIGATION = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}
const IMAGE = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }

/** Everything by which a visitor can distinguish two answers. */
async function describeResponse(response: Response): Promise<unknown> {
  return [response.status, Object.fromEntries(response.headers), await response.text()]
}

/** Creates a link of the owner in each state in which it does not redirect; returns their ids. */
async function createMisses(links: TestLinks, owner: string): Promise<Record<string, number>> {
  const key = await links.key(owner)
  const { id: disabled } = await links.createLink(key, { slug: 'disabled' })
  await links.call('POST', `/links/${disabled}/disable`, { key })
  const { id: expired } = await links.createLink(key, { slug: 'expired', expires_at: links.now - 60 })
  const { id: slugDisabled } = await links.createLink(key, { slug: 'slug-disabled' })
  await links.call('POST', '/slugs/slug-disabled/disable', { key })
  const { id: invalid } = await links.createLink(key, { slug: 'invalid' })
  await links.database.write((tx) =>
    tx.updateTable('link').set({ url: 'not a url' }).where('id', '=', invalid).execute(),
  )
  return { disabled, expired, 'slug-disabled': slugDisabled, invalid }
}

const SLUGS = ['disabled', 'expired', 'slug-disabled', 'invalid', 'unused'] as const

onSqlite((newUrl) => {
  const local = sharedTestLinks(newUrl)
  const byHeader = sharedTestLinks(newUrl, {
    LINKS_ACCESS: 'header',
    LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
    TRUSTED_PROXIES: '10.0.0.0/8',
  })
  let issuer: Awaited<ReturnType<typeof startIssuer>>
  let misses: Record<string, number>
  beforeAll(async () => {
    issuer = await startIssuer()
    misses = await createMisses(local, 'admin@localhost')
    await createMisses(byHeader, 'ann@example.com')
  })
  afterAll(() => issuer.server.stop(true))

  /** Expects the page of an unknown slug, as a stranger gets it, for every slug that does not redirect. */
  async function expectStrangersPage(
    links: TestLinks,
    headers: Record<string, string>,
    { peer = '127.0.0.1', method = 'GET' } = {},
  ): Promise<void> {
    const stranger = await describeResponse(await links.fetch('/none-of-them', { method }, STRANGER))
    for (const slug of SLUGS) {
      const answer = await links.fetch(`/${slug}`, { method, headers }, peer)
      expect([slug, headers, await describeResponse(answer)]).toEqual([slug, headers, stranger])
    }
  }

  test('L12.6a, L12.6e: the owner reads why a slug does not redirect, with a link to its page', async () => {
    const reasons = {
      disabled: ['This link is disabled', 'It was disabled on November 18, 2026 at 11:06 AM UTC.'],
      expired: ['This link has expired', 'It expired on November 18, 2026 at 11:05 AM UTC.'],
      'slug-disabled': ['This slug is disabled', 'It was disabled on November 18, 2026 at 11:06 AM UTC.'],
      invalid: ['This link doesn’t work', 'isn’t a URL'],
    }
    for (const [slug, texts] of Object.entries(reasons)) {
      const answer = await local.fetch(`/${slug.toUpperCase()}`, { headers: NAVIGATION })
      const html = await answer.text()
      expect([slug, answer.status, answer.headers.get('cache-control')]).toEqual([
        slug,
        404,
        'private, no-store',
      ])
      for (const text of [
        ...texts,
        `<code>/${slug}</code>`,
        `href="/_/admin/links/${misses[slug]}"`,
        'Only you see this',
      ])
        expect([slug, html.replaceAll('\u202f', ' ')]).toEqual([slug, expect.stringContaining(text)])
    }
  })

  test('L12.6b: an unused slug offers to create the link, and creates nothing', async () => {
    const before = await local.databaseState()
    const answer = await local.fetch('/Unused~1')
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining('href="/_/admin/links?create=unused~1"'),
    ])
    expect(await local.databaseState()).toEqual(before)
    for (const path of ['/x-', '/a/b', '/%zz'])
      expect([path, await (await local.fetch(path)).text()]).toEqual([
        path,
        expect.not.stringContaining('Only you see this'),
      ])
  })

  test('L12.6 L31.3: on a further domain, the owner’s page leads to the pages of the default domain', async () => {
    const host = 'l.example.org'
    const links = await startTestLinks(await newUrl(), {
      LINKS_BASE_URL: 'https://go.example.com',
      LINKS_DOMAINS: host,
      LINKS_ACCESS: 'header',
      LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
      TRUSTED_PROXIES: '10.0.0.0/8',
    })
    const key = await links.key('ann@example.com')
    const body = { url: 'https://example.com/', slug: 'closed', expires_at: links.now - 60 }
    const { id } = (await links.call('POST', `/domains/${host}/links`, { key, body })).body
    const read = async (path: string, headers: Record<string, string>) =>
      (await links.fetch(`http://${host}${path}`, { headers }, PROXY)).text()
    expect(await read('/closed', ANN)).toContain(`href="https://go.example.com/_/admin/links/${id}"`)
    expect(await read('/unused', ANN)).toContain(
      `href="https://go.example.com/_/admin/links?create=unused&amp;domain=${host}"`,
    )
    const bob = { 'X-Forwarded-Email': 'bob@example.com' }
    expect(await read('/closed', bob)).toBe(await read('/closed', {}))
    expect(await read('/closed', bob)).not.toContain('Only you see this')
  })

  test('L12.6c: in loopback mode, all others get the page of strangers, byte for byte', async () => {
    await expectStrangersPage(local, {}, { peer: STRANGER })
    await expectStrangersPage(local, {}, { peer: '' })
    for (const headers of [
      { 'X-Forwarded-For': '127.0.0.1' },
      { Forwarded: 'for=127.0.0.1' },
      { Via: '1.1 proxy' },
      { Host: 'go.example.com' },
      { Authorization: 'Bearer sk_0' },
      IMAGE,
      { ...NAVIGATION, 'Sec-Fetch-Dest': 'iframe' },
      { ...NAVIGATION, 'Sec-Purpose': 'prefetch' },
    ] as Record<string, string>[])
      await expectStrangersPage(local, headers)
    await expectStrangersPage(local, {}, { method: 'HEAD' })
  })

  test('L12.6c: the link of another person gives its visitor the page of strangers, byte for byte', async () => {
    const ben = { 'X-Forwarded-Email': 'ben@example.com' }
    const stranger = await describeResponse(await byHeader.fetch('/none-of-them', {}, STRANGER))
    for (const slug of SLUGS.filter((each) => each !== 'unused'))
      expect(await describeResponse(await byHeader.fetch(`/${slug}`, { headers: ben }, PROXY))).toEqual(
        stranger,
      )
  })

  test('L12.6d: an identity header counts from a trusted proxy only, and only with one identity', async () => {
    const page = await byHeader.fetch('/disabled', { headers: ANN }, PROXY)
    expect(await page.text()).toContain('This link is disabled')
    for (const peer of [STRANGER, '127.0.0.1', '']) await expectStrangersPage(byHeader, ANN, { peer })
    await expectStrangersPage(byHeader, { ...ANN, 'X-Forwarded-For': PROXY }, { peer: STRANGER })
    const list = { 'X-Forwarded-Email': 'ann@example.com, ben@example.com' }
    for (const headers of [{}, list, { 'X-Forwarded-User': 'ann@example.com' }] as Record<string, string>[])
      await expectStrangersPage(byHeader, headers, { peer: PROXY })
  })

  test('L12.6d: an assertion counts only once verified, and a redirect never reads it', async () => {
    const links = await startTestLinks(await newUrl(), jwtSettings(issuer.url))
    await createMisses(links, 'ann@example.com')
    await links.createLink(await links.key('ann@example.com'), { slug: 'active' })
    const bearing = async (changes: Record<string, unknown>, signingKey?: typeof issuer.strange) => ({
      'Cf-Access-Jwt-Assertion': await issuer.sign(claims(links, changes), signingKey),
    })
    const readBefore = issuer.countRequests()
    expect((await links.fetch('/active', { headers: await bearing({}) })).status).toBe(302)
    expect(issuer.countRequests()).toBe(readBefore)
    const { 'Cf-Access-Jwt-Assertion': assertion } = await bearing({})
    for (const headers of [
      { 'Cf-Access-Jwt-Assertion': assertion },
      { Cookie: `CF_Authorization=${assertion}` },
    ] as Record<string, string>[])
      expect(await (await links.fetch('/disabled', { headers }, STRANGER)).text()).toContain('is disabled')
    await expectStrangersPage(links, {})
    await expectStrangersPage(links, await bearing({}, issuer.strange))
    await expectStrangersPage(links, await bearing({ exp: links.now - 61 }))
    await expectStrangersPage(links, await bearing({ aud: 'other' }))
    await expectStrangersPage(links, { ...IMAGE, Cookie: `CF_Authorization=${assertion}` })
    await expectStrangersPage(links, ANN)
  })

  test('L12.6d: while assertions cannot be verified, their bearer gets the page of strangers', async () => {
    const closed = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('', { status: 500 }),
    })
    const links = await startTestLinks(await newUrl(), jwtSettings(`http://127.0.0.1:${closed.port}/certs`))
    await expectStrangersPage(links, { 'Cf-Access-Jwt-Assertion': await issuer.sign(claims(links)) })
    await closed.stop(true)
  })

  test('L12.6a L18.9: the page is in the language and the time zone of its owner', async () => {
    const pageIn = async (acceptLanguage: string) => {
      const answer = await local.fetch('/disabled', { headers: { 'Accept-Language': acceptLanguage } })
      return answer.text()
    }
    expect(await pageIn('en-GB, sv;q=0.5')).toContain('18 November 2026 at 11:06 UTC')
    expect(await pageIn('id')).toContain('<html lang="id">')
    await local.callAdmin('PUT', '/settings', { body: { lang: 'sv', time_zone: 'Europe/Stockholm' } })
    expect(await pageIn('en-GB')).toContain('Länken är avstängd')
    expect(await pageIn('en-GB')).toContain('Den stängdes av 18 november 2026 kl. 12:06 CET.')
    await local.callAdmin('PUT', '/settings', { body: { lang: null, time_zone: null } })
  })

  test('L12.3e: visitors read the page in their language, the same for every slug', async () => {
    for (const [acceptLanguage, title] of [
      ['sv-SE,sv;q=0.9,en;q=0.8', 'Sidan hittades inte'],
      ['de, id;q=0.4, en;q=0.2', 'Halaman tidak ditemukan'],
      ['en;q=0.1, sv', 'Sidan hittades inte'],
      ['sv;q=0, id;q=0.1', 'Halaman tidak ditemukan'],
      ['de', 'Page not found'],
      ['"><script>', 'Page not found'],
    ]) {
      const headers = { 'Accept-Language': acceptLanguage ?? '' }
      const pages = await Promise.all(
        [...SLUGS, 'a/b', '%zz', '_/nothing'].map(async (path) =>
          describeResponse(await local.fetch(`/${path}`, { headers }, STRANGER)),
        ),
      )
      expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
      expect(JSON.stringify(pages[0])).toContain(`<h1>${title}</h1>`)
    }
  })
})
