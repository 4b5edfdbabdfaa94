// Session cookies in browsers, and the use that others can make of them (R10.1 to R10.3).
import { describe, expect, test } from 'bun:test'
import { csrfTokenOf } from '../../src/sessions/csrf.ts'
import { roomsPerTest } from '../per-test.ts'
import { browserOf, insertPerson } from './people.ts'

const { rooms } = roomsPerTest()

/** Set-Cookie lines with their random values replaced by names. */
function shapes(response: Response): string[] {
  return response.headers
    .getSetCookie()
    .map((line) => line.replace(/=[\w-]{43};/, '=<43>;'))
    .toSorted()
}

describe('R10.2 C94: the cookies', () => {
  const DELETED = [
    '__Host-latchkey_csrf=; Path=/; Max-Age=0; SameSite=Lax; Secure',
    '__Host-latchkey_session=; Path=/; Max-Age=0; SameSite=Lax; Secure; HttpOnly',
  ]

  test('of a login live as long as the session can, and scripts can read only one of them', async () => {
    const service = await rooms()
    const browser = service.browser()
    const answer = await browser.signIn()
    const set = shapes(answer).filter((line) => /session|csrf/.test(line))
    expect(set).toEqual([
      '__Host-latchkey_csrf=<43>; Path=/; Max-Age=2592000; SameSite=Lax; Secure',
      '__Host-latchkey_session=<43>; Path=/; Max-Age=2592000; SameSite=Lax; Secure; HttpOnly',
    ])
    expect(browser.cookies.get('__Host-latchkey_csrf')).toBe(csrfTokenOf(browser.token ?? ''))
  })

  test('of a guest live for a day', async () => {
    const service = await rooms()
    const answer = await service.browser().send('/api/session', { body: { nickname: 'Visitor' } })
    expect(shapes(answer)).toEqual([
      '__Host-latchkey_csrf=<43>; Path=/; Max-Age=86400; SameSite=Lax; Secure',
      '__Host-latchkey_session=<43>; Path=/; Max-Age=86400; SameSite=Lax; Secure; HttpOnly',
    ])
  })

  test('R10.4b: are deleted with all attributes, at sign-out and when the session has ended', async () => {
    const service = await rooms()
    const browser = await browserOf(service, await insertPerson(service))
    const token = browser.token ?? ''
    expect(shapes(await browser.send('/api/auth/logout', { body: {} }))).toEqual(DELETED)
    browser.cookies.set('__Host-latchkey_session', token)
    const dead = await browser.send('/api/session')
    expect([dead.status, shapes(dead)]).toEqual([401, DELETED])
    browser.cookies.set('__Host-latchkey_session', 'junk')
    const anybody = await browser.send('/api/config')
    expect([anybody.status, shapes(anybody)]).toEqual([200, DELETED])
    expect(shapes(await browser.send('/api/config'))).toEqual([])
  })

  test('have plain names and no Secure attribute on http to this machine, and only there', async () => {
    const origin = 'http://localhost:8081'
    const service = await rooms({ settings: { allowedHosts: [origin, 'https://rooms.example.com'] } })
    const local = service.browser({ origin })
    const created = await local.send('/api/session', { body: { nickname: 'Visitor' } })
    expect(shapes(created)).toEqual([
      'latchkey_csrf=<43>; Path=/; Max-Age=86400; SameSite=Lax',
      'latchkey_session=<43>; Path=/; Max-Age=86400; SameSite=Lax; HttpOnly',
    ])
    expect((await local.send('/api/session')).status).toBe(200)
    const token = local.token ?? ''
    const ended = await local.send('/api/auth/logout', { body: {} })
    expect(shapes(ended)).toEqual([
      'latchkey_csrf=; Path=/; Max-Age=0; SameSite=Lax',
      'latchkey_session=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly',
    ])
    local.cookies.set('__Host-latchkey_session', token)
    const other = await local.send('/api/session')
    expect([other.status, shapes(other)]).toEqual([401, []])
    const secure = await service.browser().send('/api/session', { body: { nickname: 'Visitor' } })
    expect(shapes(secure).every((line) => line.startsWith('__Host-') && line.includes('Secure'))).toBe(true)
  })

  test('that a sibling domain could set have no effect', async () => {
    const service = await rooms()
    const [ada, mallory] = [await insertPerson(service), await insertPerson(service, { nickname: 'Mallory' })]
    const victim = await browserOf(service, ada)
    const attacker = await browserOf(service, mallory)
    victim.cookies.set('latchkey_session', attacker.token ?? '')
    victim.cookies.set('latchkey_csrf', 'x')
    expect(await victim.json('/api/session')).toMatchObject({ user: { id: ada.id } })
    const planted = service.browser()
    planted.cookies.set('latchkey_session', attacker.token ?? '')
    expect((await planted.send('/api/session')).status).toBe(401)
  })

  test('with the same name are refused with 400, in either order', async () => {
    const service = await rooms()
    const { token = '' } = await browserOf(service, await insertPerson(service))
    const name = '__Host-latchkey_session'
    for (const cookie of [
      `${name}=${token}; ${name}=other`,
      `${name}=other;${name}=${token}`,
      `${name}=${token}; ${name}=${token}`,
    ]) {
      const answer = await service.browser().send('/api/session', { headers: { cookie } })
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: 'The request has more than one session cookie', code: 'invalid_request' },
      ])
    }
  })

  test('are restored on a GET if the readable one is missing or wrong, for the rest of the session', async () => {
    const service = await rooms()
    const browser = await browserOf(service, await insertPerson(service))
    service.clock.ms += 1_000_000
    const again = await browser.send('/api/session')
    expect(shapes(again)).toEqual([
      '__Host-latchkey_csrf=<43>; Path=/; Max-Age=2591000; SameSite=Lax; Secure',
    ])
    expect(browser.cookies.get('__Host-latchkey_csrf')).toBe(csrfTokenOf(browser.token ?? ''))
    expect(shapes(await browser.send('/api/session'))).toEqual([])
    browser.cookies.set('__Host-latchkey_csrf', 'wrong')
    expect(shapes(await browser.send('/api/session'))).toHaveLength(1)
  })
})

