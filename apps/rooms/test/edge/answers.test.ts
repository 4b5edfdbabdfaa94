// Properties of every response, successful or not (R11.5, R15, R24).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { failures } from '../../src/api/failures.ts'
import { MESH } from '../voice/call.ts'
import { type Browser, ORIGIN, type TestRooms, openRooms } from '../rooms.ts'
import { routes } from './operations.ts'

const MANY = { http_per_minute: 1_000_000, http_anonymous_per_minute: 1_000_000, messages_per_10s: 1_000_000 }

let service: TestRooms
let browser: Browser
beforeAll(async () => {
  service = await openRooms({ limits: MANY })
  browser = await service.signedInBrowser()
})
afterAll(() => service.close())

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' wss://rooms.example.com; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'permissions-policy': 'camera=(), microphone=(), display-capture=(), geolocation=()',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
}

test('R33.7: with calls, pages of this origin may use devices, and no other page may', async () => {
  const rooms = await openRooms({ settings: { voice: MESH } })
  const answer = await rooms.browser().send('/login')
  expect(answer.headers.get('permissions-policy')).toBe(
    'camera=(self), microphone=(self), display-capture=(self), geolocation=()',
  )
  await rooms.close()
})

test('C105: every page and every response, errors included, has the security headers', async () => {
  const sent: [address: string, status: number, options?: Parameters<Browser['send']>[1]][] = [
    ['/', 200],
    ['/login?error=cancelled', 200],
    ['/rooms/00000000-0000-4000-8000-000000000000', 200],
    ['/', 405, { method: 'POST' }],
    ['/', 421, { headers: { host: 'evil.example' } }],
    ['/', 400, { headers: { host: 'a, b' } }],
    ['/api', 404],
    ['/api/docs', 200],
    ['/api/docs', 405, { method: 'PUT' }],
    ['/api/docs/scalar.js', 200],
    ['/api/openapi.json', 200],
    ['/api/health', 200],
    ['/api/ready', 200],
    ['/api/metrics', 404],
    ['/api/session', 200],
    ['/api/session', 403, { headers: { origin: 'https://evil.example' } }],
    ['/api/nothing', 404],
    ['/api/session', 405, { method: 'PUT' }],
    ['/api/auth/login', 302],
    ['/api/auth/callback', 302],
    ['/api/auth/login', 405, { method: 'POST' }],
    ['/api/auth/backchannel-logout', 405],
    ['/api/auth/backchannel-logout', 400, { method: 'POST' }],
    ['/api/auth/logout', 400, { method: 'POST', body: 'x' }],
  ]
  for (const [address, status, options] of sent) {
    const answer = await browser.send(address, options)
    const actual = Object.fromEntries(Object.keys(HEADERS).map((name) => [name, answer.headers.get(name)]))
    expect([address, answer.status, actual]).toEqual([address, status, HEADERS])
  }
})

