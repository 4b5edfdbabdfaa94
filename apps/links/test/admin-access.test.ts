import { afterAll, beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { lifetimeMs } from '../src/live/operations.ts'
import { claims, jwtSettings, startIssuer } from './issuer.ts'
import { sharedTestLinks, startTestLinks } from './testing.ts'

const HOST = { Host: 'localhost:8080' }
const DASHBOARD = '/_/admin/dashboard'
const KEYS = '/_/admin/api/keys'

const headerSettings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '10.0.0.0/8',
}

onSqlite((newUrl) => {
  const local = sharedTestLinks(newUrl)
  const byHeader = sharedTestLinks(newUrl, headerSettings)
  let issuer: Awaited<ReturnType<typeof startIssuer>>
  beforeAll(async () => {
    issuer = await startIssuer()
  })
  afterAll(() => issuer.server.stop(true))
  const startJwt = async (url = issuer.url, more = {}) =>
    startTestLinks(await newUrl(), { ...jwtSettings(url), ...more })

  test('in loopback mode, this machine is admin@localhost', async () => {
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080'])
      expect((await local.fetch(KEYS, { headers: { Host: host } })).status).toBe(200)
    const { body } = await local.callAdmin('POST', '/keys', { body: { title: 'x', scope: 'read' } })
    const made = await local.call('GET', '/links?owner=admin@localhost', { key: body.raw_key })
    expect(made.status).toBe(200)
  })

  test('L16.4 L24.15: loopback mode admits no other peer, no other host and no forwarded request', async () => {
    const before = await local.databaseState()
    const tries: [Record<string, string>, string][] = [
      [HOST, '203.0.113.5'],
      [HOST, '192.168.1.2'],
      [HOST, ''],
      [{ Host: 'go.example.com' }, '127.0.0.1'],
      [{ Host: 'localhost.evil.example' }, '127.0.0.1'],
      ...[
        'Forwarded',
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'X-Real-IP',
        'Via',
        'CF-Connecting-IP',
        'True-Client-IP',
        'X-Client-IP',
        'Fly-Client-IP',
        'X-Envoy-External-Address',
      ].map((name): [Record<string, string>, string] => [{ ...HOST, [name]: '127.0.0.1' }, '127.0.0.1']),
    ]
    for (const [headers, peer] of tries) {
      const page = await local.fetch(DASHBOARD, { headers }, peer)
      expect([headers, peer, page.status, page.headers.get('content-type')]).toEqual([
        headers,
        peer,
        403,
        'text/html; charset=utf-8',
      ])
      const body = JSON.stringify({ title: 'x', scope: 'read' })
      const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }
      const api = await local.fetch(KEYS, init, peer)
      expect([headers, peer, api.status]).toEqual([headers, peer, 403])
      expect(((await api.json()) as { error: string }).error).toContain('LINKS_ACCESS')
    }
    expect(await local.databaseState()).toEqual(before)
  })

  test('every mode refuses an API key, whatever else the request contains', async () => {
    const service = await startJwt()
    const assertion = await issuer.sign(claims(service))
    for (const [links, peer] of [
      [local, '127.0.0.1'],
      [byHeader, '10.0.0.1'],
      [service, '127.0.0.1'],
    ] as const) {
      const key = await links.key('admin@localhost')
      const headers = {
        ...HOST,
        'X-Forwarded-Email': 'ann@example.com',
        'Cf-Access-Jwt-Assertion': assertion,
      }
      for (const authorization of [`Bearer ${key}`, `bearer ${key}`, 'Bearer sk_x']) {
        const api = await links.fetch(KEYS, { headers: { ...headers, Authorization: authorization } }, peer)
        expect([api.status, await api.json()]).toEqual([
          401,
          { error: 'API keys are not accepted here', code: 'api_keys_refused' },
        ])
        const page = await links.fetch(
          DASHBOARD,
          { headers: { ...headers, Authorization: authorization } },
          peer,
        )
        expect([page.status, await page.text()]).toEqual([
          401,
          expect.stringContaining('API keys are not accepted here'),
        ])
      }
    }
  })

  test('in header mode, only a trusted proxy may name the caller', async () => {
    const ask = (headers: Record<string, string>, peer: string) => byHeader.fetch(KEYS, { headers }, peer)
    expect((await ask({ 'X-Forwarded-Email': 'ann@example.com' }, '10.1.2.3')).status).toBe(200)
    const refused: [Record<string, string>, string][] = [
      [{ 'X-Forwarded-Email': 'ann@example.com' }, '127.0.0.1'],
      [{ 'X-Forwarded-Email': 'ann@example.com' }, '203.0.113.5'],
      [{ 'X-Forwarded-Email': 'ann@example.com', 'X-Forwarded-For': '10.0.0.1' }, '203.0.113.5'],
      [{}, '10.1.2.3'],
      [{ 'X-Forwarded-Email': ' ' }, '10.1.2.3'],
      [{ 'X-Forwarded-Email': 'ann@example.com, ben@example.com' }, '10.1.2.3'],
      [{ 'X-Forwarded-User': 'ann@example.com' }, '10.1.2.3'],
    ]
    for (const [headers, peer] of refused)
      expect([headers, peer, (await ask(headers, peer)).status]).toEqual([headers, peer, 401])
  })

  test('an assertion in the header or the cookie identifies the caller by email, or else by subject', async () => {
    const service = await startJwt()
    const keysOf = async (headers: Record<string, string>) =>
      (await service.fetch(KEYS, { headers }, '203.0.113.5')).status
    const assertion = await issuer.sign(claims(service))
    expect(await keysOf({ 'Cf-Access-Jwt-Assertion': assertion })).toBe(200)
    expect(await keysOf({ Cookie: `a=b; CF_Authorization=${assertion}` })).toBe(200)
    const bySubject = await issuer.sign(claims(service, { email: undefined, sub: 'machine-7' }))
    const made = await service.fetch(KEYS, {
      method: 'POST',
      headers: { 'Cf-Access-Jwt-Assertion': bySubject, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'x', scope: 'create' }),
    })
    expect(made.status).toBe(201)
    expect(await service.rows('select identity from api_key')).toEqual([{ identity: 'machine-7' }])
  })

  test('L16.1: a bad or missing assertion is 401 with the reason, also from this machine', async () => {
    const service = await startJwt()
    const bad: Record<string, string> = {
      expired: await issuer.sign(claims(service, { exp: service.now - 61 })),
      'not valid yet': await issuer.sign(claims(service, { nbf: service.now + 61 })),
      'another issuer': await issuer.sign(claims(service, { iss: 'https://evil.example' })),
      'another audience': await issuer.sign(claims(service, { aud: 'other' })),
      'does not say when it expires': await issuer.sign(claims(service, { exp: undefined })),
      'names nobody': await issuer.sign(claims(service, { email: undefined })),
      'cannot be verified': 'x.y.z',
      'it must be a JWT signed': await issuer.sign(claims(service), issuer.strange),
    }
    for (const [why, assertion] of Object.entries(bad)) {
      const response = await service.fetch(KEYS, {
        headers: { ...HOST, 'Cf-Access-Jwt-Assertion': assertion },
      })
      const { error } = (await response.json()) as { error: string }
      expect([why, response.status, error.includes(why), error.includes(assertion)]).toEqual([
        why,
        401,
        true,
        false,
      ])
    }
    expect((await service.fetch(KEYS, { headers: HOST })).status).toBe(401)
    expect((await service.fetch('/', { headers: HOST })).status).toBe(200)
    const edge = await issuer.sign(claims(service, { exp: service.now - 59, nbf: service.now + 59 }))
    expect((await service.fetch(KEYS, { headers: { 'Cf-Access-Jwt-Assertion': edge } })).status).toBe(200)
  })

  test('L16.1: while the keys are unavailable, an assertion is 503 with Retry-After and a missing one stays 401', async () => {
    const closed = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('no', { status: 500 }),
    })
    const service = await startJwt(`http://127.0.0.1:${closed.port}/certs`)
    const headers = { 'Cf-Access-Jwt-Assertion': await issuer.sign(claims(service)) }
    for (const path of [KEYS, DASHBOARD]) {
      const response = await service.fetch(path, { headers })
      expect([path, response.status]).toEqual([path, 503])
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
      expect((await service.fetch(path)).status).toBe(401)
    }
    await closed.stop(true)
    expect((await service.fetch(KEYS, { headers })).status).toBe(503)
    expect(service.log.some((line) => line['level'] === 'warn')).toBe(true)
  })

  test('L16.2 L24.15: a change requested by a page of another site is refused and changes nothing', async () => {
    const service = await startJwt()
    const assertion = await issuer.sign(claims(service))
    const byAssertion = { ...HOST, 'Cf-Access-Jwt-Assertion': assertion }
    const byCookie = { ...HOST, Cookie: `CF_Authorization=${assertion}` }
    const post = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ title: 'x', scope: 'read' })
      const response = await service.fetch(KEYS, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
      })
      return [response.status, ((await response.json()) as { error?: string }).error]
    }
    const before = await service.databaseState()
    for (const proof of [byAssertion, byCookie])
      for (const origin of [
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'none' },
        { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://localhost:8080' },
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { Origin: 'http://localhost:8081' },
      ])
        expect([origin, await post({ ...proof, ...origin })]).toEqual([
          origin,
          [403, 'Cross-site request refused'],
        ])
    expect(await post(byCookie)).toEqual([403, 'Cross-site request refused'])
    expect(await service.databaseState()).toEqual(before)
    for (const headers of [
      byAssertion,
      { ...byCookie, 'Sec-Fetch-Site': 'same-origin' },
      { ...byCookie, Origin: 'http://localhost:8080' },
    ])
      expect((await post(headers))[0]).toBe(201)
    const read = await service.fetch(KEYS, { headers: { ...byCookie, 'Sec-Fetch-Site': 'cross-site' } })
    expect(read.status).toBe(200)
  })

  test('L16.3: every answer under the admin side has its protective headers, whether page, JSON, refusal or 404', async () => {
    const requests: [string, string][] = [
      [DASHBOARD, '127.0.0.1'],
      [DASHBOARD, '203.0.113.5'],
      [KEYS, '127.0.0.1'],
      [KEYS, '203.0.113.5'],
      ['/_/admin/nothing', '127.0.0.1'],
      ['/_/admin/api', '127.0.0.1'],
      ['/_/admin/api/nothing', '127.0.0.1'],
      ['/_/admin/logout', '127.0.0.1'],
      ['/_/admin', '203.0.113.5'],
      ['/_/admin/', '127.0.0.1'],
    ]
    for (const [path, peer] of requests) {
      const { headers } = await local.fetch(path, { headers: HOST }, peer)
      expect([path, headers.get('cache-control')]).toEqual([path, 'private, no-store'])
      expect(headers.get('content-security-policy')).toContain(`script-src 'self'`)
      expect(headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('same-origin')
    }
  })

  test('without admission, a caller cannot learn which addresses exist', async () => {
    for (const path of ['/nothing', '/keys', '/settings', '/keys/1'])
      for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) {
        const response = await local.fetch(`/_/admin/api${path}`, { method, headers: HOST }, '203.0.113.5')
        expect([path, method, response.status]).toEqual([path, method, 403])
      }
    for (const path of ['/nothing', '/logout', '/dashboard'])
      expect((await local.fetch(`/_/admin${path}`, { headers: HOST }, '203.0.113.5')).status).toBe(403)
  })

  test('L17: an event stream ends with the assertion that opened it, and goes on while the assertion is valid', async () => {
    const service = await startJwt()
    const open = async (seconds: number) => {
      const assertion = await issuer.sign(claims(service, { exp: service.now + seconds }))
      const address = 'http://localhost:8080/_/admin/api/events'
      // Bypasses `fetch`, which would read the answer to its end.
      const response = await service.fetchHandler(
        new Request(address, { headers: { 'Cf-Access-Jwt-Assertion': assertion } }),
        { requestIP: () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 }), timeout: () => undefined },
      )
      expect(response.status).toBe(200)
      return (response.body as ReadableStream<Uint8Array>).getReader()
    }
    const [short, long] = [await open(1), await open(600)]
    let isOpen = true
    const ended = (async () => {
      while (!(await long.read()).done);
      isOpen = false
    })()
    while (!(await short.read()).done);
    expect(isOpen).toBe(true)
    await long.cancel()
    await ended
  })

  test('no event stream lasts longer than ten minutes, however the caller was admitted', () => {
    expect(lifetimeMs({ now: 1_000 })).toBe(600_000)
    expect(lifetimeMs({ now: 1_000, admittedUntil: 1_000 + 86_400 })).toBe(600_000)
    expect(lifetimeMs({ now: 1_000, admittedUntil: 1_090 })).toBe(90_000)
    expect(lifetimeMs({ now: 1_000, admittedUntil: 990 })).toBeLessThan(0)
  })

  test('L16.3: signing out redirects to the configured URL, and is 404 without one', async () => {
    expect((await local.fetch('/_/admin/logout')).status).toBe(404)
    const url = 'https://go.example.com/cdn-cgi/access/logout'
    const service = await startJwt(issuer.url, { LINKS_ACCESS_LOGOUT_URL: url })
    const headers = { 'Cf-Access-Jwt-Assertion': await issuer.sign(claims(service)) }
    const response = await service.fetch('/_/admin/logout', { headers })
    expect([response.status, response.headers.get('location')]).toEqual([302, url])
  })

  test('L24.17: an identity that contains markup is shown as text', async () => {
    const name = '<img/src=x onerror=alert(1)>@example.com'
    const page = await byHeader.fetch(DASHBOARD, { headers: { 'X-Forwarded-Email': name } }, '10.0.0.1')
    const html = await page.text()
    expect([page.status, html.includes('<img/src=x')]).toEqual([200, false])
    expect(html).toContain('&lt;img/src=x')
  })
})
