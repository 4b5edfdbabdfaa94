// Whom Rooms admits at a service, for the proxy that asks (R50.1, R50.2, R50.4).
import { describe, expect, test } from 'bun:test'
import { findAuditEvents } from '../audit-log.ts'
import { guest } from '../actions.ts'
import { listen, sendRaw } from '../edge/raw.ts'
import { ALICE, claimPath, conditions } from '../provider/hostile.ts'
import { roomsPerTest } from '../per-test.ts'
import { NOON, ORIGIN } from '../rooms.ts'
import { ADMIN, GO, Visitor, WIKI, accessLayer, forwarded, verify } from './visitor.ts'

const { rooms } = roomsPerTest()
const BOB = { ...ALICE, sub: 'bob', name: 'Bob', email: 'bob@example.com' }

describe('a person who has signed in', () => {
  test('R50.1: is asserted to the origin that the proxy names, for a minute', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    expect(await visitor.enter({ ...ALICE, email: 'ann@example.com', email_verified: true })).toBe(ADMIN)
    const claims = await verify(visitor, await visitor.ask())
    const { user } = await visitor.rooms.json<{ user: { id: string } }>('/api/session')
    expect(claims).toEqual({
      header: { alg: 'ES256', typ: 'JWT', kid: expect.stringMatching(/^[0-9a-f]{32}$/) },
      iss: ORIGIN,
      aud: GO,
      iat: NOON / 1000,
      exp: NOON / 1000 + 60,
      sub: user.id,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: 'ann@example.com',
      email_verified: true,
    })
  })

  test('R50.2a: is asserted without an email address that the provider has not verified', async () => {
    const service = await rooms(accessLayer())
    for (const [n, email_verified] of [undefined, false, 'true', 1].entries()) {
      const visitor = new Visitor(service)
      await visitor.enter({ ...ALICE, sub: `person-${n}`, email: 'ann@example.com', email_verified })
      expect(await verify(visitor, await visitor.ask())).not.toContainAnyKeys(['email', 'email_verified'])
    }
  })

  test('R50.2b: is asserted with the groups of ROOMS_GROUPS_CLAIM, unless they are too long', async () => {
    const service = await rooms({
      ...accessLayer(),
      provider: (idp) => ({ ...idp.config(), accessConditions: [], groupsPath: claimPath('groups') }),
    })
    const groupsOf = async (sub: string, groups: unknown) => {
      const visitor = new Visitor(service)
      await visitor.enter({ ...ALICE, sub, groups })
      return (await verify(visitor, await visitor.ask()))['groups']
    }
    expect(await groupsOf('one', ['staff', 'Vorstand & Räte', 'staff'])).toEqual(['staff', 'Vorstand & Räte'])
    expect(await groupsOf('none', undefined)).toEqual([])
    expect(
      await groupsOf(
        'many',
        Array.from({ length: 200 }, (_, n) => `group-${n}`),
      ),
    ).toBeUndefined()
  })

  test('R50.2: has one sid in a browser, another in the next one, and the same sub in both', async () => {
    const service = await rooms(accessLayer())
    const [first, second] = [new Visitor(service), new Visitor(service)]
    await first.enter()
    await second.enter()
    const claims = [await first.ask(), await first.ask(), await second.ask()]
    const [one, again, other] = await Promise.all(claims.map((response) => verify(first, response)))
    expect(again?.sid).toBe(one?.sid)
    expect(other?.sid).not.toBe(one?.sid)
    expect(other?.sub).toBe(one?.sub)
  })

  test('R50.3: enters a second service without another sign-in, with another sid', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    await visitor.enter()
    expect(await visitor.follow(`${WIKI}/start`)).toBe(`${WIKI}/start`)
    const [go, wiki] = [
      await verify(visitor, await visitor.ask()),
      await verify(visitor, await visitor.ask(`${WIKI}/`), WIKI),
    ]
    expect(wiki.sub).toBe(go.sub)
    expect(wiki.sid).not.toBe(go.sid)
  })

  test('R50.1: has a session that lasts as long as the service is used', async () => {
    const service = await rooms(accessLayer())
    const visitor = new Visitor(service)
    await visitor.enter()
    for (let day = 0; day < 10; day++) {
      service.clock.ms += 86_400_000
      expect((await visitor.ask()).status).toBe(200)
    }
    service.clock.ms += 8 * 86_400_000
    expect((await visitor.ask()).status).toBe(401)
  })

  test('R28.26: has in the export what the last sign-in said for services', async () => {
    const visitor = new Visitor(await rooms(accessLayer('email_domain=example.com')))
    await visitor.enter({ ...ALICE, email: 'ann@example.com', email_verified: true })
    expect(await visitor.rooms.json('/api/account/export')).toMatchObject({
      access: { email: 'ann@example.com', groups: null, mayEnter: true },
    })
  })

  test('R50.3e: is in the audit log, with the service', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    await visitor.enter()
    const { user, session } = await visitor.rooms.json<{ user: { id: string }; session: { id: string } }>(
      '/api/session',
    )
    const [event, ...more] = await findAuditEvents(visitor.service.rooms, 'access.enter')
    expect(more).toEqual([])
    expect(event).toMatchObject({
      actor_user_id: user.id,
      target_type: 'session',
      target_id: session.id,
      metadata: { origin: GO },
    })
  })
})

