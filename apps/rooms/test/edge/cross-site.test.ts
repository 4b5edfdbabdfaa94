// Requests from pages of other origins have no effect (R11.1 to R11.4).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { csrfTokenOf } from '../../src/sessions/csrf.ts'
import { type Browser, ORIGIN, type TestRooms, openRooms } from '../rooms.ts'
import { browserOf, insertPerson } from '../sessions/people.ts'
import { ALICE } from '../provider/hostile.ts'
import { routes, unsafeRoutes } from './operations.ts'

const MANY = {
  http_per_minute: 1_000_000,
  http_anonymous_per_minute: 1_000_000,
  admin_writes_per_minute: 1_000_000,
  room_writes_per_minute: 1_000_000,
  messages_per_10s: 1_000_000,
}

let service: TestRooms
let admin: Browser
beforeAll(async () => {
  service = await openRooms({ limits: MANY })
  admin = await service.signedInBrowser()
})
afterAll(() => service.close())

const SITES = [undefined, 'same-origin', 'none', 'same-site', 'cross-site', 'Same-Origin', '']
const ORIGINS = [
  undefined,
  ORIGIN,
  'https://evil.example',
  'null',
  'http://rooms.example.com',
  'https://rooms.example.com:8443',
  'https://rooms.example.com.evil.example',
  `${ORIGIN}/`,
  '',
]

interface Sent {
  site?: string | undefined
  origin?: string | undefined
  token?: string | undefined
  cookie?: string
  type?: string
}

/**
 * Sends a body that is not JSON, which no handler sees: its refusal proves that the request passed
 * the origin checks.
 */
async function codeOf(
  { path, method }: { path: string; method: string },
  { site, origin, token, cookie, type = 'text/plain' }: Sent,
): Promise<string> {
  const headers = new Headers({ host: new URL(ORIGIN).host, 'content-type': type })
  if (cookie !== undefined) headers.set('cookie', cookie)
  if (site !== undefined) headers.set('sec-fetch-site', site)
  if (origin !== undefined) headers.set('origin', origin)
  if (token !== undefined) headers.set('x-csrf-token', token)
  const request = new Request(ORIGIN + path, { method, headers, body: 'x' })
  const answer = await service.rooms.fetch(request, {
    requestIP: () => ({ address: '192.0.2.1', family: 'IPv4', port: 1 }),
  })
  return ((await answer.json()) as { code: string }).code
}

/**
 * All relevant combinations. A wrong token is tried only where nothing else would cause the
 * refusal.
 */
function combinations(right: string) {
  const pairs = SITES.flatMap((site) => ORIGINS.map((origin) => ({ site, origin })))
  return pairs.flatMap(({ site, origin }) => {
    const isOurs = [undefined, 'same-origin', 'none'].includes(site) && [undefined, ORIGIN].includes(origin)
    const tokens = isOurs ? [undefined, `${right}x`, right] : [right]
    return tokens.map((token) => ({ site, origin, token, isOurs }))
  })
}

test('C100: of all combinations of Sec-Fetch-Site, Origin and token, only those of this origin pass, on every route', async () => {
  const cookie = `__Host-latchkey_session=${admin.token}`
  const right = csrfTokenOf(admin.token ?? '')
  expect(unsafeRoutes.length).toBeGreaterThan(5)
  for (const route of unsafeRoutes)
    for (const { isOurs, ...sent } of combinations(right)) {
      const isKnown = sent.token === right || route.id === 'createGuestSession'
      const expected = isKnown ? 'unsupported_media_type' : 'csrf_failed'
      const about = [route.method, route.path, sent.site, sent.origin, isKnown]
      expect([...about, await codeOf(route, { ...sent, cookie })]).toEqual([
        ...about,
        isOurs ? expected : 'cross_site_request',
      ])
    }
  expect((await admin.send('/api/session')).status).toBe(200)
}, 60_000)

test('C100: a foreign Origin is refused on GET too, but Sec-Fetch-Site alone is not, because other sites link here', async () => {
  const reference = ['/api/openapi.json', '/api/docs', '/api/docs/scalar.js']
  for (const path of [
    ...routes.filter(({ method }) => method === 'GET').map((route) => route.path),
    ...reference,
  ]) {
    for (const origin of ORIGINS.slice(2).filter((each) => each !== undefined)) {
      const answer = await admin.send(path, { headers: { origin } })
      expect([path, origin, answer.status, await answer.json()]).toEqual([
        path,
        origin,
        403,
        expect.objectContaining({ code: 'cross_site_request' }),
      ])
    }
    const linked = await admin.send(path, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect([path, linked.status === 403 && (await linked.json())]).toEqual([path, false])
    if (reference.includes(path))
      expect((await admin.send(path, { headers: { origin: ORIGIN } })).status).toBe(200)
  }
})

test('R11.1: hidden requests of other sites use up no limit of their visitor, whose own links still work', async () => {
  const limits = {
    http_anonymous_per_minute: 5,
    invitation_failures_per_hour: 2,
    callback_per_minute: 2,
    backchannel_per_minute: 1,
  }
  const rooms = await openRooms({ limits })
  const visitor = rooms.browser()
  const nobodys = `/api/room-invitations/${Buffer.alloc(32, 7).toString('base64url')}`
  for (const site of ['cross-site', 'same-site'])
    for (const [mode, dest, more] of [
      ['no-cors', 'image', {}],
      ['cors', 'empty', {}],
      ['navigate', 'iframe', {}],
      ['navigate', 'document', { 'sec-purpose': 'prefetch' }],
    ] as const)
      for (const path of ['/api/config', nobodys, '/api/nothing', '/api/auth/callback?state=x&code=y']) {
        const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, ...more }
        const answer = await visitor.send(path, { headers })
        expect([path, site, mode, dest, answer.status, await answer.json()]).toEqual([
          path,
          site,
          mode,
          dest,
          403,
          expect.objectContaining({ code: 'cross_site_request' }),
        ])
      }
  const sent = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...sent }
  for (let n = 0; n < 2; n++) {
    const answer = await visitor.send('/api/auth/backchannel-logout', { method: 'POST', headers: form })
    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'cross_site_request' }),
    ])
  }
  const deliver = () => visitor.send('/api/auth/backchannel-logout', { method: 'POST' })
  for (const status of [400, 429]) expect((await deliver()).status).toBe(status)
  const followed = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  }
  for (const status of [404, 404, 429])
    expect((await visitor.send(nobodys, { headers: followed })).status).toBe(status)
  expect((await visitor.send('/api/config')).status).toBe(200)
  const callback = rooms.idp.authorize(await visitor.startLogin(), ALICE)
  expect((await visitor.send(callback, { headers: followed })).headers.get('location')).toBe(`${ORIGIN}/`)
  await rooms.close()
})