test('C92: a session token is 32 random bytes, and nothing in the database can be used as one', async () => {
  const service = await rooms()
  const browsers = [await service.signedInBrowser(), await service.signedInBrowser()]
  const tokens = browsers.map(({ token }) => token ?? '')
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(new Set(tokens).size).toBe(2)
  const { read } = service.rooms.database
  const dump: unknown[] = []
  for (const table of ['sessions', 'users', 'identities', 'login_states', 'audit_events'] as const)
    dump.push(...(await read.selectFrom(table).selectAll().execute()))
  const copy = JSON.stringify(dump) + service.logLines.join('')
  for (const token of tokens)
    for (const secret of [token, csrfTokenOf(token)]) expect(copy).not.toContain(secret)
  const values = dump
    .flatMap((row) => Object.values(row as object))
    .filter((value) => typeof value === 'string')
  for (const value of new Set(values)) {
    const thief = service.browser()
    thief.cookies.set('__Host-latchkey_session', encodeURIComponent(value))
    expect((await thief.send('/api/session')).status).toBe(401)
  }
})

test('C92: the stored ID token opens only with the cookie', async () => {
  const service = await rooms()
  await service.signedInBrowser()
  const { read } = service.rooms.database
  const { id_token_sealed } = await read
    .selectFrom('sessions')
    .select('id_token_sealed')
    .executeTakeFirstOrThrow()
  expect(id_token_sealed).not.toBeNull()
  const opened = Buffer.from(id_token_sealed ?? '', 'base64url').toString('latin1')
  for (const part of ['eyJ', 'alice', service.idp.issuer]) expect(opened).not.toContain(part)
})

test('C92: a session token in a header, a query or a body is ignored', async () => {
  const service = await rooms()
  const { token = '' } = await browserOf(service, await insertPerson(service))
  const anonymous = service.browser()
  for (const headers of [
    { authorization: `Bearer ${token}` },
    { 'x-session': token },
    { 'x-latchkey-session': token },
    { '__host-latchkey_session': token },
    { cookie: `session=${token}` },
    { cookie: `__host-latchkey_session=${token}` },
    { cookie: `x__Host-latchkey_session=${token}` },
  ] as Record<string, string>[])
    expect((await anonymous.send('/api/session', { headers })).status).toBe(401)
  for (const name of ['session', 'token', '__Host-latchkey_session', 'latchkey_session'])
    expect((await anonymous.send(`/api/session?${name}=${token}`)).status).toBe(401)
  const inBody = await anonymous.send('/api/auth/logout', { body: { session: token } })
  expect(inBody.status).toBe(401)
})
