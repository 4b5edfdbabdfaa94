import { beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { FROM_BROWSER } from '../actions.ts'
import { messageOf } from '../test-database.ts'
import { TestLinks, sharedTestLinks, startTestLinks } from '../testing.ts'

const GO = 'go.example.com'
const L = 'l.example.org'
const IDN = 'xn--lnk-qla.example'
const settings = { LINKS_BASE_URL: `https://${GO}`, LINKS_DOMAINS: `${L},Länk.example` }

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, settings)
  let ann: string
  let bob: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    bob = await links.key('bob@example.com')
  })

  const createOn = (host: string, fields: object, key = ann) =>
    links.call('POST', `/domains/${host}/links`, { key, body: fields })
  /** The status and redirect that a browser gets from a host. */
  const follow = async (host: string, path: string, init: RequestInit = FROM_BROWSER) => {
    const { status, headers } = await links.fetch(`http://${host}${path}`, init)
    return [status, headers.get('location')]
  }
  const setDomain = (host: string, body: object, headers: Record<string, string> = {}) =>
    links.callAdmin('PUT', `/domains/${host}`, { body, headers })
  const replaceSettings = async (host: string, body: object) => {
    const reply = await setDomain(host, body)
    expect(reply.status).toBe(200)
    return reply.body
  }

  describe('links of a domain', () => {
    test('L31.1a: the same slug is another link on each domain', async () => {
      const own = await links.createLink(ann, { slug: 'promo', url: 'https://example.com/default' })
      const other = await createOn(L, { slug: 'promo', url: 'https://example.com/other' }, bob)
      expect(other.status).toBe(201)
      expect(await follow(GO, '/promo')).toEqual([302, 'https://example.com/default'])
      expect(await follow(L, '/promo')).toEqual([302, 'https://example.com/other'])
      expect(await follow(IDN, '/promo')).toEqual([404, null])
      expect(await createOn(L, { slug: 'promo', url: 'https://example.com/third' })).toMatchObject({
        status: 409,
        body: { error: 'Slug already exists' },
      })
      expect(own.id).not.toBe(other.body.id)
    })

    testOnSqlite(
      'L31.2b: a link and its slugs name their domain and its origin, those of the default domain do not',
      async () => {
        const own = await links.createLink(ann, { slug: 'plain' })
        expect(own).not.toHaveProperty('domain')
        expect(Object.keys(own.slugs[0])).not.toContain('domain')
        const { body } = await createOn(L, { slug: 'Named', url: 'https://example.com/named' })
        expect(body).toMatchObject({ domain: L, short_origin: `https://${L}` })
        expect(body.slugs).toMatchObject([
          { slug: expect.stringMatching(/^[a-z2-9]{4}$/), domain: L, is_custom: 0 },
          { slug: 'named', domain: L, is_custom: 1, is_primary: 1 },
        ])
        expect((await links.call('GET', `/links/${body.id}`, { key: ann })).body).toEqual(body)
      },
    )

    test('L31.2c: duplicates count per domain', async () => {
      const url = 'https://example.com/twice'
      const first = await links.createLink(ann, { url })
      const second = await createOn(L, { url })
      expect([second.status, second.body.duplicate]).toEqual([201, undefined])
      const again = await createOn(L, { url })
      expect([again.status, again.body.id, again.body.duplicate_count]).toEqual([200, second.body.id, 1])
      const ofDefault = await links.call('POST', '/links', { key: ann, body: { url } })
      expect([ofDefault.body.id, ofDefault.body.duplicate_count]).toEqual([first.id, 1])
    })

    testOnSqlite(
      'L31.2d: an IDNA host is stored and answered as A-labels, and accepted in either form',
      async () => {
        const { body } = await createOn(encodeURIComponent('LÄNK.example'), {
          url: 'https://example.com/idn',
          slug: 'idn',
        })
        expect(body).toMatchObject({ domain: IDN, short_origin: `https://${IDN}` })
        expect(await follow(IDN, '/idn')).toEqual([302, 'https://example.com/idn'])
        const path = `/slugs/idn?domain=${encodeURIComponent('länk.example')}`
        expect((await links.call('GET', path, { key: ann })).body.id).toBe(body.id)
      },
    )

    testOnSqlite('L31.2: only domains of the instance take links', async () => {
      for (const host of ['unknown.example', 'localhost', 'l.example.org.evil.example'])
        expect(await createOn(host, { url: 'https://example.com/' })).toMatchObject({
          status: 404,
          body: { error: 'Domain not found' },
        })
      expect((await createOn('not%20a%20host', { url: 'https://example.com/' })).status).toBe(404)
      const body = { url: 'https://example.com/', domain: L }
      expect(await links.call('POST', '/links', { key: ann, body })).toMatchObject({
        status: 400,
        body: { error: 'Unknown field "domain"' },
      })
    })
  })

  describe('slugs of a domain', () => {
    testOnSqlite(
      'L31.2a: reads and writes of a slug by name reach the domain that they name, and no other',
      async () => {
        const own = await links.createLink(ann, { slug: 'both' })
        const { body: other } = await createOn(L, { slug: 'both', url: 'https://example.com/both' }, bob)
        const call = (method: string, path: string, key: string) => links.call(method, path, { key })
        expect((await call('GET', '/slugs/both', ann)).body.id).toBe(own.id)
        expect((await call('GET', `/slugs/both?domain=${L}`, ann)).body.id).toBe(other.id)
        expect((await call('GET', `/slugs/both?domain=${GO}`, ann)).body.id).toBe(own.id)
        expect((await call('GET', `/slugs/both?domain=${IDN}`, ann)).status).toBe(404)
        expect((await call('GET', '/slugs/both?domain=no%20host', ann)).body.error).toBe(
          'domain: must be a host name',
        )
        // Ann does not own the slug of the other domain.
        expect((await call('POST', `/slugs/both/disable?domain=${L}`, ann)).status).toBe(403)
        const disabled = await call('POST', `/slugs/both/disable?domain=${L}`, bob)
        expect(disabled.body).toMatchObject({ slug: 'both', domain: L, is_primary: 0 })
        expect([await follow(L, '/both'), await follow(GO, '/both')]).toMatchObject([
          [404, null],
          [302, own.url],
        ])
        expect((await call('POST', `/slugs/both/enable?domain=${L}`, bob)).status).toBe(200)
        expect((await call('POST', `/slugs/both/primary?domain=${L}`, bob)).body.id).toBe(other.id)
        const removed = await call('DELETE', `/slugs/both?domain=${L}&force=true`, bob)
        expect(removed.body).toEqual({ removed: true })
        expect([await follow(L, '/both'), await follow(GO, '/both')]).toMatchObject([
          [404, null],
          [302, own.url],
        ])
      },
    )

    testOnSqlite('L31.2: slugs that are added to a link are on its domain', async () => {
      const { body: link } = await createOn(L, { url: 'https://example.com/more' })
      const added = await links.call('POST', `/links/${link.id}/slugs`, { key: ann, body: { slug: 'more' } })
      expect(added.body).toMatchObject({ slug: 'more', domain: L, is_primary: 1 })
      const changed = await links.call('PUT', `/links/${link.id}`, { key: ann, body: { slug: 'most' } })
      expect(changed.body.slugs.at(-1)).toMatchObject({ slug: 'most', domain: L, is_primary: 1 })
      expect([await follow(L, '/more'), await follow(L, '/most'), await follow(GO, '/most')]).toEqual([
        [302, link.url],
        [302, link.url],
        [404, null],
      ])
      const primary = { body: { slug: 'more' }, headers: {} }
      const chosen = await links.callAdmin('PUT', `/links/${link.id}/slugs/primary`, primary)
      expect(chosen.body.code).toBe('not_owner_primary')
      const isAvailable = async (domain: string) =>
        (await links.callAdmin('GET', `/slug-check?slug=most&domain=${domain}`)).body.available
      expect([await isAvailable(L), await isAvailable(GO)]).toEqual([false, true])
    })

    test('L31.2c: automatic lengths and retired slugs count per domain', async () => {
      const { body } = await createOn(IDN, { url: 'https://example.com/auto', slug_length: 3 })
      const slug = body.slugs[0].slug as string
      await links.call('DELETE', `/links/${body.id}`, { key: ann })
      expect(await links.rows(`select slug from retired_slug where slug like '%${slug}'`)).toEqual([
        { slug: `${IDN}/${slug}` },
      ])
    })

    test('L31.1a: the database keeps each slug on the domain of its link', async () => {
      const own = await links.createLink(ann)
      const { body: other } = await createOn(L, { url: 'https://example.com/kept' })
      const insert = (id: number, slug: string) =>
        links.database.write((tx) =>
          sql`insert into slug (slug, link_id, is_custom, created_at) values (${slug}, ${id}, 1, 1)`.execute(
            tx,
          ),
        )
      expect(await messageOf(insert(own.id, `${L}/stray`))).toContain('domain of its link')
      expect(await messageOf(insert(other.id, 'stray'))).toContain('domain of its link')
      expect(await messageOf(insert(other.id, `${IDN}/stray`))).toContain('domain of its link')
      const move = links.database.write((tx) =>
        sql`update link set domain = ${L} where id = ${own.id}`.execute(tx),
      )
      expect(await messageOf(move)).toContain('stays on its domain')
    })
  })

  test('L31.2a: lists have the links of all domains, or of one', async () => {
    await links.createLink(ann, { slug: 'listed' })
    for (const host of [L, IDN]) await createOn(host, { url: 'https://example.com/listed', slug: 'listed' })
    const domainsOf = async (query: string, admin = false) => {
      const reply = await (admin
        ? links.callAdmin('GET', `/links?per_page=100${query}`)
        : links.call('GET', `/links?limit=1000${query}`, { key: ann }))
      const listed = new Set(reply.body.map(({ domain = GO }: { domain?: string }) => domain))
      return [
        [...listed].map(String).toSorted(),
        reply.body.length === Number(reply.headers.get('x-total-count')),
      ]
    }
    for (const admin of [false, true]) {
      expect(await domainsOf('', admin)).toEqual([[GO, L, IDN].toSorted(), true])
      expect(await domainsOf(`&domain=${L}`, admin)).toEqual([[L], true])
      expect(await domainsOf(`&domain=${GO}`, admin)).toEqual([[GO], true])
      expect(await domainsOf(`&domain=${L}&search=listed`, admin)).toEqual([[L], true])
    }
    expect((await links.call('GET', '/links?domain=other.example', { key: ann })).body).toEqual([])
    const counts = (await links.callAdmin('GET', `/link-counts?domain=${L}`)).body
    expect(counts.total).toBe((await links.call('GET', `/links?domain=${L}`, { key: ann })).body.length)
  })

  testOnSqlite('L31.3c: QR codes and short URLs are on the domain of the link', async () => {
    const { body: link } = await createOn(L, { url: 'https://example.com/qr', slug: 'qr-code' })
    const codeOf = async (id: number) =>
      (await links.call('GET', `/links/${id}/qr?format=svg`, { key: ann })).body as string
    const own = await links.createLink(ann, { slug: 'qr-code' })
    expect(await codeOf(link.id)).not.toBe(await codeOf(own.id))
    const bySlug = await links.call('GET', `/links/${link.id}/qr?format=svg&slug=qr-code`, { key: ann })
    expect(bySlug.body).toBe(await codeOf(link.id))
  })

  test('L31.1: clicks on equal slugs of two domains are counted apart, in every statistic', async () => {
    const own = await links.createLink(ann, { slug: 'counted' })
    const { body: other } = await createOn(L, { url: 'https://example.com/counted', slug: 'counted' })
    const { body: bundle } = await links.call('POST', '/bundles', { key: ann, body: { name: 'Both' } })
    for (const { id } of [own, other])
      await links.call('POST', `/bundles/${bundle.id}/links`, { key: ann, body: { link_id: id } })
    for (let visit = 0; visit < 3; visit++) await follow(GO, '/counted')
    await follow(L, '/counted')
    const clicksOf = async (id: number) =>
      (await links.call('GET', `/links/${id}`, { key: ann })).body.total_clicks
    expect([await clicksOf(own.id), await clicksOf(other.id)]).toEqual([3, 1])
    const stats = (await links.call('GET', `/bundles/${bundle.id}/analytics`, { key: ann })).body
    const clicked = (entries: { slug: string; domain?: string; count: number }[]) =>
      entries.filter(({ count }) => count > 0).map(({ slug, domain, count }) => [domain, slug, count])
    expect(clicked(stats.slug_clicks)).toEqual([
      [undefined, 'counted', 3],
      [L, 'counted', 1],
    ])
    expect(stats.per_link).toMatchObject([
      { link_id: own.id, primary_slug: 'counted', click_count: 3 },
      { link_id: other.id, primary_slug: 'counted', domain: L, click_count: 1 },
    ])
    expect(stats.per_link[0]).not.toHaveProperty('domain')
    expect(stats.top_performer).toMatchObject({ slug: 'counted', click_count: 3 })
    const linkStats = (await links.call('GET', `/links/${other.id}/analytics`, { key: ann })).body
    expect(clicked(linkStats.slug_clicks)).toEqual([[L, 'counted', 1]])
    const filtered = (
      await links.callAdmin('GET', `/analytics?bundle=${bundle.id}&range=all&slug=${L}/counted`)
    ).body
    expect(filtered.totals.clicks).toBe(1)
    const recent = (await links.callAdmin('GET', '/clicks/recent')).body
    const [latest] = Array.isArray(recent) ? recent : recent.clicks
    expect(latest).toMatchObject({ slug: 'counted', domain: L })
  })

  describe('settings of a domain', () => {
    test('L31.1d: are read by anyone, and replaced as a whole by administrators only', async () => {
      const empty = {
        host: L,
        is_default: false,
        root_url: null,
        not_found_url: null,
        status: null,
        robots: null,
        alias_of: null,
        well_known: {},
      }
      expect((await links.call('GET', `/domains/${L}`, { key: ann })).body).toEqual(empty)
      const hosts = (await links.call('GET', '/domains', { key: ann })).body.map(
        ({ host }: { host: string }) => host,
      )
      expect(hosts).toEqual([GO, L, IDN])
      await links.expectRefusal('PUT', `/domains/${L}`, { key: ann, body: { robots: 'allow' } }, [
        403,
        'Only administrators of the instance can change this',
      ])
      const changes = { root_url: 'https://example.com', robots: 'allow', status: 307 }
      expect(await replaceSettings(L, changes)).toEqual({ ...empty, ...changes })
      expect(await replaceSettings(L, { robots: 'allow' })).toEqual({ ...empty, robots: 'allow' })
      expect(await replaceSettings(L, {})).toEqual(empty)
    })

    testOnSqlite(
      'L31.1e: every URL passes the checks of a destination, and other values are refused by name',
      async () => {
        const problem = async (body: object) => {
          const reply = await setDomain(L, body)
          return [reply.status, reply.body.error]
        }
        const unknown = 'alias_of: must be another domain of this instance'
        expect(await problem({ root_url: 'javascript:alert(1)' })).toEqual([
          400,
          'root_url: must use http or https',
        ])
        expect(await problem({ not_found_url: 'nowhere' })).toEqual([
          400,
          'not_found_url: must be a valid URL',
        ])
        expect(await problem({ root_url: 'https://example.com/\r\nX: 1' })).toEqual([
          400,
          'root_url: must not contain control characters',
        ])
        expect((await problem({ root_url: `https://example.com/${'a'.repeat(2048)}` }))[0]).toBe(400)
        expect((await problem({ status: 303 }))[0]).toBe(400)
        expect((await problem({ robots: 'maybe' }))[0]).toBe(400)
        expect(await problem({ alias_of: L })).toEqual([400, unknown])
        expect(await problem({ alias_of: 'other.example' })).toEqual([400, unknown])
        expect(await problem({ hosts: [] })).toEqual([400, 'Unknown field "hosts"'])
        expect(await problem({ well_known: { 'security.txt': {} } })).toEqual([
          400,
          'Unknown field "well_known.security.txt"',
        ])
        expect(await problem({ well_known: { 'assetlinks.json': ['a'.repeat(131_072)] } })).toEqual([
          400,
          'well_known: must be at most 131072 bytes of JSON',
        ])
        expect((await links.callAdmin('GET', `/domains/${L}`)).body).toMatchObject({
          root_url: null,
          well_known: {},
        })
      },
    )

    testOnSqlite('L25.3: a write for another version is refused, and changes nothing', async () => {
      const before = await links.callAdmin('GET', `/domains/${L}`)
      const tag = before.headers.get('etag') ?? ''
      const first = await setDomain(L, { robots: 'allow' }, { 'If-Match': tag })
      expect([first.status, first.headers.get('etag') === tag]).toEqual([200, false])
      const second = await setDomain(L, { status: 307 }, { 'If-Match': tag })
      expect([second.status, second.body.code]).toEqual([412, 'domain_changed'])
      expect((await links.callAdmin('GET', `/domains/${L}`)).body).toEqual(first.body)
      await replaceSettings(L, {})
    })

    testOnSqlite('L31.1: the URLs of the default domain are those of the instance', async () => {
      await replaceSettings(GO, {
        root_url: 'https://example.com/home',
        not_found_url: 'https://example.com/gone',
      })
      expect((await links.callAdmin('GET', '/settings')).body).toMatchObject({
        root_redirect_url: 'https://example.com/home',
        not_found_url: 'https://example.com/gone',
      })
      expect(await follow(GO, '/nothing-here')).toEqual([302, 'https://example.com/gone'])
      expect(await follow(L, '/nothing-here')).toEqual([404, null])
      await replaceSettings(GO, {})
      expect(await follow(GO, '/nothing-here')).toEqual([404, null])
    })

    testOnSqlite(
      'L31.1f: decide about redirects, unknown slugs and the root of this domain at once',
      async () => {
        await createOn(L, { url: 'https://example.com/status', slug: 'status' })
        await links.createLink(ann, { slug: 'status' })
        await replaceSettings(L, {
          root_url: 'https://example.com/welcome',
          not_found_url: 'https://example.com/lost',
          status: 308,
        })
        expect([await follow(L, '/'), await follow(L, '/status'), await follow(L, '/unknown')]).toEqual([
          [302, 'https://example.com/welcome'],
          [308, 'https://example.com/status'],
          // What may change is never permanent (L25.2).
          [302, 'https://example.com/lost'],
        ])
        expect([(await follow(GO, '/status'))[0], await follow(GO, '/unknown')]).toEqual([302, [404, null]])
        await replaceSettings(L, {})
      },
    )

    testOnSqlite('L31.1i: robots.txt and files below /.well-known/ are those of the domain', async () => {
      const files = {
        'apple-app-site-association': { applinks: {} },
        'assetlinks.json': [{ relation: ['x'] }],
      }
      await replaceSettings(L, { robots: 'allow', well_known: files })
      const read = async (host: string, path: string) => {
        const response = await links.fetch(`http://${host}${path}`)
        return [response.status, response.headers.get('content-type')?.split(';')[0], await response.text()]
      }
      expect(await read(L, '/robots.txt')).toEqual([
        200,
        'text/plain',
        'User-agent: *\nDisallow: /_\nAllow: /\n',
      ])
      expect((await read(GO, '/robots.txt'))[2]).toContain('User-agent: Twitterbot\n')
      for (const [name, content] of Object.entries(files)) {
        expect(await read(L, `/.well-known/${name}`)).toEqual([
          200,
          'application/json',
          JSON.stringify(content),
        ])
        expect((await read(GO, `/.well-known/${name}`))[0]).toBe(404)
      }
      expect((await read(L, '/.well-known/security.txt'))[0]).toBe(404)
      await replaceSettings(GO, { well_known: { 'assetlinks.json': [] } })
      expect(await read(GO, '/.well-known/assetlinks.json')).toEqual([200, 'application/json', '[]'])
      await replaceSettings(L, {})
      await replaceSettings(GO, {})
      expect((await read(GO, '/.well-known/assetlinks.json'))[0]).toBe(404)
    })
  })

  describe('a domain that answers for another', () => {
    testOnSqlite(
      'L31.1h: its own slugs win, also disabled ones, and the rest are those of the other domain',
      async () => {
        const { body: lost } = await createOn(IDN, { url: 'https://example.com/lost', slug: 'only-lost' })
        await createOn(IDN, { url: 'https://example.com/lost/both', slug: 'in-both' })
        await createOn(IDN, { url: 'https://example.com/lost/off', slug: 'switched-off' })
        await createOn(L, { url: 'https://example.com/own', slug: 'in-both' })
        const { body: off } = await createOn(L, { url: 'https://example.com/off', slug: 'switched-off' })
        await links.call('POST', `/links/${off.id}/disable`, { key: ann })
        expect(await follow(L, '/only-lost')).toEqual([404, null])
        await replaceSettings(L, { alias_of: IDN })
        expect(await follow(L, '/only-lost')).toEqual([302, 'https://example.com/lost'])
        expect(await follow(L, '/in-both')).toEqual([302, 'https://example.com/own'])
        expect(await follow(L, '/switched-off')).toEqual([404, null])
        expect(await follow(GO, '/only-lost')).toEqual([404, null])
        expect((await links.call('GET', `/links/${lost.id}`, { key: ann })).body.total_clicks).toBe(1)
        const explained = await links.call('GET', `/slugs/only-lost/explain?domain=${L}&user_agent=x`, {
          key: ann,
        })
        expect(explained.body).toMatchObject({ outcome: 'open', location: 'https://example.com/lost' })
        await replaceSettings(L, {})
        expect(await follow(L, '/only-lost')).toEqual([404, null])
      },
    )

    testOnSqlite('L31.1h: the default domain can be that other domain', async () => {
      await links.createLink(ann, { slug: 'of-default', url: 'https://example.com/of-default' })
      expect(await replaceSettings(L, { alias_of: GO })).toMatchObject({ alias_of: GO })
      expect(await follow(L, '/of-default')).toEqual([302, 'https://example.com/of-default'])
      await replaceSettings(L, {})
    })
  })

  testOnSqlite('L31.2: explain answers for the domain that the query names', async () => {
    const { body: link } = await createOn(L, { url: 'https://example.com/explained', slug: 'explained' })
    await replaceSettings(L, { status: 301, not_found_url: 'https://example.com/lost' })
    const explain = async (path: string) => (await links.call('GET', path, { key: ann })).body
    expect(await explain(`/links/${link.id}/explain`)).toMatchObject({ status: 301, location: link.url })
    expect(await explain(`/slugs/explained/explain?domain=${L}`)).toMatchObject({ status: 301 })
    expect(await explain('/slugs/explained/explain')).toEqual({ error: 'Slug not found' })
    expect(await explain(`/links/${link.id}/explain?domain=${GO}`)).toEqual({ error: 'Slug not found' })
    await links.call('POST', `/links/${link.id}/disable`, { key: ann })
    expect(await explain(`/links/${link.id}/explain`)).toMatchObject({
      outcome: 'disabled',
      location: 'https://example.com/lost',
    })
    await replaceSettings(L, {})
  })

  testOnSqlite('L26.5: a loop over another domain is refused', async () => {
    const { body: link } = await createOn(L, { url: 'https://example.com/loop', slug: 'loop' })
    const set = (after_url: string) =>
      links.call('PUT', `/links/${link.id}/behaviour`, { key: ann, body: { after_url } })
    for (const path of ['loop', 'LOOP/', '%6Coop', '%6Coop/'])
      expect((await set(`https://${L}/${path}`)).headers.get('x-error-code')).toBe('redirect_loop')
    expect((await set(`https://${GO}/loop`)).status).toBe(200)
  })

  testOnSqlite(
    'L26.5a: a loop that an alias closes is one redirect for each visit, and no write brings it back',
    async () => {
      const ownUrl = `https://${IDN}/aliased`
      const link = await links.createLink(ann, { slug: 'aliased', url: ownUrl })
      expect(await follow(IDN, '/aliased')).toEqual([404, null])
      await replaceSettings(IDN, { alias_of: GO })
      expect(await follow(IDN, '/aliased')).toEqual([302, ownUrl])
      const update = async (url: string) => {
        const { status, headers } = await links.call('PUT', `/links/${link.id}`, { key: ann, body: { url } })
        return [status, headers.get('x-error-code')]
      }
      expect(await update(`${ownUrl}?again`)).toEqual([400, 'redirect_loop'])
      expect(await update('https://example.com/mended')).toEqual([200, null])
      expect(await update(ownUrl)).toEqual([400, 'redirect_loop'])
      expect(await follow(IDN, '/aliased')).toEqual([302, 'https://example.com/mended'])
      await replaceSettings(IDN, {})
    },
  )

  test('L31.1c: links of a domain that left the settings stay, and another domain can answer for them', async () => {
    const url = await newUrl()
    const before = new TestLinks()
    await before.start(url, settings)
    const key = await before.key('ann@example.com')
    const body = { url: 'https://example.com/stays', slug: 'stays' }
    const created = await before.call('POST', `/domains/${L}/links`, { key, body })
    await before.close()
    const after = await startTestLinks(url, { LINKS_BASE_URL: `https://${GO}` })
    // The removed host is unknown now, so it counts as the default domain.
    expect((await after.fetch(`http://${L}/stays`)).status).toBe(404)
    const listed = await after.call('GET', `/links?domain=${L}`, { key })
    expect(listed.body).toMatchObject([{ id: created.body.id, domain: L, short_origin: `https://${L}` }])
    expect((await after.callAdmin('PUT', `/domains/${GO}`, { body: { alias_of: L } })).status).toBe(200)
    expect((await after.fetch(`http://${GO}/stays`)).headers.get('location')).toBe(body.url)
  })
})
