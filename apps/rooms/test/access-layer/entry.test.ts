// The entrance to a service, and what it must not be used for (R50.3, R50.5).
import { describe, expect, test } from 'bun:test'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE } from '../provider/hostile.ts'
import { roomsPerTest } from '../per-test.ts'
import { ORIGIN, type TestRooms } from '../rooms.ts'
import { ADMIN, GO, Visitor, WIKI, accessLayer, forwarded } from './visitor.ts'

const { rooms } = roomsPerTest()
const MALLORY = { ...ALICE, sub: 'mallory', name: 'Mallory' }

const ENTRANCE = `${ORIGIN}/api/access/enter?${new URLSearchParams({ to: ADMIN })}`
const locationOf = (response: Response) => response.headers.get('location') ?? ''

/** Where the entrance sends a browser that has its secret. */
async function codeOf(visitor: Visitor, to = ADMIN): Promise<string> {
  const { origin } = new URL(to)
  const start = `${origin}/api/access/back?${new URLSearchParams({ to })}`
  const entrance = locationOf(await visitor.at(origin).send(start, { headers: forwarded(start) }))
  const back = locationOf(await visitor.rooms.send(entrance))
  expect(back).toStartWith(`${origin}/api/access/back?code=`)
  return back
}

const present = (visitor: Visitor, back: string) =>
  visitor.at(new URL(back).origin).send(back, { headers: forwarded(back) })

async function signedIn(service: TestRooms, person = ALICE): Promise<Visitor> {
  return new Visitor(service, await service.signedInBrowser(person))
}

describe('a code', () => {
  test('R50.3a: admits the browser that it was made for, once', async () => {
    const visitor = await signedIn(await rooms(accessLayer()))
    const back = await codeOf(visitor)
    expect((await visitor.ask()).status).toBe(401)
    const response = await present(visitor, back)
    expect(locationOf(response)).toBe(ADMIN)
    const [line = ''] = response.headers.getSetCookie()
    expect(line).toMatch(
      /^__Host-latchkey_access=[\w-]{43}; Path=\/; Max-Age=2592000; SameSite=Lax; Secure; HttpOnly$/,
    )
    expect((await visitor.ask()).status).toBe(200)
    visitor.at(GO).cookies.delete('__Host-latchkey_access')
    expect(locationOf(await present(visitor, back))).toContain('/login?error=state_invalid')
    expect((await visitor.ask()).status).toBe(401)
  })

  test('R50.3a: that a person presents again leads to the page, without another entry', async () => {
    const visitor = await signedIn(await rooms(accessLayer()))
    const back = await codeOf(visitor)
    await present(visitor, back)
    const again = await present(visitor, back)
    expect(locationOf(again)).toBe(ADMIN)
    expect(again.headers.getSetCookie()).toEqual([])
    expect(await findAuditEvents(visitor.service.rooms, 'access.enter')).toHaveLength(1)
  })

  test('R50.3b: of one person admits no other browser, and is used up there', async () => {
    const service = await rooms(accessLayer())
    const [visitor, mallory] = [await signedIn(service), await signedIn(service, MALLORY)]
    await codeOf(mallory)
    const back = await codeOf(visitor)
    for (const thief of [mallory, new Visitor(service)]) {
      const response = await present(thief, back)
      expect(locationOf(response)).toContain('error=state_invalid')
      expect(response.headers.getSetCookie()).toEqual([])
      expect((await thief.ask()).status).toBe(401)
    }
    expect(locationOf(await present(visitor, back))).toContain('error=state_invalid')
  })

  test('R50.3b: of an attacker does not make a browser enter as the attacker', async () => {
    const service = await rooms(accessLayer())
    const mallory = await signedIn(service, MALLORY)
    const lured = await signedIn(service)
    await codeOf(lured)
    await present(lured, await codeOf(mallory))
    expect((await lured.ask()).status).toBe(401)
    // A challenge of the attacker at the entrance helps neither of them.
    const start = `${GO}/api/access/back`
    const entrance = locationOf(await mallory.at(GO).send(start, { headers: forwarded(start) }))
    const back = locationOf(await lured.rooms.send(entrance))
    await present(lured, back)
    await present(mallory, back)
    expect((await lured.ask()).status).toBe(401)
    expect((await mallory.ask()).status).toBe(401)
  })

  test('R50.3c: admits for 30 seconds', async () => {
    const service = await rooms(accessLayer())
    const visitor = await signedIn(service)
    const [early, late] = [await codeOf(visitor), await codeOf(visitor)]
    service.clock.ms += 29_999
    await present(visitor, early)
    expect((await visitor.ask()).status).toBe(200)
    visitor.at(GO).cookies.delete('__Host-latchkey_access')
    service.clock.ms += 1
    expect(locationOf(await present(visitor, late))).toContain('error=state_invalid')
    expect((await visitor.ask()).status).toBe(401)
    await service.rooms.jobs.runDue()
    expect(await service.rooms.database.read.selectFrom('access_codes').selectAll().execute()).toEqual([])
  })

  test('R50.3: admits at the origin that it was made for, and for its session alone', async () => {
    const service = await rooms(accessLayer())
    const visitor = await signedIn(service)
    await codeOf(visitor, `${WIKI}/`)
    const elsewhere = (await codeOf(visitor)).replace(GO, WIKI)
    expect(locationOf(await present(visitor, elsewhere))).toContain('error=state_invalid')
    const back = await codeOf(visitor)
    await visitor.rooms.send('/api/auth/logout', { body: {} })
    expect(locationOf(await present(visitor, back))).toContain('error=state_invalid')
  })

  test('R50.3: is in the database as a hash and in no log', async () => {
    const service = await rooms(accessLayer())
    const visitor = await signedIn(service)
    const back = await codeOf(visitor)
    const code = new URL(back).searchParams.get('code') ?? ''
    const secret = visitor.at(GO).cookies.get('__Host-latchkey_access_entry') ?? ''
    expect([code, secret]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ])
    const rows = JSON.stringify(
      await service.rooms.database.read.selectFrom('access_codes').selectAll().execute(),
    )
    await present(visitor, back)
    for (const text of [rows, service.logLines.join('\n')]) {
      expect(text).not.toContain(code)
      expect(text).not.toContain(secret)
    }
  })
})