describe('a request of a proxy', () => {
  test('R50.1: is answered for HEAD, and for any method of the request that it asks about', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    await visitor.enter()
    await verify(visitor, await visitor.ask(ADMIN, {}, 'HEAD'))
    for (const method of ['POST', 'PUT', 'DELETE'])
      await verify(visitor, await visitor.ask(ADMIN, { 'x-forwarded-method': method }))
    expect((await visitor.ask(ADMIN, {}, 'POST')).status).toBe(405)
  })

  test('R50.1a: is refused unless a trusted proxy names an origin of ROOMS_ACCESS_FOR', async () => {
    const service = await rooms(accessLayer())
    const visitor = new Visitor(service)
    await visitor.enter()
    const [, cookie] = [...visitor.at(GO).cookies].find(([name]) => name.endsWith('_access')) ?? []
    const headers = { ...forwarded(ADMIN), cookie: `__Host-latchkey_access=${cookie}` }
    const send = (more: Record<string, string | undefined>, ip = '127.0.0.1') => {
      const present = Object.entries({ ...headers, ...more }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      )
      return service.browser({ ip }).send('/api/access', { headers: Object.fromEntries(present) })
    }
    const refused: Record<string, Promise<Response>> = {
      'no host': send({ 'x-forwarded-host': undefined }),
      'no scheme': send({ 'x-forwarded-proto': undefined }),
      'another scheme': send({ 'x-forwarded-proto': 'http' }),
      'another host': send({ 'x-forwarded-host': 'evil.example' }),
      'the host of Rooms': send({ 'x-forwarded-host': new URL(ORIGIN).host }),
      'another port': send({ 'x-forwarded-host': 'go.example.com:8443' }),
      'a host with a path': send({ 'x-forwarded-host': 'go.example.com/x' }),
      'a host with a name': send({ 'x-forwarded-host': 'go.example.com@evil.example' }),
      'a list that ends with another': send({ 'x-forwarded-host': 'go.example.com, evil.example' }),
      'an empty host': send({ 'x-forwarded-host': '' }),
      'the Host header alone': send({ 'x-forwarded-host': undefined, host: 'go.example.com' }),
      'another peer': send({}, '192.0.2.1'),
    }
    for (const [name, pending] of Object.entries(refused)) {
      const response = await pending
      expect([name, response.status]).toEqual([name, 421])
      expect(response.headers.has('x-latchkey-assertion')).toBe(false)
    }
    await verify(visitor, await send({}))
    await verify(visitor, await send({ 'x-forwarded-host': 'evil.example, GO.example.com:443' }))
  })

  test('R50.1a: is asked for under any Host, an empty one too', async () => {
    const service = await rooms(accessLayer())
    const server = listen(service)
    try {
      const headers = Object.entries(forwarded(ADMIN)).map(([name, value]) => `${name}: ${value}\r\n`)
      for (const host of ['Host: 10.0.0.5:8081\r\n', 'Host: go.example.com\r\n', 'Host: \r\n']) {
        const request = `GET /api/access HTTP/1.1\r\n${host}${headers.join('')}Connection: close\r\n\r\n`
        expect([host, (await sendRaw(server.port, request)).status]).toEqual([host, 401])
      }
    } finally {
      await server.stop()
    }
  })

  test('R50.1b: gets 401 with the entrance for the page that was asked for', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    const entrance = (to: string) => `${ORIGIN}/api/access/enter?${new URLSearchParams({ to })}`
    const response = await visitor.ask(ADMIN, { accept: 'application/json' })
    expect(response.status).toBe(401)
    expect(response.headers.get('location')).toBe(entrance(ADMIN))
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' })
    for (const [uri, path] of [
      ['//evil.example/x', '//evil.example/x'],
      ['https://evil.example/', '/'],
      ['evil', '/'],
      ['/\\evil.example', '/'],
      ['/a\tb', '/'],
      [`/_/admin?q=${'x'.repeat(2_000)}`, '/_/admin'],
      [`/${'x'.repeat(2_000)}`, '/'],
      ['/api/access/back?code=x', '/'],
    ] as const) {
      const refused = await visitor.ask(ADMIN, { 'x-forwarded-uri': uri })
      expect([uri, refused.headers.get('location')]).toEqual([uri, entrance(GO + path)])
    }
  })

  test('R50.1b: gets a redirect where it asks for one, for pages alone', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    const ask = (headers: Record<string, string>, query = '?redirect', method = 'GET') =>
      visitor.at(GO).send(`/api/access${query}`, {
        method,
        headers: { ...forwarded(ADMIN), accept: 'text/html', ...headers },
      })
    const redirected = await ask({})
    expect(redirected.status).toBe(302)
    expect(redirected.headers.get('location')).toBe((await ask({}, '')).headers.get('location'))
    expect((await ask({}, '?redirect', 'HEAD')).status).toBe(302)
    for (const pending of [
      ask({}, ''),
      ask({ accept: 'application/json' }),
      ask({ accept: 'text/event-stream' }),
      ask({ 'x-forwarded-method': 'POST' }),
    ])
      expect((await pending).status).toBe(401)
  })
})

