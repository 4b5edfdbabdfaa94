// Signing out here, everywhere, and at the provider (R12).
import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DEFAULT_TIMEOUTS } from '../../src/login/provider-dependencies.ts'
import { listAuditEvents } from '../audit-log.ts'
import { ALICE, type Json } from '../provider/hostile.ts'
import { roomsPerTest } from '../per-test.ts'
import { ORIGIN, type TestRooms } from '../rooms.ts'
import { browserOf, insertPerson, storedSession } from './people.ts'

const { rooms } = roomsPerTest()

interface LoggedOut {
  success: boolean
  logoutUrl?: string
}

eachDialect((dialect, newUrl) => {
  test('R12.1: everywhere ends every session of the account and no other, and here ends this one', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const [here, there, elsewhere] = [
      await browserOf(service, ada),
      await browserOf(service, ada),
      await browserOf(service, ada),
    ]
    const stranger = await browserOf(service, await insertPerson(service))
    const live = async () => {
      const statuses = []
      for (const each of [here, there, elsewhere, stranger])
        statuses.push((await each.send('/api/session')).status)
      return statuses
    }
    await here.json('/api/auth/logout', { body: {} })
    expect(await live()).toEqual([401, 200, 200, 200])
    await there.json('/api/auth/logout', { body: { everywhere: true } })
    expect(await live()).toEqual([401, 401, 401, 200])
    const ends = (await listAuditEvents(service)).map(({ action, metadata }) => [action, metadata])
    expect(ends).toEqual([
      ['auth.logout', { everywhere: false, sessions: 1 }],
      ['auth.logout', { everywhere: true, sessions: 2 }],
    ])
  })

  if (dialect === 'postgres') return

  test('R12.2 C117 oidcc-client-test-rp-init-logout: the session ends, and the response has the logout URL of the provider', async () => {
    const service = await rooms({ url: await newUrl() })
    const idTokens: string[] = []
    service.idp.token((answer: Json) => {
      idTokens.push(String(answer['id_token']))
      return answer
    })
    const browser = await service.signedInBrowser(ALICE)
    const token = browser.token ?? ''
    const { session } = await browser.json<{ session: { id: string } }>('/api/session')
    const { success, logoutUrl } = await browser.json<LoggedOut>('/api/auth/logout', { body: {} })
    expect(success).toBe(true)
    const url = new URL(logoutUrl ?? '')
    expect(url.origin + url.pathname).toBe(`${service.idp.issuer}/end-session`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'rooms-client',
      post_logout_redirect_uri: ORIGIN,
      state: expect.stringMatching(/^[\w-]{22}$/),
      id_token_hint: idTokens[0] ?? '',
    })
    expect([...browser.cookies.keys()].filter((name) => /session|csrf/.test(name))).toEqual([])
    browser.cookies.set('__Host-latchkey_session', token)
    expect((await browser.send('/api/session')).status).toBe(401)
    expect(await storedSession(service, session.id)).toMatchObject({
      revoked_at: service.clock.ms,
      revoke_reason: 'signed_out',
      id_token_sealed: null,
    })
    expect((await listAuditEvents(service)).at(-1)).toMatchObject({
      action: 'auth.logout',
      target: ['session', session.id],
      metadata: { everywhere: false, sessions: 1 },
      ip: '192.0.2.1',
    })
  })

  test('a guest’s sign-out records the end of the last session and has no provider URL', async () => {
    const service = await rooms({ url: await newUrl() })
    const guest = service.browser()
    const { user } = await guest.json<{ user: { id: string } }>(
      '/api/session',
      { body: { nickname: 'Visitor' } },
      201,
    )
    service.clock.ms += 5_000
    expect(await guest.json('/api/auth/logout', { body: {} })).toEqual({ success: true })
    const { guest_ended_at } = await service.rooms.database.read
      .selectFrom('users')
      .select('guest_ended_at')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    expect(guest_ended_at).toBe(service.clock.ms)
    expect(service.idp.requests).toEqual([])
  })
})

test('any other body is refused and ends nothing', async () => {
  const service = await rooms()
  const browser = await browserOf(service, await insertPerson(service))
  for (const body of [
    { everywhere: false },
    { everywhere: 'true' },
    { everywhere: 1 },
    { everywhere: null },
    { extra: 1 },
    [],
    null,
    'x',
    1,
  ])
    expect([body, (await browser.send('/api/auth/logout', { method: 'POST', body })).status]).toEqual([
      body,
      400,
    ])
  expect((await browser.send('/api/session')).status).toBe(200)
})

test('two concurrent sign-outs both succeed or find no session, and one is recorded', async () => {
  const service = await rooms()
  const browser = await browserOf(service, await insertPerson(service))
  const answers = await Promise.all([1, 2].map(() => browser.send('/api/auth/logout', { body: {} })))
  for (const { status } of answers) expect([200, 401]).toContain(status)
  const ended = (await listAuditEvents(service)).map(
    ({ metadata }) => (metadata as { sessions: number }).sessions,
  )
  expect(ended.reduce((sum, each) => sum + each, 0)).toBe(1)
})

