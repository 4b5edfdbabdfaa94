import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { hashToken } from '@latchkey/tokens/opaque'
import { CLIENT_ID, hostileProvider } from '../provider/hostile.ts'
import { listen, sendRaw } from '../edge/raw.ts'
import { type Browser, ORIGIN, openRooms } from '../rooms.ts'
import { NOTHING, counts, target, beginLogin, changeQuery, failureReasons } from './steps.ts'

describe('the form of a callback', () => {
  test('R6.1 C27: only GET is accepted, and other methods do not consume the login state', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    for (const method of ['POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await browser.send(callback.href, { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET'])
    }
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test('C27: a response in the fragment is ignored', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    const answer = await browser.send(`${callback.pathname}#${callback.search.slice(1)}`)
    expect(target(answer)).toBe('/login?error=state_invalid')
    expect(t.idp.calls.token).toBe(0)
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test.each(['code', 'state', 'iss', 'error'])(
    'R6.1 C28: a repeated %s is refused and does not consume the login state',
    async (name) => {
      const t = await openRooms()
      const browser = t.browser()
      const callback = await beginLogin(t, browser)
      for (const value of [callback.searchParams.get(name) ?? 'access_denied', '', 'other']) {
        const doubled = changeQuery(callback, (query) => {
          if (!query.has(name)) query.append(name, 'access_denied')
          query.append(name, value)
        })
        expect(target(await browser.send(doubled))).toBe('/login?error=state_invalid')
      }
      // Also if one of the two is encoded differently.
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
  ])('C39: %s is refused without an internal error', async (_name, bend) => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    expect(target(await browser.send(bend(callback)))).toBe('/login?error=state_invalid')
    expect(t.idp.calls.token).toBe(0)
    expect(t.logLines.join('')).not.toContain('"level":"error"')
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  // Bun parses the address first, and replaces invalid UTF-8 with the replacement character.
  test('C39: raw bytes that are not UTF-8 are refused and do not consume the login state', async () => {
    const t = await openRooms()
    const server = listen(t)
    for (const name of ['code', 'state', 'iss']) {
      const browser = t.browser()
      const { pathname, search } = await beginLogin(t, browser)
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

  test('C39: a query of exactly 8 KiB is accepted', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    const filler = 'a'.repeat(8192 - callback.search.length - '&x='.length)
    expect(target(await browser.send(`${callback.href}&x=${filler}`))).toBe('/')
    await t.close()
  })
})

eachDialect((dialect, newUrl) => {
  test('R6.3 C30 R27.3: fifty equal callbacks at once cause one token request and one session', async () => {
    const t = await openRooms({ url: await newUrl() })
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
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

  test('C31: a state is accepted a second before its expiry and refused a second after it', async () => {
    const t = await openRooms({ url: await newUrl(), settings: { transactionSeconds: 120 } })
    const [early, late] = [t.browser(), t.browser()]
    const inTime = await beginLogin(t, early)
    const tooLate = await beginLogin(t, late)
    t.clock.ms += 119_000
    expect(target(await early.send(inTime.href))).toBe('/')
    t.clock.ms += 2_000
    expect(target(await late.send(tooLate.href))).toBe('/login?error=state_invalid')
    expect(late.token).toBeUndefined()
    expect(t.idp.calls.token).toBe(1)
    expect(await failureReasons(t)).toEqual(['expired state'])
    await t.close()
  })

  if (dialect === 'postgres') return

  test('C29: an unknown or missing state is refused (fapi2:ensure-authorization-response-with-invalid-state-fails, fapi2:ensure-authorization-response-with-invalid-missing-state-fails)', async () => {
    const t = await openRooms({ url: await newUrl() })
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    const bends: ((query: URLSearchParams) => void)[] = [
      (query) => query.delete('state'),
      (query) => query.set('state', ''),
      (query) => query.set('state', 'x'.repeat(43)),
      (query) => query.set('state', `${query.get('state')}x`),
      (query) => query.set('state', query.get('state')?.toLowerCase() ?? ''),
    ]
    for (const bend of bends)
      expect(target(await browser.send(changeQuery(callback, bend)))).toBe('/login?error=state_invalid')
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(t.idp.calls.token).toBe(0)
    expect(await failureReasons(t)).toEqual(expect.arrayContaining(['no state', 'unknown state']))
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test('R6.2 C29 R28.1: a callback URL signs in no other browser, and the browser that started the login can still finish', async () => {
    const t = await openRooms({ url: await newUrl() })
    const browser = t.browser()
    const callback = await beginLogin(t, browser)
    const bare = t.browser()
    const other = t.browser()
    await other.startLogin()
    for (const thief of [bare, other]) {
      expect(target(await thief.send(callback.href))).toBe('/login?error=state_invalid')
      expect(thief.token).toBeUndefined()
    }
    expect(await counts(t.rooms)).toEqual(NOTHING)
    expect(t.idp.calls.token).toBe(0)
    expect((await failureReasons(t)).toSorted()).toEqual(['no browser cookie', 'state of another browser'])
    expect(target(await browser.send(callback.href))).toBe('/')
    expect(browser.token).toMatch(/^[\w-]{43}$/)
    await t.close()
  })

  test('C29 R10.1: a repeated login cookie binds no browser, so a planted one cannot sign a victim in to another account', async () => {
    const t = await openRooms({ url: await newUrl() })
    const [victim, attacker] = [t.browser(), t.browser()]
    const own = await beginLogin(t, victim)
    const planted = await beginLogin(t, attacker)
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

  test('C25: a tab that shared the login cookie of another can finish although the response to a third has replaced the cookie', async () => {
    const t = await openRooms({ url: await newUrl() })
    const [browser, third] = [t.browser(), t.browser()]
    await beginLogin(t, browser)
    const callback = await beginLogin(t, browser)
    await beginLogin(t, third)
    // The third tab also started before there was a cookie, and is answered last.
    for (const [name, value] of third.cookies) browser.cookies.set(name, value)
    expect(target(await browser.send(callback.href))).toBe('/')
    await t.close()
  })

  test('C25: the number of login cookies of a browser is limited', async () => {
    const t = await openRooms({
      url: await newUrl(),
      limits: { login_start_per_minute: 1_000, login_states_browser: 1_000 },
    })
    const browser = t.browser()
    for (let times = 0; times < 30; times++) await beginLogin(t, browser)
    expect(browser.cookies.size).toBe(21)
    await t.close()
  })

  test('C33: a state of another mode, issuer or client is refused after a restart', async () => {
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
      const callback = await beginLogin(t, browser)
      const node = await t.node({ provider })
      const answer = await node.browser().send(callback.href, {
        headers: { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
      })
      expect(target(answer)).toBe('/login?error=state_invalid')
      await node.close()
    }
    expect(idp.calls.token + elsewhere.calls.token).toBe(0)
    expect(await failureReasons(t)).toEqual(others.map(() => 'state of another configuration'))
    expect(await counts(t.rooms)).toEqual(NOTHING)
    await elsewhere.stop()
    await t.close()
  })
})

describe('an old tab in a signed-in browser', () => {
  test('C25 R6.8: is redirected to the start page without an error, whatever the state of its login', async () => {
    const t = await openRooms()
    const browser = t.browser()
    const [expired, used, gone] = [
      await beginLogin(t, browser),
      await beginLogin(t, browser),
      await beginLogin(t, browser),
    ]
    await browser.send(used.href)
    const goneHash = hashToken(gone.searchParams.get('state') ?? '')
    await t.rooms.database.write(async (tx) => {
      await tx.deleteFrom('login_states').where('state_hash', '=', goneHash).execute()
    })
    t.clock.ms += 601_000
    const { token } = browser
    for (const callback of [expired, used, gone]) expect(target(await browser.send(callback.href))).toBe('/')
    // The cookie of the login flow expires with its lifetime.
    for (const name of browser.cookies.keys()) if (name.includes('_login')) browser.cookies.delete(name)
    expect(target(await browser.send(expired.href))).toBe('/')
    expect(browser.token).toBe(token ?? '')
    expect(await failureReasons(t)).toEqual([])
    await t.close()
  })

  test('C25 R6.8: shows the error if the browser has a guest session or an ended one', async () => {
    const t = await openRooms()
    const guest = t.browser()
    await guest.json('/api/session', { body: { nickname: 'Robin' } }, 201)
    const member = await t.signedInBrowser()
    const stale = await beginLogin(t, t.browser())
    expect(target(await guest.send(stale.href))).toBe('/login?error=state_invalid')
    await member.json('/api/auth/logout', { body: {} })
    expect(target(await member.send(stale.href))).toBe('/login?error=state_invalid')
    await t.close()
  })

  test('R6.8: shows every other error', async () => {
    const t = await openRooms()
    const browser = await t.signedInBrowser()
    const callback = await beginLogin(t, browser)
    const bent = changeQuery(callback, (query) => query.set('iss', 'https://evil.example'))
    expect(target(await browser.send(bent))).toBe('/login?error=state_invalid')
    await t.close()
  })
})
