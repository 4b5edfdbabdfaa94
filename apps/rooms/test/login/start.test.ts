import { describe, expect, test } from 'bun:test'
import { unseal } from '@latchkey/tokens/seal'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE, sha256 } from '../provider/hostile.ts'
import { NOON, ORIGIN, openRooms } from '../rooms.ts'
import { CLICK_HEADERS, dump, locationOf, target } from './steps.ts'

const OTHER = 'https://chat.example.org'

describe('the start of a login', () => {
  test('C17: state and nonce have 256 random bits, the verifier has 384, and all differ per login', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const urls = [new URL(await browser.startLogin()), new URL(await browser.startLogin())]
    const [one, two] = urls.map(({ searchParams }) => searchParams)
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(one?.get(name)).toMatch(/^[\w-]{43}$/)
      expect(one?.get(name)).not.toBe(two?.get(name) ?? '')
    }
    await t.close()
  })

  test('C17: a login cannot be completed with a copy of the database', async () => {
    const t = await openRooms({ limits: { callback_per_minute: 1000 } })
    const callback = new URL(t.idp.authorize(await t.browser().startLogin(), ALICE))
    const [row] = (await dump(t.rooms)).login_states
    const stolen = Object.values(row ?? {}).map(String)
    expect(stolen).not.toContain(callback.searchParams.get('state') ?? '')
    for (const state of stolen)
      for (const cookie of stolen) {
        callback.searchParams.set('state', state)
        const answer = await t.browser().send(callback.pathname + callback.search, {
          headers: { cookie: `__Host-latchkey_login=${encodeURIComponent(cookie)}` },
        })
        expect(target(answer)).toStartWith('/login?error=')
      }
    expect(t.idp.calls.token).toBe(0)
    for (const key of stolen)
      expect(unseal(String(row?.['verifier_sealed']), key, 'pkce-verifier')).toBeUndefined()
    await t.close()
  })

  test('R5.4 C21: the login state holds all that the callback needs, and no secret in clear text', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const params = new URL(await browser.startLogin('/rooms/7')).searchParams
    const [row, ...others] = (await dump(t.rooms)).login_states
    expect(others).toEqual([])
    expect(row).toEqual({
      state_hash: hex(params.get('state')),
      nonce_hash: hex(params.get('nonce')),
      verifier_sealed: expect.any(String),
      redirect_uri: `${ORIGIN}/api/auth/callback`,
      return_path: '/rooms/7',
      config_fingerprint: expect.any(String),
      browser_hash: hex(browser.cookies.get('__Host-latchkey_login') ?? null),
      client_prefix: '192.0.2.1',
      created_at: NOON,
      expires_at: NOON + 600_000,
      consumed_at: null,
    })
    const verifier = unseal(String(row?.['verifier_sealed']), params.get('state') ?? '', 'pkce-verifier')
    expect(verifier).toMatch(/^[\w-]{64}$/)
    expect(sha256(verifier ?? '')).toBe(params.get('code_challenge') ?? '')
    await t.close()
  })

  test('R3.3 R5.7 C19: the redirect address is at the first configured origin, whatever the headers say', async () => {
    const t = await openRooms({ settings: { allowedHosts: [ORIGIN, OTHER] } })
    const answer = await t.browser().send('/api/auth/login', {
      headers: {
        ...CLICK_HEADERS,
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        'x-original-host': 'evil.example',
        forwarded: 'host=evil.example;proto=http',
        referer: 'https://evil.example/',
      },
    })
    expect(locationOf(answer).searchParams.get('redirect_uri')).toBe(`${ORIGIN}/api/auth/callback`)
    const foreign = await t
      .browser()
      .send('/api/auth/login', { headers: { ...CLICK_HEADERS, host: 'evil.example' } })
    expect(foreign.status).toBe(421)
    expect(foreign.headers.get('location')).toBeNull()
    expect((await dump(t.rooms)).login_states).toHaveLength(1)
    await t.close()
  })

  test('C20: a start at another configured origin is redirected to the first one, with its query, before anything is stored', async () => {
    const t = await openRooms({ settings: { allowedHosts: [ORIGIN, OTHER] } })
    const browser = t.browser({ origin: OTHER })
    const answer = await browser.send('/api/auth/login?returnTo=%2Frooms%2F7%3Fa%3Db&prompt=login', {
      headers: CLICK_HEADERS,
    })
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe(
      `${ORIGIN}/api/auth/login?returnTo=%2Frooms%2F7%3Fa%3Db&prompt=login`,
    )
    expect(answer.headers.getSetCookie()).toEqual([])
    expect((await dump(t.rooms)).login_states).toEqual([])
    await t.close()
  })

  test('R5.5 C22: the browser is bound by a __Host- cookie that scripts cannot read and that lives as long as the login state', async () => {
    const t = await openRooms({ settings: { transactionSeconds: 300 } })
    const answer = await t.browser().send('/api/auth/login', { headers: CLICK_HEADERS })
    const cookies = answer.headers.getSetCookie()
    expect(cookies[0]).toMatch(
      /^__Host-latchkey_login=[\w-]{43}; Path=\/; Max-Age=300; SameSite=Lax; Secure; HttpOnly$/,
    )
    // Beside it, for tabs that start at the same time: a cookie for this login alone.
    expect(cookies.slice(1)).toEqual([
      expect.stringMatching(
        /^__Host-latchkey_login_[0-9a-f]{16}=[\w-]{43}; Path=\/; Max-Age=300; SameSite=Lax; Secure; HttpOnly$/,
      ),
    ])
    await t.close()
  })

  test('R5.5 C22: later logins of a browser share the cookie, and an invalid cookie is replaced', async () => {
    const t = await openRooms()
    const browser = t.browser()
    await browser.signIn()
    const first = browser.cookies.get('__Host-latchkey_login')
    const again = await browser.send('/api/auth/login', { headers: CLICK_HEADERS })
    expect(again.headers.getSetCookie()).toHaveLength(1)
    expect(browser.cookies.get('__Host-latchkey_login')).toBe(first ?? '')
    browser.cookies.set('__Host-latchkey_login', 'chosen-by-somebody')
    await browser.startLogin()
    expect(browser.cookies.get('__Host-latchkey_login')).toMatch(/^[\w-]{43}$/)
    await t.close()
  })

  test('C22: on plain http, which is loopback only, the cookie has no prefix that it cannot honour', async () => {
    const t = await openRooms({ settings: { allowedHosts: ['http://localhost:8081'] } })
    const answer = await t
      .browser({ origin: 'http://localhost:8081' })
      .send('/api/auth/login', { headers: CLICK_HEADERS })
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^latchkey_login=[\w-]{43}; Path=\/; Max-Age=600; SameSite=Lax; HttpOnly$/,
    )
    await t.close()
  })

  test('R5.1: a known prompt is passed on in the OIDC modes, and any other value counts as absent', async () => {
    const t = await openRooms()
    const promptFor = async (query: string) => {
      const answer = await t.browser().send(`/api/auth/login?${query}`, { headers: CLICK_HEADERS })
      return locationOf(answer).searchParams.get('prompt')
    }
    expect(await promptFor('prompt=login')).toBe('login')
    expect(await promptFor('prompt=select_account')).toBe('select_account')
    for (const bad of ['', 'prompt=none', 'prompt=consent', 'prompt=login%20none', 'prompt=LOGIN'])
      expect(await promptFor(bad)).toBeNull()
    await t.close()
    const plain = await openRooms({ provider: (idp) => idp.oauth2Config() })
    const answer = await plain.browser().send('/api/auth/login?prompt=login', { headers: CLICK_HEADERS })
    expect(locationOf(answer).searchParams.has('prompt')).toBe(false)
    expect(locationOf(answer).searchParams.has('nonce')).toBe(false)
    await plain.close()
  })

  test('C18: the scopes are sent as configured, and offline_access is never added (oidcc-client-test-scope-userinfo-claims)', async () => {
    const t = await openRooms()
    const url = new URL(await t.browser().startLogin())
    expect(url.searchParams.get('scope')).toBe('openid profile email')
    expect(url.searchParams.get('response_type')).toBe('code')
    await t.close()
  })

  test('R6.8: a start that cannot reach the provider redirects to the sign-in page and stores nothing', async () => {
    const t = await openRooms()
    t.idp.answer('metadata', () => new Response('no', { status: 503 }))
    const browser = t.browser()
    const answer = await browser.send('/api/auth/login?returnTo=/rooms/7', { headers: CLICK_HEADERS })
    expect(target(answer)).toBe('/login?error=provider_unavailable&returnTo=%2Frooms%2F7')
    expect((await dump(t.rooms)).login_states).toEqual([])
    expect(await findAuditEvents(t.rooms, 'auth.login_failed')).toHaveLength(1)
    await t.close()
  })
})