describe('C117: logoutUrl is missing', () => {
  const logout = async (service: TestRooms) => {
    const browser = await service.signedInBrowser(ALICE)
    const answer = await browser.json<LoggedOut>('/api/auth/logout', { body: {} })
    expect((await browser.send('/api/session')).status).toBe(401)
    return answer
  }

  test('if the provider has no such endpoint', async () => {
    const service = await rooms()
    service.idp.metadata((document) => ({ ...document, end_session_endpoint: undefined }))
    expect(await logout(service)).toEqual({ success: true })
  })

  test('in oauth2 mode', async () => {
    const service = await rooms({ provider: (idp) => idp.oauth2Config() })
    expect(await logout(service)).toEqual({ success: true })
  })

  test('if the session belongs to an earlier issuer', async () => {
    const service = await rooms()
    const browser = await browserOf(service, await insertPerson(service), {
      idp: { issuer: 'https://earlier.example', sub: 'ada', sid: null, idToken: 'a.b.c' },
    })
    expect(await browser.json<LoggedOut>('/api/auth/logout', { body: {} })).toEqual({ success: true })
    expect(service.idp.requests).toEqual([])
  })

  test('if the provider is down and its metadata are unknown', async () => {
    const service = await rooms()
    const { issuer } = service.idp
    service.idp.answer('metadata', () => new Response('down', { status: 503 }))
    const browser = await browserOf(service, await insertPerson(service), {
      idp: { issuer, sub: 'ada', sid: null, idToken: 'a.b.c' },
    })
    expect(await browser.json<LoggedOut>('/api/auth/logout', { body: {} })).toEqual({ success: true })
    expect((await browser.send('/api/session')).status).toBe(401)
  })

  test('if the provider does not respond within 2 s, and the session has ended before the request', async () => {
    const service = await rooms()
    const { issuer } = service.idp
    const [requestReceived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    service.idp.answer('metadata', async (usual) => {
      requestReceived.resolve()
      await released.promise
      return usual()
    })
    const browser = await browserOf(service, await insertPerson(service), {
      idp: { issuer, sub: 'ada', sid: null, idToken: 'a.b.c' },
    })
    const second = service.browser()
    second.cookies.set('__Host-latchkey_session', browser.token ?? '')
    const answer = browser.json<LoggedOut>('/api/auth/logout', { body: {} })
    await requestReceived.promise
    expect((await second.send('/api/session')).status).toBe(401)
    expect(await answer).toEqual({ success: true })
    // The request itself is still running, so the wait did not end with it.
    expect(await service.rooms.metrics.registry.metrics()).not.toContain('endpoint="discovery"')
    expect(DEFAULT_TIMEOUTS.pageMs).toBe(2_000)
    released.resolve()
  })
})

test('C117: an ID token of 12 KiB is left out of the URL, which stays below 8 KiB', async () => {
  const service = await rooms()
  service.idp.idToken((claims) => ({ ...claims, filler: 'x'.repeat(12 * 1024) }))
  const browser = await service.signedInBrowser(ALICE)
  const { logoutUrl = '' } = await browser.json<LoggedOut>('/api/auth/logout', { body: {} })
  expect(logoutUrl.length).toBeLessThan(8 * 1024)
  expect([...new URL(logoutUrl).searchParams.keys()]).toEqual([
    'client_id',
    'post_logout_redirect_uri',
    'state',
  ])
})

test('C117: the return address is at the canonical origin, whatever the Host', async () => {
  const service = await rooms({ settings: { allowedHosts: [ORIGIN, 'https://second.example.com'] } })
  const first = await service.signedInBrowser(ALICE)
  const second = service.browser({ origin: 'https://second.example.com' })
  second.cookies.set('__Host-latchkey_session', first.token ?? '')
  const { logoutUrl = '' } = await second.json<LoggedOut>('/api/auth/logout', { body: {} })
  expect(new URL(logoutUrl).searchParams.get('post_logout_redirect_uri')).toBe(ORIGIN)
})

test('C118 oidcc-client-test-rp-init-logout-other-state, oidcc-client-test-rp-init-logout-no-state: the return shows the page and changes nothing', async () => {
  const service = await rooms()
  const leaver = await service.signedInBrowser(ALICE)
  const { logoutUrl = '' } = await leaver.json<LoggedOut>('/api/auth/logout', { body: {} })
  const state = new URL(logoutUrl).searchParams.get('state')
  const stays = await service.signedInBrowser(ALICE)
  const before = await listAuditEvents(service)
  for (const query of [
    `?state=${state}`,
    '?state=other',
    '',
    '?state=',
    '?state=a&state=b',
    '?error=x&state=%00',
  ])
    for (const browser of [leaver, stays]) {
      const landed = await browser.send(`/${query}`, { headers: { 'sec-fetch-site': 'cross-site' } })
      expect([query, landed.status, landed.headers.getSetCookie()]).toEqual([query, 200, []])
    }
  expect((await stays.send('/api/session')).status).toBe(200)
  expect((await leaver.send('/api/session')).status).toBe(401)
  expect(await listAuditEvents(service)).toEqual(before)
})