describe('a cookie', () => {
  test('R50.1c: admits at its own origin only', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    await visitor.enter()
    const token = visitor.at(GO).cookies.get('__Host-latchkey_access') ?? ''
    const cookie = (value: string) => ({ cookie: `__Host-latchkey_access=${value}` })
    expect((await visitor.ask(`${WIKI}/`, cookie(token))).status).toBe(401)
    const session = visitor.rooms.token ?? ''
    for (const value of [session, '', 'x', `${token}x`, token.toLowerCase(), '%00'.repeat(15)])
      expect([value, (await visitor.ask(ADMIN, cookie(value))).status]).toEqual([value, 401])
    expect((await visitor.ask(ADMIN, { cookie: `latchkey_access=${token}` })).status).toBe(401)
    expect((await visitor.ask(ADMIN, { cookie: `__Host-latchkey_session=${token}` })).status).toBe(401)
    const twice = `__Host-latchkey_access=${token}; __Host-latchkey_access=${token}`
    expect((await visitor.ask(ADMIN, { cookie: twice })).status).toBe(400)
    expect((await visitor.ask(ADMIN, cookie(token))).status).toBe(200)
  })

  test('R50.3: is for its host alone, and unreadable for pages and the database', async () => {
    const service = await rooms(accessLayer())
    const visitor = new Visitor(service)
    await visitor.enter()
    const token = visitor.at(GO).cookies.get('__Host-latchkey_access') ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    const rows = await service.rooms.database.read.selectFrom('access_sessions').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(service.logLines.join('\n')).not.toContain(token)
    // The cookie does not open Rooms itself.
    for (const name of ['__Host-latchkey_session', '__Host-latchkey_access'])
      expect(
        (await service.browser().send('/api/session', { headers: { cookie: `${name}=${token}` } })).status,
      ).toBe(401)
  })
})