describe('the origin of a login start', () => {
  const site = (value: string) => ({ ...CLICK_HEADERS, 'sec-fetch-site': value })
  const scriptHeaders = (value: string) => {
    const { 'sec-fetch-user': _, ...headers } = site(value)
    return headers
  }
  const refused: [string, Record<string, string>][] = [
    ['an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' }],
    ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' }],
    ['a fetch', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site' }],
    [
      'an object',
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object', 'sec-fetch-site': 'cross-site' },
    ],
    [
      'a frame of our own',
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' },
    ],
    [
      'a script of our own',
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' },
    ],
    ['a navigation without destination', { 'sec-fetch-mode': 'navigate' }],
    ['a foreign Origin from a browser without fetch metadata', { origin: 'https://evil.example' }],
  ]
  test.each(refused)('R5.3 C23: %s gets 403 and starts nothing', async (_name, headers) => {
    const t = await openRooms()
    const answer = await t.browser().send('/api/auth/login', { headers })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('location')).toBeNull()
    expect(answer.headers.getSetCookie()).toEqual([])
    expect((await dump(t.rooms)).login_states).toEqual([])
    await t.close()
  })

  test('R5.3 C23: a foreign page that navigates here without a click reaches the sign-in page, with the return path', async () => {
    const t = await openRooms()
    for (const foreign of ['cross-site', 'same-site']) {
      const answer = await t
        .browser()
        .send('/api/auth/login?returnTo=/rooms/7', { headers: scriptHeaders(foreign) })
      expect(target(answer)).toBe('/login?returnTo=%2Frooms%2F7')
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect((await dump(t.rooms)).login_states).toEqual([])
    await t.close()
  })

  test('C23: a click starts a login from any page, and so do local pages and a typed address', async () => {
    const t = await openRooms()
    const accepted = [
      site('cross-site'),
      site('same-site'),
      site('none'),
      scriptHeaders('same-origin'),
      scriptHeaders('none'),
      {},
    ]
    for (const headers of accepted) {
      const answer = await t.browser().send('/api/auth/login', { headers })
      expect(locationOf(answer).origin).toBe(t.idp.issuer)
    }
    expect((await dump(t.rooms)).login_states).toHaveLength(accepted.length)
    await t.close()
  })

  test('R5.1: only GET starts a login', async () => {
    const t = await openRooms()
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await t.browser().send('/api/auth/login', { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET'])
    }
    expect((await dump(t.rooms)).login_states).toEqual([])
    await t.close()
  })
})

function hex(text: string | null): string {
  return Buffer.from(sha256(text ?? ''), 'base64url').toString('hex')
}