describe('the entrance', () => {
  test('R50.3: keeps the page that was asked for through the sign-in, also in two tabs at once', async () => {
    const service = await rooms(accessLayer())
    const visitor = new Visitor(service)
    const other = `${GO}/_/admin/settings`
    const [first, second] = [await visitor.follow(ADMIN), await visitor.follow(other)]
    for (const provider of [first, second]) expect(new URL(provider).origin).toBe(service.idp.issuer)
    expect(await visitor.follow(service.idp.authorize(first))).toBe(ADMIN)
    expect(await visitor.follow(service.idp.authorize(second))).toBe(other)
  })

  test('R50.3d: leads nowhere but to origins of ROOMS_ACCESS_FOR', async () => {
    const visitor = await signedIn(await rooms(accessLayer()))
    for (const to of [
      '',
      '/',
      '//evil.example',
      'https://evil.example/',
      'http://go.example.com/',
      'https://go.example.com.evil.example/',
      'https://go.example.com@evil.example/',
      'https://ann:secret@go.example.com/',
      'https://go.example.com:8443/',
      'https:go.example.com',
      'https:/go.example.com',
      'https:\\\\evil.example',
      'https://go.example.com\\@evil.example/',
      'https://go.example.com\t.evil.example/',
      ' https://go.example.com/',
      'javascript:alert(1)//https://go.example.com/',
      'data:text/html,x',
      `${GO}/${'x'.repeat(1_000)}`,
      `${ORIGIN}/account`,
    ]) {
      const query = new URLSearchParams({ to })
      const response = await visitor.rooms.send(`/api/access/enter?${query}`)
      expect([to, response.status, locationOf(response)]).toEqual([to, 400, ''])
      // At the service, the same addresses lead to its start page.
      const start = `${GO}/api/access/back?${query}`
      const entrance = new URL(locationOf(await present(visitor, start)))
      expect([to, entrance.origin, entrance.searchParams.get('to')]).toEqual([to, ORIGIN, `${GO}/`])
    }
    expect((await visitor.rooms.send('/api/access/enter')).status).toBe(400)
  })

  test('R50.3d: is opened in a window, not in a frame, a script or a form of another page', async () => {
    const visitor = await signedIn(await rooms(accessLayer()))
    const start = `${GO}/api/access/back?${new URLSearchParams({ to: ADMIN })}`
    for (const [mode, dest] of [
      ['navigate', 'iframe'],
      ['no-cors', 'image'],
      ['cors', 'empty'],
    ] as const) {
      const headers = { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, 'sec-fetch-site': 'cross-site' }
      expect((await visitor.rooms.send(ENTRANCE, { headers })).status).toBe(403)
      const sent = { headers: { ...forwarded(start), ...headers } }
      expect((await visitor.at(GO).send(start, sent)).status).toBe(403)
    }
    expect((await visitor.rooms.send(ENTRANCE, { method: 'POST' })).status).toBe(405)
  })

  test('R50.3d: is on the host of Rooms, and its other end on those of the services', async () => {
    const visitor = await signedIn(await rooms(accessLayer()))
    const entrance = ENTRANCE.replace(ORIGIN, GO)
    expect((await visitor.at(GO).send(entrance, { headers: forwarded(entrance) })).status).toBe(421)
    const back = await codeOf(visitor)
    expect((await visitor.rooms.send(back.replace(GO, ORIGIN))).status).toBe(421)
    for (const path of [
      '/',
      '/login',
      '/api/session',
      '/api/auth/login',
      '/api/config',
      '/api/ws',
      '/api/access/x',
    ])
      expect([path, (await visitor.at(GO).send(path, { headers: forwarded(GO + path) })).status]).toEqual([
        path,
        421,
      ])
  })

  test('R50.3: does not send a browser in a circle that keeps no cookies', async () => {
    const visitor = await signedIn(await rooms(accessLayer()))
    const back = await codeOf(visitor)
    visitor.at(GO).cookies.clear()
    expect(new URL(locationOf(await present(visitor, back))).pathname).toBe('/login')
  })

  test('R50: does not exist without ROOMS_ACCESS_FOR', async () => {
    const service = await rooms()
    const browser = await service.signedInBrowser()
    for (const path of ['', '/enter', '/back', '/jwks', '/sign-out', '/revocations'])
      expect([path, (await browser.send(`/api/access${path}`)).status]).toEqual([path, 404])
    expect(await service.rooms.database.read.selectFrom('access_claims').selectAll().execute()).toEqual([])
  })
})

