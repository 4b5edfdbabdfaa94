import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { hashToken } from '@latchkey/tokens/opaque'
import { ALICE, CLIENT_ID, type Endpoint, hostileProvider } from '../provider/hostile.ts'
import { listen, sendRaw } from '../edge/raw.ts'
import { type Browser, ORIGIN, type TestOptions, type TestRooms, openRooms } from '../rooms.ts'
import { CLICK_HEADERS, NOTHING, findAuditEvents, counts, dump, locationOf, target } from './steps.ts'

const SCRIPT = '<script>alert(1)</script>'

/** Starts a login and returns the callback that the provider would send the browser to. */
async function begin(t: TestRooms, browser: Browser, returnTo?: string): Promise<URL> {
  return new URL(t.idp.authorize(await browser.startLogin(returnTo), ALICE))
}

function changed(url: URL, change: (query: URLSearchParams) => void): string {
  const copy = new URL(url)
  change(copy.searchParams)
  return copy.href
}

/** The reasons of the failed logins in the audit log, each as often as it was counted. */
async function reasons(t: TestRooms): Promise<string[]> {
  return (await findAuditEvents(t.rooms, 'auth.login_failed')).flatMap(({ metadata }) =>
    Array.from({ length: Number(metadata['count']) }, () => String(metadata['reason'])),
  )
}