test('every error has the same shape, a documented code, and the request id of the log', async () => {
  const requests: [string, Parameters<Browser['send']>[1]?][] = [
    ['/api/nothing'],
    ['/api/session', { method: 'PUT' }],
    ['/api/session', { headers: { host: 'evil.example' } }],
    ['/api/auth/logout', { method: 'POST', body: { x: 1 } }],
    ['/api/sessions/x', { method: 'DELETE' }],
  ]
  for (const [address, options] of requests) {
    const answer = await browser.send(address, options)
    const body = (await answer.json()) as { error: string; code: keyof typeof failures }
    expect({ address, status: answer.status }).toMatchObject({ address, status: failures[body.code].status })
    expect(answer.headers.get('content-type')).toStartWith('application/json')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
})

test('R15.1: invalid input is named in fields, also where it is not found by a schema', async () => {
  const guest = service.browser()
  await guest.json('/api/session', { body: { nickname: 'Gus' } }, 201)
  const sent: [browser: Browser, address: string, path: string, options?: Parameters<Browser['send']>[1]][] =
    [
      [guest, '/api/session', 'nickname', { method: 'PATCH', body: { nickname: '\u200b ' } }],
      [guest, '/api/session', 'nickname', { method: 'PATCH', body: { nickname: 'x'.repeat(65) } }],
      [browser, '/api/rooms?cursor=made-up', 'cursor'],
      [browser, '/api/admin/users?cursor=made-up', 'cursor'],
    ]
  for (const [asks, address, path, options] of sent)
    expect(await asks.json(address, options, 400)).toMatchObject({ fields: [{ path }] })
})

test('R22: a body over the limit is answered with 413, also where no body is expected', async () => {
  const body = { junk: 'x'.repeat(65_536) }
  const headers = { 'content-length': String(JSON.stringify(body).length) }
  for (const [method, address] of [
    ['POST', '/api/sessions/revoke-others'],
    ['DELETE', '/api/rooms/00000000-0000-4000-8000-000000000000'],
    ['POST', '/api/ws-ticket'],
  ] as const)
    expect(await browser.json(address, { method, body, headers }, 413)).toMatchObject({ code: 'too_large' })
})

test('R16.2: a socket ticket is created without a body or with an empty one', async () => {
  for (const options of [{ method: 'POST' }, { body: {} }])
    expect(await browser.json('/api/ws-ticket', options, 201)).toMatchObject({ expiresIn: 60 })
})

test('unknown addresses of the API are answered with 404, signed in or not, for every method', async () => {
  const addresses = [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/session/',
    '/api/session/x',
    '/api/Session',
    '/api//session',
    '/api/auth',
    '/api/auth/login/',
    '/api/auth/backchannel-logout/',
    '/api/%73ession/x',
    '/api/constructor',
    '/api/__proto__',
    '/api/toString',
  ]
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
  const requests = addresses.flatMap((address) => methods.map((method) => ({ address, method })))
  for (const each of [browser, service.browser()])
    for (const { address, method } of requests) {
      const answer = await each.send(address, { method })
      const body = method === 'HEAD' ? '' : '{"error":"Not found","code":"not_found"}'
      expect([address, method, answer.status, await answer.text()]).toEqual([address, method, 404, body])
    }
})

test('a method that an address does not support is answered with 405 and the supported ones', async () => {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  for (const [path, list] of byPath) {
    const methods = list.map(({ method }) => method)
    const other = ['PUT', 'DELETE', 'POST', 'PATCH'].find((method) => !methods.includes(method)) ?? ''
    const answer = await browser.send(path, { method: other })
    expect([path, other, answer.status]).toEqual([path, other, 405])
    const allow = answer.headers.get('allow')?.split(', ') ?? []
    for (const method of methods) expect([path, allow]).toEqual([path, expect.arrayContaining([method])])
    expect([path, allow]).toEqual([path, expect.not.arrayContaining([other])])
  }
  for (const path of ['/api/health', '/api/ready', '/api/openapi.json', '/api/docs']) {
    const answer = await service.browser().send(path, { method: 'POST' })
    expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
  }
})

test('without a session, every operation that needs one is answered with 401, never 500', async () => {
  for (const { path, method, scope } of routes.filter((route) => route.scope !== 'public')) {
    const answer = await service.browser().send(path, { method })
    expect([path, method, scope, answer.status]).toEqual([path, method, scope, 401])
    expect(await answer.json()).toMatchObject({ code: 'unauthenticated' })
  }
})

describe('a body', () => {
  test('that is too large is answered with 413, and one that is not a JSON object with 400, on every route with a body', async () => {
    for (const { path, method } of routes.filter(({ takesBody }) => takesBody)) {
      const large = await browser.send(path, { method, body: { filler: 'x'.repeat(70_000) } })
      expect([path, large.status, await large.json()]).toEqual([
        path,
        413,
        { error: 'The request is too large', code: 'too_large' },
      ])
      for (const body of [[], null, 'x', 1, true, { unknownMember: 1 }]) {
        const answer = await browser.send(path, { method, body })
        expect([path, body, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
          path,
          body,
          400,
          'invalid_request',
        ])
      }
    }
  })

  test('of any depth, encoding or length is refused without an internal error', async () => {
    const bodies = [
      '{',
      '',
      '\0',
      '{"everywhere":',
      '['.repeat(60_000),
      '\xff\xfe',
      '{"everywhere":true}}',
      'NaN',
    ]
    for (const text of bodies) {
      const request = new Request(`${ORIGIN}/api/auth/logout`, {
        method: 'POST',
        headers: {
          host: new URL(ORIGIN).host,
          'content-type': 'application/json',
          cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
          'x-csrf-token': browser.cookies.get('__Host-latchkey_csrf') ?? '',
        },
        body: Buffer.from(text, 'latin1'),
      })
      const answer = await service.rooms.fetch(request, {
        requestIP: () => ({ address: '192.0.2.1', family: 'IPv4', port: 1 }),
      })
      expect([text.slice(0, 20), answer.status]).toEqual([text.slice(0, 20), 400])
    }
    expect((await browser.send('/api/session')).status).toBe(200)
  })

  test('that breaks a rule is refused with the names of its fields', async () => {
    const answer = await browser.send('/api/auth/logout', { body: { everywhere: 'yes' } })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: expect.stringContaining('everywhere'),
        code: 'invalid_request',
        fields: [{ path: 'everywhere', code: 'invalid_value' }],
      },
    ])
  })
})