describe('signing out at the service', () => {
  const SIGN_OUT = `${GO}/api/access/sign-out`
  const signOut = (visitor: Visitor, site = 'same-origin') => {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    return visitor.at(GO).send(SIGN_OUT, { headers: { ...forwarded(SIGN_OUT), ...headers } })
  }

  test('R50.5: ends the session everywhere, and leads to the sign-out of the provider', async () => {
    const service = await rooms(accessLayer())
    const visitor = new Visitor(service)
    await visitor.enter()
    await visitor.follow(`${WIKI}/`)
    const { session } = await visitor.rooms.json<{ session: { id: string } }>('/api/session')
    const response = await signOut(visitor)
    const to = new URL(locationOf(response))
    expect(to.origin).toBe(service.idp.issuer)
    expect(to.searchParams.get('post_logout_redirect_uri')).toBe(ORIGIN)
    expect(to.searchParams.has('id_token_hint')).toBe(false)
    expect(visitor.at(GO).cookies.size).toBe(0)
    expect((await visitor.ask(`${WIKI}/`)).status).toBe(401)
    expect((await visitor.rooms.send('/api/session')).status).toBe(401)
    const [event] = await findAuditEvents(service.rooms, 'auth.logout')
    expect(event).toMatchObject({
      target_id: session.id,
      metadata: { everywhere: false, sessions: 1, origin: GO },
    })
  })

  test('R50.5: happens from pages of the service alone', async () => {
    const visitor = new Visitor(await rooms(accessLayer()))
    await visitor.enter()
    for (const site of ['cross-site', 'same-site']) expect((await signOut(visitor, site)).status).toBe(403)
    expect((await visitor.ask()).status).toBe(200)
  })

  test('R50.5: leads to the sign-in page without a session', async () => {
    const response = await signOut(new Visitor(await rooms(accessLayer())))
    expect(locationOf(response)).toBe(`${ORIGIN}/login`)
  })
})