test('R11.2 C101: a token of another session, of a time before the login, of no session, or none at all is refused', async () => {
  const ada = await insertPerson(service)
  const [mine, other] = [await browserOf(service, ada), await browserOf(service, ada)]
  const visitor = service.browser()
  await visitor.json('/api/session', { body: { nickname: 'Visitor' } }, 201)
  const before = csrfTokenOf(visitor.token ?? '')
  await visitor.signIn({ sub: 'visitor', name: 'Visitor' })
  const refusedFor = async (browser: Browser, token: string) => {
    const headers = { 'x-csrf-token': token }
    const answer = await browser.send('/api/auth/logout', { body: {}, headers })
    return [answer.status, ((await answer.json()) as { code: string }).code]
  }
  for (const token of [
    csrfTokenOf(other.token ?? ''),
    csrfTokenOf(''),
    '',
    ' ',
    mine.token ?? '',
    'undefined',
    'null',
  ])
    expect([token, ...(await refusedFor(mine, token))]).toEqual([token, 403, 'csrf_failed'])
  expect(await refusedFor(visitor, before)).toEqual([403, 'csrf_failed'])
  for (const browser of [mine, other, visitor]) expect((await browser.send('/api/session')).status).toBe(200)
})

test('R11.2: the token is checked before any lookup, so nothing can be learned without it', async () => {
  const headers = { 'x-csrf-token': 'wrong' }
  for (const id of [
    (await admin.json<{ session: { id: string } }>('/api/session')).session.id,
    crypto.randomUUID(),
    'x',
  ]) {
    const answer = await admin.send(`/api/sessions/${id}`, { method: 'DELETE', headers })
    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'csrf_failed' }),
    ])
  }
})

test('C102: every unsafe route refuses what a form or an image can send', async () => {
  const cookie = `__Host-latchkey_session=${admin.token}`
  const token = csrfTokenOf(admin.token ?? '')
  for (const route of unsafeRoutes)
    for (const type of [
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'text/json',
      'application/json2; charset=utf-8',
      'text/plain, application/json',
    ].filter((each) => !(route.takesForm && each.startsWith('multipart/'))))
      expect([route.path, type, await codeOf(route, { token, cookie, type })]).toEqual([
        route.path,
        type,
        'unsupported_media_type',
      ])
  for (const route of unsafeRoutes.filter(({ takesBody }) => takesBody))
    expect(await codeOf(route, { token, cookie, type: 'application/json; charset=utf-8' })).toBe(
      'invalid_request',
    )
})

test('C103: GET changes nothing except last-seen times', async () => {
  const tables = await rowsOf(service)
  expect(Object.keys(tables).length).toBeGreaterThan(8)
  const addresses = [
    ...routes.filter(({ method }) => method === 'GET').map(({ path }) => path),
    '/',
    '/login',
    '/account',
    '/admin',
    '/rooms/x',
    '/invite/token',
    '/api/docs',
    '/api/openapi.json',
    '/api/health',
    '/api/ready',
    '/api/metrics',
    '/api/nothing',
    '/api/auth/logout',
    '/api/session?delete=1',
    '/api/auth/backchannel-logout',
  ]
  for (const browser of [admin, service.browser()])
    for (const method of ['GET', 'HEAD'])
      for (const address of addresses) await browser.send(address, { method })
  expect(await rowsOf(service)).toEqual(tables)
})

async function rowsOf({ rooms }: TestRooms): Promise<Record<string, unknown>> {
  const { read } = rooms.database
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(
    read,
  )
  const content: Record<string, unknown> = {}
  for (const { name } of rows) {
    const stored = await sql`select * from ${sql.table(name)}`.execute(read)
    content[name] = stored.rows.map((row) => JSON.stringify(row)).toSorted()
  }
  return content
}

test('C104: no response has a CORS header, and preflights get none either', async () => {
  const foreign = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  const addresses = [
    ...new Set(routes.map(({ path }) => path)),
    '/',
    '/login',
    '/api/health',
    '/api/openapi.json',
    '/api/docs',
    '/api/auth/login',
    '/api/nothing',
    '/api/auth/backchannel-logout',
    '/api/metrics',
  ]
  for (const address of addresses)
    for (const [method, headers] of [
      ['OPTIONS', { ...foreign, 'access-control-request-headers': 'x-csrf-token' }],
      ['OPTIONS', { ...foreign, origin: ORIGIN }],
      ['GET', { origin: 'https://evil.example' }],
      ['GET', {}],
    ] as [string, Record<string, string>][]) {
      const answer = await admin.send(address, { method, headers })
      const cors = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))
      expect([address, method, cors]).toEqual([address, method, []])
      if (method === 'OPTIONS') expect([address, answer.ok]).toEqual([address, false])
    }
})