test('an internal error exposes only the request id, and the log has the details', async () => {
  const broken = await openRooms()
  try {
    const visitor = await broken.signedInBrowser()
    broken.rooms.database.read.selectFrom = () => {
      throw new TypeError('secret detail of ours')
    }
    const answer = await visitor.send('/api/sessions')
    expect(answer.status).toBe(500)
    const body = (await answer.json()) as { requestId: string }
    expect(body).toEqual({
      error: 'Something went wrong on our side',
      code: 'internal',
      requestId: answer.headers.get('x-request-id'),
    } as never)
    const line = broken.logLines.find((each) => each.includes('secret detail of ours'))
    expect(line).toContain(body.requestId)
  } finally {
    await broken.close()
  }
})

describe('for operators', () => {
  test('R24.1: health covers only the process, and readiness needs the database', async () => {
    const own = await openRooms()
    const asks = own.browser()
    expect(await asks.json('/api/health')).toEqual({ status: 'ok', timestamp: '2026-11-21T12:00:00.000Z' })
    expect(await asks.json('/api/ready')).toEqual({
      status: 'ready',
      checks: { database: 'ok', bus: 'in-process', clock: 'ok' },
    })
    own.idp.answer('metadata', () => new Response('', { status: 500 }))
    expect((await asks.send('/api/ready')).status).toBe(200)
    own.rooms.drain()
    expect(await asks.json('/api/ready', {}, 503)).toMatchObject({
      status: 'draining',
      checks: { database: 'ok' },
    })
    await own.close()
    expect(await asks.json('/api/ready', {}, 503)).toMatchObject({ checks: { database: 'unreachable' } })
    expect((await asks.send('/api/health')).status).toBe(200)
  })

  test('metrics cover requests, logins, live sessions and logout tokens, and name no users', async () => {
    const own = await openRooms()
    try {
      const person = await own.signedInBrowser()
      await person.send('/api/session')
      await person.send('/api/nothing')
      const here = own.browser({ ip: '127.0.0.1', origin: 'http://localhost' })
      const answer = await here.send('/api/metrics')
      expect(answer.headers.get('content-type')).toStartWith('text/plain')
      const text = await answer.text()
      for (const line of [
        'latchkey_rooms_requests_total{route="/session",status="200"} 1',
        'latchkey_rooms_requests_total{route="unmatched",status="404"} 1',
        'latchkey_rooms_logins_total{outcome="ok"} 1',
        'latchkey_rooms_live_sessions 1',
        'latchkey_rooms_jwks_fetches_total 1',
      ])
        expect(text).toContain(line)
      for (const name of ['logout_tokens', 'provider_seconds', 'job_runs', 'ignored_proxy_headers'])
        expect(text).toContain(`latchkey_rooms_${name}`)
      for (const personal of ['alice', 'Alice', '192.0.2.1', person.token ?? ''])
        expect(text).not.toContain(personal)
    } finally {
      await own.close()
    }
  })
})