describe('a person who may not enter', () => {
  test('R50.4: is refused as a guest, at the entrance too', async () => {
    const service = await rooms(accessLayer())
    const { browser } = await guest(service)
    const visitor = new Visitor(service, browser)
    const end = new URL(await visitor.follow(ADMIN))
    expect(end.pathname).toBe('/login')
    expect(end.searchParams.get('returnTo')).toBe(`/api/access/enter?${new URLSearchParams({ to: ADMIN })}`)
    expect((await visitor.ask()).status).toBe(401)
  })

  test('R50.4: is refused once the account is disabled, and after it is enabled until a sign-in', async () => {
    const service = await rooms(accessLayer())
    const root = await service.signedInBrowser(BOB)
    const visitor = new Visitor(service)
    await visitor.enter()
    const { user } = await visitor.rooms.json<{ user: { id: string } }>('/api/session')
    const change = (disabled: boolean) =>
      root.json(`/api/admin/users/${user.id}/status`, { method: 'PATCH', body: { disabled } })
    await change(true)
    const refused = await visitor.ask(ADMIN, { accept: 'application/json' })
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'forbidden' })
    await change(false)
    expect((await visitor.ask()).status).toBe(401)
    expect(await visitor.enter()).toBe(ADMIN)
  })

  test('R50.4a: is refused unless the claims of the last sign-in met ROOMS_ACCESS_REQUIRE', async () => {
    const service = await rooms(accessLayer('groups=staff, email_domain=example.com'))
    const staff = { ...ALICE, email: 'ann@example.com', email_verified: true, groups: ['staff'] }
    const visitor = new Visitor(service)
    for (const claims of [
      { groups: ['visitors'] },
      { groups: undefined },
      { email: 'ann@evil.example' },
      { email_verified: false },
    ]) {
      const end = new URL(await new Visitor(service).enter({ ...staff, ...claims }))
      expect([end.pathname, end.searchParams.get('error')]).toEqual(['/login', 'access_not_granted'])
    }
    expect(await visitor.enter(staff)).toBe(ADMIN)
    expect((await visitor.ask()).status).toBe(200)
  })

  test('R50.4a: is refused everywhere after a sign-in in another browser without them, and stays in Rooms', async () => {
    const service = await rooms(accessLayer('groups=staff'))
    const visitor = new Visitor(service)
    await visitor.enter({ ...ALICE, groups: ['staff'] })
    await service.signedInBrowser({ ...ALICE, groups: [] })
    expect((await visitor.ask()).status).toBe(403)
    expect((await visitor.rooms.send('/api/session')).status).toBe(200)
    await service.signedInBrowser({ ...ALICE, groups: ['staff'] })
    expect(await visitor.enter()).toBe(ADMIN)
  })

  test('R50.4b: signs in again under other conditions than those of the last sign-in', async () => {
    const service = await rooms(accessLayer('groups=staff'))
    const visitor = new Visitor(service)
    await visitor.enter({ ...ALICE, groups: ['staff', 'board'] })
    const provider = { ...service.idp.config(), accessConditions: conditions('groups=board') }
    const restarted = await service.node({ provider })
    try {
      const moved = visitor.movedTo(restarted)
      expect((await moved.ask()).status).toBe(401)
      service.clock.ms += 120_000
      expect(await moved.enter({ ...ALICE, groups: ['staff', 'board'] })).toBe(ADMIN)
      expect((await moved.ask()).status).toBe(200)
    } finally {
      await restarted.close()
    }
  })
})
