import { describe, expect, test } from 'bun:test'
import { ALICE, type Endpoint } from '../provider/hostile.ts'
import { ORIGIN, type TestOptions, type TestRooms, openRooms } from '../rooms.ts'
import { CLICK_HEADERS, NOTHING, counts, dump, locationOf, target, beginLogin, changeQuery } from './steps.ts'

const SCRIPT = '<script>alert(1)</script>'

describe('the responses of the provider', () => {
  test.each([
    [
      'a wrong code',
      (t: TestRooms, url: URL) => (void t, changeQuery(url, (query) => query.set('code', 'x'))),
      'provider_error',
    ],
    [
      'no code',
      (t: TestRooms, url: URL) => (void t, changeQuery(url, (query) => query.delete('code'))),
      'provider_error',
    ],
    [
      'status 500 from the token endpoint',
      (t: TestRooms, url: URL) => {
        t.idp.answer('token', () => new Response('oops', { status: 500 }))
        return url.href
      },
      'provider_unavailable',
    ],
  ] as const)(
    'C32: after %s the state stays consumed, and the user can start again',
    async (_name, bend, code) => {
      const t = await openRooms()
      const browser = t.browser()
      const callback = await beginLogin(t, browser, '/rooms/7')
      const again = '&returnTo=%2Frooms%2F7'
      expect(target(await browser.send(bend(t, callback)))).toBe(`/login?error=${code}${again}`)
      t.idp.answer('token', (usual) => usual())
      const calls = t.idp.calls.token
      expect(target(await browser.send(callback.href))).toBe('/login?error=state_invalid')
      expect(t.idp.calls.token).toBe(calls)
      expect(await counts(t.rooms)).toEqual(NOTHING)
      expect(target(await browser.signIn(ALICE, '/rooms/7'))).toBe('/rooms/7')
      await t.close()
    },
  )

  test.each([
    ['oidc', 'metadata', 'no metadata', (idp) => idp.config()],
    ['oidc', 'token', 'token endpoint failed', (idp) => idp.config()],
    ['teamidp', 'metadata', 'no metadata', (idp) => idp.teamidpConfig()],
    ['teamidp', 'token', 'token endpoint failed', (idp) => idp.teamidpConfig()],
    ['oauth2', 'token', 'token endpoint failed', (idp) => idp.oauth2Config()],
  ] as const satisfies [string, Endpoint, string, NonNullable<TestOptions['provider']>][])(
    'R6.8: in %s mode without a response of the %s endpoint users reach the sign-in page, the log has the reason, and a new attempt succeeds',
    async (_mode, endpoint, reason, provider) => {
      const t = await openRooms({ provider })
      t.idp.answer(endpoint, () => new Response('no', { status: 503 }))
      const browser = t.browser()
      const start = await browser.send('/api/auth/login?returnTo=/rooms/7', { headers: CLICK_HEADERS })
      const sentTo = locationOf(start)
      const answer = endpoint === 'metadata' ? start : await browser.send(t.idp.authorize(sentTo.href, ALICE))
      expect(target(answer)).toBe('/login?error=provider_unavailable&returnTo=%2Frooms%2F7')
      expect(await counts(t.rooms)).toEqual(NOTHING)
      const failures = t.logLines
        .map((line) => JSON.parse(line))
        .filter(({ message }) => message === 'login: failed')
      expect(failures).toEqual([
        expect.objectContaining({ level: 'warn', code: 'provider_unavailable', reason, status: 503 }),
      ])
      t.idp.answer(endpoint, (usual) => usual())
      t.clock.ms += 10_000
      expect(target(await browser.signIn(ALICE, '/rooms/7'))).toBe('/rooms/7')
      await t.close()
    },
  )

  test('R6.4 C34: a wrong iss is refused, also in error responses (fapi2:invalid-authorization-response-iss)', async () => {
    const t = await openRooms()
    const bends: ((query: URLSearchParams) => void)[] = [
      (query) => query.set('iss', 'https://evil.example'),
      (query) => query.set('iss', `${t.idp.issuer}/`),
      (query) => query.set('iss', t.idp.issuer.toUpperCase()),
      (query) => query.set('iss', ''),
      (query) => {
        query.set('iss', 'https://evil.example')
        query.delete('code')
        query.set('error', 'access_denied')
      },
    ]
    for (const bend of bends) {
      const browser = t.browser()
      const callback = await beginLogin(t, browser)
      expect(target(await browser.send(changeQuery(callback, bend)))).toBe('/login?error=state_invalid')
    }
    expect(t.idp.calls.token).toBe(0)
    expect(await counts(t.rooms)).toEqual(NOTHING)
    await t.close()
  })

  test('C34: a missing iss is refused if the provider advertises it, also in error responses (fapi2:remove-authorization-response-iss)', async () => {
    const t = await openRooms()
    for (const error of [null, 'access_denied']) {
      const browser = t.browser()
      const callback = await beginLogin(t, browser)
      const bent = changeQuery(callback, (query) => {
        query.delete('iss')
        if (error !== null) query.set('error', error)
      })
      expect(target(await browser.send(bent))).toBe('/login?error=state_invalid')
    }
    expect(t.idp.calls.token).toBe(0)
    await t.close()
  })

  test('C34: iss may be missing if the provider does not advertise it, and oauth2 mode ignores it', async () => {
    const t = await openRooms()
    t.idp.metadata((usual) => ({ ...usual, authorization_response_iss_parameter_supported: undefined }))
    expect(target(await t.browser().signIn())).toBe('/')
    await t.close()
    const plain = await openRooms({ provider: (idp) => idp.oauth2Config() })
    const browser = plain.browser()
    const callback = await beginLogin(plain, browser)
    callback.searchParams.set('iss', 'https://whatever.example')
    expect(target(await browser.send(callback.href))).toBe('/')
    await plain.close()
  })

  test('C35: the error description of the provider is not forwarded, linked, logged or stored', async () => {
    const t = await openRooms()
    for (const bent of ['error', 'error_description', 'error_uri']) {
      const browser = t.browser()
      const callback = await beginLogin(t, browser)
      const url = changeQuery(callback, (query) => {
        query.delete('code')
        query.set('error', 'no_known_error')
        query.set(bent, `${SCRIPT}javascript:alert(2)`)
      })
      const answer = await browser.send(url)
      expect(target(answer)).toBe('/login?error=provider_error')
      expect(await answer.text()).toBe('')
    }
    const traces = JSON.stringify(await dump(t.rooms)) + t.logLines.join('')
    for (const trace of ['alert', 'script>', 'no_known_error']) expect(traces).not.toContain(trace)
    await t.close()
  })

  test.each([
    ['access_denied', 'cancelled'],
    ['login_required', 'interaction_required'],
    ['interaction_required', 'interaction_required'],
    ['consent_required', 'interaction_required'],
    ['account_selection_required', 'interaction_required'],
    ['server_error', 'provider_unavailable'],
    ['temporarily_unavailable', 'provider_unavailable'],
    ['invalid_scope', 'provider_error'],
    ['constructor', 'provider_error'],
    ['', 'provider_error'],
  ])(
    'C36: the error "%s" redirects to the sign-in page as %s, never back to the provider',
    async (error, code) => {
      const t = await openRooms()
      const browser = t.browser()
      const callback = await beginLogin(t, browser)
      const answer = await browser.send(changeQuery(callback, (query) => query.set('error', error)))
      expect(answer.headers.get('location')).toBe(`${ORIGIN}/login?error=${code}`)
      expect(t.idp.calls.token).toBe(0)
      expect(await counts(t.rooms)).toEqual(NOTHING)
      await t.close()
    },
  )

  test('R6.9 C37: callback responses are not cached, send no referrer, have no body, and lead to an address without secrets', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    const answers = [await browser.send(callback.href), await t.browser().send(callback.href)]
    for (const answer of answers) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(await answer.text()).toBe('')
      for (const secret of ['code', 'state', 'iss'])
        expect(locationOf(answer).searchParams.has(secret)).toBe(false)
    }
    await t.close()
  })

  test('C40: a login ends at the first configured origin, with the path at which it was started on another', async () => {
    const other = 'https://chat.example.org'
    const t = await openRooms({ settings: { allowedHosts: [ORIGIN, other] } })
    const begun = await t
      .browser({ origin: other })
      .send('/api/auth/login?returnTo=/rooms/7%23last', { headers: CLICK_HEADERS })
    const browser = t.browser()
    const started = await browser.send(locationOf(begun).href, { headers: CLICK_HEADERS })
    const answer = await browser.send(t.idp.authorize(locationOf(started).href, ALICE))
    expect(answer.headers.get('location')).toBe(`${ORIGIN}/rooms/7#last`)
    await t.close()
  })

  test('C41: the token request repeats the redirect address that was stored with the login state', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    const stored = 'https://as-it-was.example/api/auth/callback'
    await t.rooms.database.write(async (tx) => {
      await tx.updateTable('login_states').set({ redirect_uri: stored }).execute()
    })
    // The provider refuses this address, because it is not the registered one.
    expect(target(await browser.send(callback.href))).toBe('/login?error=provider_error')
    expect(t.idp.requests.find(({ endpoint }) => endpoint === 'token')?.form.get('redirect_uri')).toBe(stored)
    await t.close()
  })

  test('R6.8: an internal error leads to the same page, and its cause is only in the log', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    await t.rooms.database.write(async (tx) => {
      await tx.schema.alterTable('identities').renameTo('elsewhere').execute()
    })
    const answer = await browser.send(callback.href)
    expect(target(answer)).toBe('/login?error=internal')
    expect(await answer.text()).toBe('')
    expect(t.logLines.join('')).toContain('no such table: identities')
    await t.close()
  })
})