describe('what a callback may look like', () => {
  test('R6.1 C27 only GET is answered, and what other methods bring uses nothing up', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
    for (const method of ['POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await browser.send(callback.href, { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET'])
    }
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test('C27 an answer in the fragment is no answer', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
    const answer = await browser.send(`${callback.pathname}#${callback.search.slice(1)}`)
    expect(target(answer)).toBe('/login?error=state_invalid')
    expect(t.idp.calls.token).toBe(0)
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test.each(['code', 'state', 'iss', 'error'])(
    'R6.1 C28 a repeated %s is refused and uses nothing up',
    async (name) => {
      const t = await openRooms()
      const browser = t.browser()
      const callback = await begin(t, browser)
      for (const value of [callback.searchParams.get(name) ?? 'access_denied', '', 'other']) {
        const doubled = changed(callback, (query) => {
          if (!query.has(name)) query.append(name, 'access_denied')
          query.append(name, value)
        })
        expect(target(await browser.send(doubled))).toBe('/login?error=state_invalid')
      }
      // Also when one of the two is written in another way.
      const encoded = `${callback.href}&${name}=1&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=2`
      expect(target(await browser.send(encoded))).toBe('/login?error=state_invalid')
      expect(t.idp.calls.token).toBe(0)
      expect(target(await browser.send(callback.href))).toBe('/')
      await t.close()
    },
  )

  test.each([
    ['a query over 8 KiB', (url: URL) => `${url.href}&filler=${'a'.repeat(8192)}`],
    ['NUL in the state', (url: URL) => `${url.href}%00`],
    ['NUL elsewhere', (url: URL) => `${url.href}&x=%00`],
    ['bad UTF-8', (url: URL) => `${url.href}&x=%ff%fe`],
    ['an overlong form', (url: URL) => `${url.href}&x=%c0%af`],
    ['a surrogate', (url: URL) => `${url.href}&x=%ed%a0%80`],
    ['half an escape', (url: URL) => `${url.href}&x=%4`],
    ['bad UTF-8 in a name', (url: URL) => `${url.href}&%ff=x`],
  ])('C39 %s is refused without an error of ours', async (_name, bend) => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
    expect(target(await browser.send(bend(callback)))).toBe('/login?error=state_invalid')
    expect(t.idp.calls.token).toBe(0)
    expect(t.logLines.join('')).not.toContain('"level":"error"')
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  // Bun reads the address before we do, and puts a mark in the place of what is no UTF-8.
  test('C39 bytes that are no UTF-8, as they are, are refused and use nothing up', async () => {
    const t = await openRooms()
    const server = listen(t)
    for (const name of ['code', 'state', 'iss']) {
      const browser = t.browser()
      const { pathname, search } = await begin(t, browser)
      const cookies = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
      const bent = `${pathname}${search.replace(`${name}=`, `${name}=\xff`)}`
      const { headers } = await sendRaw(
        server.port,
        `GET ${bent} HTTP/1.1\r\nHost: rooms.example.com\r\nCookie: ${cookies}\r\nConnection: close\r\n\r\n`,
      )
      expect([name, headers.get('location')]).toEqual([name, `${ORIGIN}/login?error=state_invalid`])
      expect(t.idp.calls.token).toBe(0)
      expect(target(await browser.send(pathname + search))).toBe('/')
      t.idp.calls.token = 0
    }
    await server.stop()
    await t.close()
  })

  test('C39 a query of exactly 8 KiB is read', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
    const filler = 'a'.repeat(8192 - callback.search.length - '&x='.length)
    expect(target(await browser.send(`${callback.href}&x=${filler}`))).toBe('/')
    await t.close()
  })
})

eachDialect((_dialect, newUrl) => {
  test('C29 an unknown or missing state is refused (fapi2:ensure-authorization-response-with-invalid-state-fails, fapi2:ensure-authorization-response-with-invalid-missing-state-fails)', async () => {
    const t = await openRooms({ url: await newUrl() })
    const browser = t.browser()
    const callback = await begin(t, browser)
    const bends: ((query: URLSearchParams) => void)[] = [
      (query) => query.delete('state'),
      (query) => query.set('state', ''),
      (query) => query.set('state', 'x'.repeat(43)),
      (query) => query.set('state', `${query.get('state')}x`),
      (query) => query.set('state', query.get('state')?.toLowerCase() ?? ''),
    ]
    for (const bend of bends)
      expect(target(await browser.send(changed(callback, bend)))).toBe('/login?error=state_invalid')
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(t.idp.calls.token).toBe(0)
    expect(await reasons(t)).toEqual(expect.arrayContaining(['no state', 'unknown state']))
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test('R6.2 C29 R28.1 the whole callback address signs nobody in in another browser, and the rightful one can still finish', async () => {
    const t = await openRooms({ url: await newUrl() })
    const browser = t.browser()
    const callback = await begin(t, browser)
    const bare = t.browser()
    const other = t.browser()
    await other.startLogin()
    for (const thief of [bare, other]) {
      expect(target(await thief.send(callback.href))).toBe('/login?error=state_invalid')
      expect(thief.token).toBeUndefined()
    }
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(t.idp.calls.token).toBe(0)
    expect((await reasons(t)).toSorted()).toEqual(['no browser cookie', 'state of another browser'])
    expect(target(await browser.send(callback.href))).toBe('/')
    expect(browser.token).toMatch(/^[\w-]{43}$/)
    await t.close()
  })

  test('C29 R10.1 a login cookie that comes twice binds nobody, so that a planted one brings nobody into another account', async () => {
    const t = await openRooms({ url: await newUrl() })
    const [victim, attacker] = [t.browser(), t.browser()]
    const own = await begin(t, victim)
    const planted = await begin(t, attacker)
    const pairOf = (browser: Browser) => {
      const name = '__Host-latchkey_login'
      return `${name}=${browser.cookies.get(name)}`
    }
    for (const cookie of [
      `${pairOf(victim)}; ${pairOf(attacker)}`,
      `${pairOf(attacker)}; ${pairOf(victim)}`,
      `${pairOf(attacker)}; ${pairOf(attacker)}`,
    ])
      expect(target(await victim.send(planted.href, { headers: { cookie } }))).toBe(
        '/login?error=state_invalid',
      )
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(target(await victim.send(own.href))).toBe('/')
    await t.close()
  })

  test('C25 a tab that shared the cookie of another one’s start comes back although a third one’s answer has replaced it', async () => {
    const t = await openRooms({ url: await newUrl() })
    const [browser, third] = [t.browser(), t.browser()]
    await begin(t, browser)
    const callback = await begin(t, browser)
    await begin(t, third)
    // It had started before there was a cookie, too, and is answered last.
    for (const [name, value] of third.cookies) browser.cookies.set(name, value)
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test('C25 a browser that starts again and again is not given cookies without end', async () => {
    const t = await openRooms({
      url: await newUrl(),
      limits: { login_start_per_minute: 1_000, login_states_browser: 1_000 },
    })
    const browser = t.browser()
    for (let times = 0; times < 30; times++) await begin(t, browser)
    expect(browser.cookies.size).toBe(21)
    await t.close()
  })

  test('R6.3 C30 R27.3 fifty equal callbacks at once cause one token request and one session', async () => {
    const t = await openRooms({ url: await newUrl() })
    const browser = t.browser()
    const callback = await begin(t, browser)
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => t.browser().send(callback.href, { headers: { cookie } })),
    )
    const targets = answers.map(target)
    expect(targets.filter((each) => each === '/')).toHaveLength(1)
    expect(targets.filter((each) => each === '/login?error=state_invalid')).toHaveLength(49)
    expect(t.idp.calls.token).toBe(1)
    expect(await counts(t.rooms)).toEqual({ users: 1, sessions: 1, grants: 1 })
    await t.close()
  })

  test('C31 a state is accepted a second before its end and refused a second after it', async () => {
    const t = await openRooms({ url: await newUrl(), settings: { transactionSeconds: 120 } })
    const [early, late] = [t.browser(), t.browser()]
    const inTime = await begin(t, early)
    const tooLate = await begin(t, late)
    t.clock.ms += 119_000
    expect(target(await early.send(inTime.href))).toBe('/')
    t.clock.ms += 2_000
    expect(target(await late.send(tooLate.href))).toBe('/login?error=state_invalid')
    expect(late.token).toBeUndefined()
    expect(t.idp.calls.token).toBe(1)
    expect(await reasons(t)).toEqual(['expired state'])
    await t.close()
  })

  test('C33 a state of another mode, issuer or client is refused after a restart', async () => {
    const url = await newUrl()
    const t = await openRooms({ url })
    const { idp } = t
    const elsewhere = await hostileProvider({ now: () => t.clock.ms })
    const others = [
      idp.config({ clientId: `${CLIENT_ID}-2` }),
      idp.config({ issuer: `${idp.issuer}/` }),
      elsewhere.config(),
      idp.teamidpConfig(),
      idp.oauth2Config(),
    ]
    for (const provider of others) {
      const browser = t.browser()
      const callback = await begin(t, browser)
      const node = await t.node({ provider })
      const answer = await node.browser().send(callback.href, {
        headers: { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
      })
      expect(target(answer)).toBe('/login?error=state_invalid')
      await node.close()
    }
    expect(idp.calls.token + elsewhere.calls.token).toBe(0)
    expect(await reasons(t)).toEqual(others.map(() => 'state of another configuration'))
    expect(await counts(t.rooms)).toEqual(NOTHING)
    await elsewhere.stop()
    await t.close()
  })
})

describe('what the provider answers', () => {
  test.each([
    [
      'a wrong code',
      (t: TestRooms, url: URL) => (void t, changed(url, (query) => query.set('code', 'x'))),
      'provider_error',
    ],
    [
      'no code',
      (t: TestRooms, url: URL) => (void t, changed(url, (query) => query.delete('code'))),
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
  ] as const)('C32 after %s the state stays used, and one can start again', async (_name, bend, code) => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser, '/rooms/7')
    const again = '&returnTo=%2Frooms%2F7'
    expect(target(await browser.send(bend(t, callback)))).toBe(`/login?error=${code}${again}`)
    t.idp.answer('token', (usual) => usual())
    const calls = t.idp.calls.token
    expect(target(await browser.send(callback.href))).toBe('/login?error=state_invalid')
    expect(t.idp.calls.token).toBe(calls)
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(target(await browser.signIn(ALICE, '/rooms/7'))).toBe('/rooms/7')
    await t.close()
  })

  test.each([
    ['oidc', 'metadata', 'no metadata', (idp) => idp.config()],
    ['oidc', 'token', 'token endpoint failed', (idp) => idp.config()],
    ['teamidp', 'metadata', 'no metadata', (idp) => idp.teamidpConfig()],
    ['teamidp', 'token', 'token endpoint failed', (idp) => idp.teamidpConfig()],
    ['oauth2', 'token', 'token endpoint failed', (idp) => idp.oauth2Config()],
  ] as const satisfies [string, Endpoint, string, NonNullable<TestOptions['provider']>][])(
    'R6.8 in %s without an answer of %s people come to the login page, the log says why, and a new try succeeds',
    async (_mode, endpoint, reason, provider) => {
      const t = await openRooms({ provider })
      t.idp.answer(endpoint, () => new Response('no', { status: 503 }))
      const browser = t.browser()
      const start = await browser.send('/api/auth/login?returnTo=/rooms/7', { headers: CLICK_HEADERS })
      const sentTo = locationOf(start)
      const answer = endpoint === 'metadata' ? start : await browser.send(t.idp.authorize(sentTo.href, ALICE))
      expect(target(answer)).toBe('/login?error=provider_unavailable&returnTo=%2Frooms%2F7')
      expect(await counts(t.rooms)).toEqual(NOTHING)
      const told = t.logLines
        .map((line) => JSON.parse(line))
        .filter(({ message }) => message === 'login: failed')
      expect(told).toEqual([
        expect.objectContaining({ level: 'warn', code: 'provider_unavailable', reason, status: 503 }),
      ])
      t.idp.answer(endpoint, (usual) => usual())
      t.clock.ms += 10_000
      expect(target(await browser.signIn(ALICE, '/rooms/7'))).toBe('/rooms/7')
      await t.close()
    },
  )

  test('R6.4 C34 a wrong iss is refused, on error answers too (fapi2:invalid-authorization-response-iss)', async () => {
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
      const callback = await begin(t, browser)
      expect(target(await browser.send(changed(callback, bend)))).toBe('/login?error=state_invalid')
    }
    expect(t.idp.calls.token).toBe(0)
    expect(await counts(t.rooms)).toEqual(NOTHING)
    await t.close()
  })

  test('C34 a missing iss is refused when the provider announces it, on error answers too (fapi2:remove-authorization-response-iss)', async () => {
    const t = await openRooms()
    for (const error of [null, 'access_denied']) {
      const browser = t.browser()
      const callback = await begin(t, browser)
      const bent = changed(callback, (query) => {
        query.delete('iss')
        if (error !== null) query.set('error', error)
      })
      expect(target(await browser.send(bent))).toBe('/login?error=state_invalid')
    }
    expect(t.idp.calls.token).toBe(0)
    await t.close()
  })

  test('C34 iss may be missing where nobody announces it, and oauth2 ignores it', async () => {
    const t = await openRooms()
    t.idp.metadata((usual) => ({ ...usual, authorization_response_iss_parameter_supported: undefined }))
    expect(target(await t.browser().signIn())).toBe('/')
    await t.close()
    const plain = await openRooms({ provider: (idp) => idp.oauth2Config() })
    const browser = plain.browser()
    const callback = await begin(plain, browser)
    callback.searchParams.set('iss', 'https://whatever.example')
    expect(target(await browser.send(callback.href))).toBe('/')
    await plain.close()
  })

  test('C35 what the provider says about an error is neither passed on, nor linked, nor logged, nor kept', async () => {
    const t = await openRooms()
    for (const bent of ['error', 'error_description', 'error_uri']) {
      const browser = t.browser()
      const callback = await begin(t, browser)
      const url = changed(callback, (query) => {
        query.delete('code')
        query.set('error', 'no_known_error')
        query.set(bent, `${SCRIPT}javascript:alert(2)`)
      })
      const answer = await browser.send(url)
      expect(target(answer)).toBe('/login?error=provider_error')
      expect(await answer.text()).toBe('')
    }
    const kept = JSON.stringify(await dump(t.rooms)) + t.logLines.join('')
    for (const trace of ['alert', 'script>', 'no_known_error']) expect(kept).not.toContain(trace)
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
  ])('C36 the error "%s" leads to the login page as %s, never back to the provider', async (error, code) => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
    const answer = await browser.send(changed(callback, (query) => query.set('error', error)))
    expect(answer.headers.get('location')).toBe(`${ORIGIN}/login?error=${code}`)
    expect(t.idp.calls.token).toBe(0)
    expect(await counts(t.rooms)).toEqual(NOTHING)
    await t.close()
  })

  test('R6.9 C37 callback answers are not kept, tell no referrer, have no body, and leave a clean address behind', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
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

  test('C40 a login ends at the first listed origin, at the path where it was begun on another', async () => {
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

  test('C41 the token request repeats the redirect address that was stored with the attempt', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
    const stored = 'https://as-it-was.example/api/auth/callback'
    await t.rooms.database.write(async (tx) => {
      await tx.updateTable('login_states').set({ redirect_uri: stored }).execute()
    })
    // The provider knows better and refuses it.
    expect(target(await browser.send(callback.href))).toBe('/login?error=provider_error')
    expect(t.idp.requests.find(({ endpoint }) => endpoint === 'token')?.form.get('redirect_uri')).toBe(stored)
    await t.close()
  })

  test('R6.8 a failure of ours is one page too, and its cause is only in the log', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await begin(t, browser)
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

describe('an old tab in a browser that is signed in', () => {
  test('C25 R6.8 leads to the start page without an error, whatever became of its state', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const [expired, used, gone] = [await begin(t, browser), await begin(t, browser), await begin(t, browser)]
    await browser.send(used.href)
    const goneHash = hashToken(gone.searchParams.get('state') ?? '')
    await t.rooms.database.write(async (tx) => {
      await tx.deleteFrom('login_states').where('state_hash', '=', goneHash).execute()
    })
    t.clock.ms += 601_000
    const { token } = browser
    for (const callback of [expired, used, gone]) expect(target(await browser.send(callback.href))).toBe('/')
    // The cookie of the attempts has gone with its lifetime.
    for (const name of browser.cookies.keys()) if (name.includes('_login')) browser.cookies.delete(name)
    expect(target(await browser.send(expired.href))).toBe('/')
    expect(browser.token).toBe(token ?? '')
    expect(await reasons(t)).toEqual([])
    await t.close()
  })

  test('C25 R6.8 a guest or an ended session is not signed in: such a browser is told', async () => {
    const t = await openRooms()
    const guest = t.browser()
    await guest.json('/api/session', { body: { nickname: 'Robin' } }, 201)
    const member = await t.signedInBrowser()
    const stale = await begin(t, t.browser())
    expect(target(await guest.send(stale.href))).toBe('/login?error=state_invalid')
    await member.json('/api/auth/logout', { body: {} })
    expect(target(await member.send(stale.href))).toBe('/login?error=state_invalid')
    await t.close()
  })

  test('R6.8 anything but an old state is an error there too', async () => {
    const t = await openRooms()
    const browser = await t.signedInBrowser()
    const callback = await begin(t, browser)
    const bent = changed(callback, (query) => query.set('iss', 'https://evil.example'))
    expect(target(await browser.send(bent))).toBe('/login?error=state_invalid')
    await t.close()
  })
})
