import { beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DESKTOP, PHONE } from './actions.ts'
import { sharedTestLinks, startTestLinks } from './testing.ts'

const to = 'https://example.com/to'
/** Another machine: this one gets other pages for slugs that do not redirect (L12.6). */
const STRANGER = '198.51.100.9'

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, { LINKS_REDIRECT_STATUS: '301' })
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })
  let count = 0
  const newLink = async (behaviour: object, fields: object = {}) => {
    const slug = `b-${++count}`
    const { id } = await links.createLink(ann, { slug, ...fields })
    await setBehaviour(id, behaviour)
    return { id: id as number, slug }
  }
  const setBehaviour = async (id: number, body: object) => {
    const reply = await links.call('PUT', `/links/${id}/behaviour`, { key: ann, body })
    expect([reply.status, reply.body]).toEqual([200, expect.anything()])
  }
  const visit = async (path: string, init: RequestInit = {}) => {
    const response = await links.fetch(
      `/${path}`,
      {
        ...init,
        headers: { 'User-Agent': DESKTOP, ...(init.headers as Record<string, string>) },
      },
      STRANGER,
    )
    return [response.status, response.headers.get('location')] as const
  }
  const clicksOf = async (id: number) =>
    (await links.call('GET', `/links/${id}`, { key: ann })).body.total_clicks as number
  const unknownPage = async () => {
    const response = await links.fetch('/no-such-slug', {}, STRANGER)
    return { status: response.status, headers: [...response.headers], body: await response.text() }
  }
  const page = async (slug: string) => {
    const response = await links.fetch(`/${slug}`, { headers: { 'User-Agent': DESKTOP } }, STRANGER)
    return { status: response.status, headers: [...response.headers], body: await response.text() }
  }

  testOnSqlite(
    'L25.2: a link with behaviour is never redirected permanently, and a plain one is as before',
    async () => {
      const { id, slug } = await newLink(
        { rules: [{ when: { os: ['ios'] }, to }] },
        { url: 'https://example.com/own' },
      )
      expect(await visit(slug)).toEqual([302, 'https://example.com/own'])
      expect(await visit(slug, { headers: { 'User-Agent': PHONE } })).toEqual([302, to])
      expect(await visit(slug, { method: 'HEAD' })).toEqual([302, 'https://example.com/own'])
      const response = await links.fetch(`/${slug}`)
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      await setBehaviour(id, {})
      expect(await visit(slug)).toEqual([301, 'https://example.com/own'])
    },
  )

  testOnSqlite(
    'L26: a behaviour applies to every slug of the link, and a change of it to the next redirect',
    async () => {
      const { id, slug } = await newLink({ forward_query: 'utm' }, { url: 'https://example.com/own' })
      await links.call('POST', `/links/${id}/slugs`, { key: ann, body: { slug: `${slug}-2` } })
      for (const each of [slug, `${slug}-2`])
        expect(await visit(`${each}?utm_source=x&a=1`)).toEqual([302, 'https://example.com/own?utm_source=x'])
      await setBehaviour(id, { forward_query: 'all' })
      for (const each of [slug, `${slug}-2`])
        expect(await visit(`${each}?utm_source=x&a=1`)).toEqual([
          302,
          'https://example.com/own?utm_source=x&a=1',
        ])
    },
  )

  testOnSqlite(
    'L26.1: early, expired and disabled links are answered exactly like an unknown slug',
    async () => {
      const unknown = await unknownPage()
      const early = await newLink({ starts_at: links.now + 60, after_url: to })
      const expired = await newLink({ starts_at: 1 }, { expires_at: links.now })
      const disabled = await newLink({ starts_at: links.now + 60, before_url: to, after_url: to })
      await links.call('POST', `/links/${disabled.id}/disable`, { key: ann })
      for (const { slug } of [early, expired, disabled]) expect(await page(slug)).toEqual(unknown)
    },
  )

  testOnSqlite('L12.6a: the owner of an early or used-up link reads why it does not redirect', async () => {
    const fields = { url: 'https://example.com/owned', allow_duplicate: true }
    for (const [behaviour, title] of [
      [{ starts_at: links.now + 60 }, 'This link isn’t available yet'],
      [{ max_clicks: 1 }, 'This link has reached its limit'],
    ] as const) {
      const { body } = await links.callAdmin('POST', '/links', { body: fields })
      await links.callAdmin('PUT', `/links/${body.id}/behaviour`, { body: behaviour })
      const path = `/${body.slugs[0].slug}`
      const init = { headers: { 'User-Agent': DESKTOP } }
      await links.fetch(path, init, STRANGER)
      const own = await links.fetch(path, init)
      expect([own.status, await own.text()]).toEqual([404, expect.stringContaining(title)])
      expect(await page(path.slice(1))).toEqual(await unknownPage())
    }
  })

  testOnSqlite(
    'L26: before it starts and after it expires, a link leads to its fallbacks, which are no clicks',
    async () => {
      const behaviour = {
        starts_at: links.now + 60,
        before_url: `${to}/before`,
        after_url: `${to}/after`,
        forward_query: 'all',
      }
      const { id, slug } = await newLink(behaviour, { expires_at: links.now + 120 })
      expect(await visit(`${slug}?a=1`)).toEqual([302, `${to}/before`])
      links.advance(60)
      expect((await visit(slug))[1]).toMatch(/^https:\/\/example\.com\/made/)
      links.advance(60)
      expect(await visit(`${slug}?a=1`)).toEqual([302, `${to}/after`])
      expect(await clicksOf(id)).toBe(1)
    },
  )

  testOnSqlite(
    'L12.3c, L26.1: not_found_url is where everything leads that has no page, and only administrators set it',
    async () => {
      const early = await newLink({ starts_at: links.now + 60 })
      const set = (not_found_url: string | null) =>
        links.callAdmin('PUT', '/settings', { body: { not_found_url } })
      expect((await set(`${to}/lost`)).body.not_found_url).toBe(`${to}/lost`)
      for (const path of ['no-such-slug', early.slug, 'a/b'])
        expect(await visit(path)).toEqual([302, `${to}/lost`])
      expect((await visit('no-such-slug', { method: 'POST' }))[0]).toBe(405)
      await set(null)
      expect((await visit(early.slug))[0]).toBe(404)
      const { status, body } = await set('javascript:alert(1)')
      expect([status, body.code]).toEqual([400, 'not_found_url_invalid'])
    },
  )

  describe('a link with max_clicks', () => {
    const behaviour = { max_clicks: 3, after_url: `${to}/after` }
    const left = async (id: number) =>
      (await links.call('GET', `/links/${id}/behaviour`, { key: ann })).body.clicks_left as number

    test('L26.3e: lets exactly that many people through, among many at once', async () => {
      const { id, slug } = await newLink({ ...behaviour, max_clicks: 20 })
      const answers = await Promise.all(Array.from({ length: 64 }, () => visit(slug)))
      const through = answers.filter(([, location]) => location?.includes('/made/'))
      expect(through).toHaveLength(20)
      expect(
        answers.filter(([status, location]) => status === 302 && location === `${to}/after`),
      ).toHaveLength(44)
      expect([await left(id), await clicksOf(id)]).toEqual([0, 20])
    })

    test('L26.3: is answered like an unknown slug once it is used up', async () => {
      const { slug } = await newLink({ max_clicks: 1 })
      expect((await visit(slug))[0]).toBe(302)
      expect(await page(slug)).toEqual(await unknownPage())
    })

    const BOT: RequestInit = { headers: { 'User-Agent': 'Slackbot-LinkExpanding 1.0' } }
    const OUTLOOK: RequestInit = {
      headers: {
        'User-Agent': 'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; ms-office; MSOffice 16)',
      },
    }
    const previews: RequestInit[] = [
      { method: 'HEAD' },
      { headers: { 'Sec-Purpose': 'prefetch' } },
      BOT,
      OUTLOOK,
    ]
    const open = async (slug: string, init: RequestInit = {}) => {
      const headers = { 'User-Agent': DESKTOP, ...(init.headers as object) }
      const response = await links.fetch(`/${slug}`, { ...init, headers }, STRANGER)
      return { response, html: await response.text() }
    }
    const press = (slug: string, init: RequestInit = {}) => visit(slug, { ...init, method: 'POST' })

    testOnSqlite(
      'L26.3a: shows previews and bots a page without a destination, and uses nothing up',
      async () => {
        const { id, slug } = await newLink(behaviour, { url: 'https://secret.example/' })
        for (const init of previews) {
          const { response, html } = await open(slug, init)
          expect([response.status, response.headers.get('location')]).toEqual([200, null])
          expect(response.headers.get('cache-control')).toBe('private, no-store')
          expect(response.headers.get('set-cookie')).toBeNull()
          expect(html).not.toContain('secret.example')
          if (init.method !== 'HEAD') expect(html).toContain('<form method="post">')
        }
        expect([await left(id), await clicksOf(id)]).toEqual([3, 0])
        for (let n = 0; n < 3; n++) await visit(slug)
        for (const init of previews) expect(await visit(slug, init)).toEqual([302, `${to}/after`])
      },
    )

    testOnSqlite(
      'L13.2e, L26.3b: a visitor who is taken for a bot gets through by pressing the button',
      async () => {
        const { id, slug } = await newLink({ ...behaviour, max_clicks: 1, forward_query: 'all' })
        const [status, location] = await press(`${slug}?a=1`, BOT)
        expect([status, location]).toEqual([303, expect.stringMatching(/\/made\/.*a=1$/)])
        expect([await left(id), await clicksOf(id)]).toEqual([0, 1])
        expect(await press(slug)).toEqual([303, `${to}/after`])
        expect(await clicksOf(id)).toBe(1)
      },
    )

    testOnSqlite(
      'L26.3a: with confirm_visit, a GET by anyone shows the page, and only its button is the click',
      async () => {
        const url = 'https://secret.example/'
        const { id, slug } = await newLink({ ...behaviour, max_clicks: 2, confirm_visit: true }, { url })
        for (const init of [{}, {}, {}, ...previews]) {
          const { response, html } = await open(slug, init)
          expect([response.status, response.headers.get('location')]).toEqual([200, null])
          expect(response.headers.get('cache-control')).toBe('private, no-store')
          expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
          expect(html).not.toMatch(/secret\.example|<script|action=/)
        }
        expect([await left(id), await clicksOf(id)]).toEqual([2, 0])
        expect(await press(slug)).toEqual([303, url])
        expect(await press(slug)).toEqual([303, url])
        expect([await left(id), await clicksOf(id)]).toEqual([0, 2])
        for (const init of [{}, { method: 'POST' }])
          expect([init, (await visit(slug, init))[1]]).toEqual([init, `${to}/after`])
      },
    )

    testOnSqlite('L26.3c: a form that a page of another origin posts uses nothing up', async () => {
      const { id, slug } = await newLink({ ...behaviour, confirm_visit: true })
      for (const site of ['cross-site', 'same-site']) {
        const answer = await press(slug, {
          headers: { 'Sec-Fetch-Site': site, Origin: 'https://evil.example' },
        })
        expect([site, ...answer]).toEqual([site, 200, null])
      }
      expect([await left(id), await clicksOf(id)]).toEqual([3, 0])
      for (const site of ['same-origin', 'none'])
        expect((await press(slug, { headers: { 'Sec-Fetch-Site': site, Origin: 'null' } }))[0]).toBe(303)
      expect([await left(id), await clicksOf(id)]).toEqual([1, 2])
    })

    testOnSqlite(
      'L26.3d: a form to an early or used-up link is answered exactly like one to an unknown slug',
      async () => {
        const posted = async (slug: string) => {
          const { response, html } = await open(slug, { method: 'POST' })
          return { status: response.status, headers: [...response.headers], html }
        }
        const unknown = await posted('no-such-slug')
        expect([unknown.status, unknown.html]).toEqual([405, expect.stringContaining('Page not found')])
        const used = await newLink({ max_clicks: 1, confirm_visit: true })
        expect((await press(used.slug))[0]).toBe(303)
        const early = await newLink({ max_clicks: 1, starts_at: links.now + 60 })
        const plain = await newLink({ after_url: to })
        for (const { slug } of [used, early, plain]) expect(await posted(slug)).toEqual(unknown)
      },
    )

    testOnSqlite('L26: confirm_visit needs a limit', async () => {
      const { id } = await newLink(behaviour)
      const put = (body: object) => links.call('PUT', `/links/${id}/behaviour`, { key: ann, body })
      for (const body of [{ confirm_visit: true }, { max_clicks: 1, confirm_visit: false }])
        expect([body, (await put(body)).status]).toEqual([body, 400])
      const valid = { max_clicks: 4, confirm_visit: true }
      expect((await put(valid)).body).toEqual({ ...valid, clicks_left: 4 })
    })

    test('L26: counts from when the number was set or changed to another', async () => {
      const { id, slug } = await newLink(behaviour)
      await visit(slug)
      await setBehaviour(id, { ...behaviour, after_url: to })
      expect(await left(id)).toBe(2)
      await setBehaviour(id, { ...behaviour, max_clicks: 4 })
      expect(await left(id)).toBe(4)
      await setBehaviour(id, { after_url: to })
      await setBehaviour(id, { ...behaviour, max_clicks: 4 })
      expect(await left(id)).toBe(4)
    })

    testOnSqlite('L26.1: counts no visitor before it starts', async () => {
      const { id, slug } = await newLink({ ...behaviour, starts_at: links.now + 60 })
      expect((await visit(slug))[0]).toBe(404)
      expect(await left(id)).toBe(3)
    })
  })

  describe('a link with a password', () => {
    const url = 'https://secret.example/path'
    const behaviour = { password: 'correct horse å', rules: [{ when: { os: ['ios'] }, to: `${url}/ios` }] }
    const enter = (
      path: string,
      password: string,
      peer = '192.0.2.1',
      headers: Record<string, string> = {},
    ) =>
      links.fetch(
        `/${path}`,
        {
          method: 'POST',
          body: new URLSearchParams({ password }),
          headers: { 'User-Agent': DESKTOP, ...headers },
        },
        peer,
      )

    testOnSqlite('L26.4: asks for it in a form without a destination or a script', async () => {
      const { id, slug } = await newLink(behaviour, { url })
      const response = await links.fetch(`/${slug}`, { headers: { 'User-Agent': DESKTOP } })
      const html = await response.text()
      expect([response.status, response.headers.get('location')]).toEqual([200, null])
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(html).toContain('<form method="post">')
      expect(html).not.toMatch(/secret\.example|<script|action=/)
      const swedish = await links.fetch(`/${slug}`, {
        headers: { 'User-Agent': DESKTOP, 'Accept-Language': 'sv-SE' },
      })
      expect(await swedish.text()).toContain('Länken är skyddad')
      expect(await clicksOf(id)).toBe(0)
    })

    test('L26.4: the right password is a click and leads to the target of the visit with 303', async () => {
      const { id, slug } = await newLink({ ...behaviour, forward_query: 'all' }, { url })
      const answer = await enter(`${slug}?a=1`, 'correct horse å'.normalize('NFD'))
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `${url}?a=1`])
      const phone = await enter(slug, 'correct horse å', '192.0.2.1', { 'User-Agent': PHONE })
      expect([phone.status, phone.headers.get('location')]).toEqual([303, `${url}/ios`])
      expect(phone.headers.get('set-cookie')).toBeNull()
      expect(await clicksOf(id)).toBe(2)
    })

    testOnSqlite('L26.4: a wrong password is the form again with 401, and no click', async () => {
      const { id, slug } = await newLink(behaviour, { url })
      for (const password of ['wrong', '', 'x'.repeat(5000), 'correct horse']) {
        const answer = await enter(slug, password)
        expect([answer.status, answer.headers.get('location')]).toEqual([401, null])
        expect(await answer.text()).not.toContain('secret.example')
      }
      const query = await links.fetch(`/${slug}?password=${encodeURIComponent(behaviour.password)}`, {
        headers: { 'User-Agent': DESKTOP, Cookie: `password=${encodeURIComponent(behaviour.password)}` },
      })
      expect([query.status, await clicksOf(id)]).toEqual([200, 0])
    })

    testOnSqlite(
      'L26.4f: after five wrong tries an address waits; others, and other links, do not',
      async () => {
        const { slug } = await newLink(behaviour, { url })
        const other = await newLink(behaviour, { url })
        for (let n = 0; n < 5; n++) expect((await enter(slug, 'wrong')).status).toBe(401)
        const refused = await enter(slug, behaviour.password)
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '900'])
        expect((await enter(slug, behaviour.password, '192.0.2.2')).status).toBe(303)
        expect((await enter(other.slug, behaviour.password)).status).toBe(303)
        links.advance(15 * 60)
        expect((await enter(slug, behaviour.password)).status).toBe(303)
      },
    )

    testOnSqlite('L26.4a: the form is for everyone, whatever the user agent', async () => {
      const { id, slug } = await newLink(behaviour, { url })
      const bots = ['WhatsApp/2.0', 'Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 21) Tomsk/9', '']
      for (const userAgent of bots) {
        const response = await links.fetch(`/${slug}`, { headers: { 'User-Agent': userAgent } }, STRANGER)
        const html = await response.text()
        expect([userAgent, response.status]).toEqual([userAgent, 200])
        expect(html).toContain('name="password"')
        expect(html).not.toContain('secret.example')
      }
      expect(await clicksOf(id)).toBe(0)
      const answer = await enter(slug, behaviour.password, '192.0.2.1', { 'User-Agent': 'WhatsApp/2.0' })
      expect(answer.status).toBe(303)
      for (const init of [{ method: 'HEAD' }, { headers: { 'Sec-Purpose': 'prefetch' } }])
        expect(await visit(slug, init)).toEqual([200, null])
      expect(await clicksOf(id)).toBe(1)
    })

    testOnSqlite('L26.4: a page of another site uses up no tries of its visitors', async () => {
      const { slug } = await newLink(behaviour, { url })
      for (let n = 0; n < 6; n++)
        expect((await enter(slug, 'wrong', '192.0.2.1', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(200)
      expect((await enter(slug, behaviour.password)).status).toBe(303)
    })

    testOnSqlite('L26.4i: POST is 405 elsewhere', async () => {
      const { slug } = await newLink(behaviour, { url })
      const plain = await newLink({ after_url: to })
      for (const path of [plain.slug, 'no-such-slug', 'a/b'])
        expect((await enter(path, 'x')).status).toBe(405)
      expect((await visit(slug, { method: 'PUT' }))[0]).toBe(405)
    })

    testOnSqlite('L26.1: the password comes before everything but the state of the link', async () => {
      const { id, slug } = await newLink({ ...behaviour, max_clicks: 1, after_url: to }, { url })
      expect((await visit(slug))[0]).toBe(200)
      const answers = await Promise.all([enter(slug, behaviour.password), enter(slug, behaviour.password)])
      const locations = answers.map((answer) => answer.headers.get('location'))
      expect(new Set(locations)).toEqual(new Set([url, to]))
      await links.call('POST', `/links/${id}/disable`, { key: ann })
      expect((await visit(slug))[0]).toBe(404)
      expect((await enter(slug, behaviour.password)).status).toBe(405)
    })

    test('L26.4: a password is kept, replaced or removed, and never shown', async () => {
      const { id, slug } = await newLink(behaviour, { url })
      const read = async () =>
        JSON.stringify((await links.call('GET', `/links/${id}/behaviour`, { key: ann })).body)
      expect(await read()).toContain('"password":true')
      for (const keep of [{ after_url: to }, { after_url: to, password: true }]) {
        await setBehaviour(id, keep)
        expect((await enter(slug, behaviour.password)).status).toBe(303)
      }
      await setBehaviour(id, { password: 'another' })
      expect([(await enter(slug, behaviour.password)).status, (await enter(slug, 'another')).status]).toEqual(
        [401, 303],
      )
      const stored = JSON.stringify(await links.databaseState())
      const logged = JSON.stringify(links.log)
      for (const password of [behaviour.password, 'another']) {
        expect(stored).not.toContain(password)
        expect(logged).not.toContain(password)
      }
      await setBehaviour(id, { password: null })
      expect(await visit(slug)).toEqual([301, url])
    })
  })
})

eachDialect((_dialect, newUrl, testOnSqlite) => {
  testOnSqlite('L25.4: not_found_url is for the administrators of LINKS_ADMINS', async () => {
    const settings = {
      LINKS_ACCESS: 'header',
      LINKS_ACCESS_HEADER: 'X-Email',
      TRUSTED_PROXIES: '127.0.0.1',
      LINKS_ADMINS: 'ann@example.com',
    }
    const links = await startTestLinks(await newUrl(), settings)
    const set = (identity: string, body: object) =>
      links.callAdmin('PUT', '/settings', { body, headers: { 'X-Email': identity } })
    const refused = await set('ben@example.com', { not_found_url: to, theme: 'dark' })
    expect([refused.status, refused.body.code]).toEqual([403, 'not_admin'])
    expect((await set('ben@example.com', { theme: 'dark' })).body).toMatchObject({
      theme: 'dark',
      not_found_url: null,
    })
    expect((await set('ann@example.com', { not_found_url: to })).body.not_found_url).toBe(to)
  })
})
