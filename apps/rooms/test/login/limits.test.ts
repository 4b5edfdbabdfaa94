import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { apiOperations } from '../../src/operations.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE } from '../provider/hostile.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { CLICK_HEADERS, dump, target } from './steps.ts'

async function outcome(t: TestRooms, ip: string): Promise<string> {
  const url = target(await t.browser({ ip }).send('/api/auth/login', { headers: CLICK_HEADERS }))
  return url.startsWith(t.idp.issuer) ? 'started' : url
}

const REFUSED = '/login?error=too_many_attempts'

test('R22: a prefix may start twenty logins per minute, then it gets the sign-in page; other prefixes are not affected', async () => {
  const t = await openRooms()
  const outcomes = []
  for (let n = 0; n < 25; n++) outcomes.push(await outcome(t, '2001:db8::1'))
  expect(outcomes).toEqual([...Array<string>(20).fill('started'), ...Array<string>(5).fill(REFUSED)])
  // All addresses of a /64 are one client.
  expect(await outcome(t, '2001:db8::ffff')).toBe(REFUSED)
  expect(await outcome(t, '2001:db8:0:1::1')).toBe('started')
  t.clock.ms += 60_000
  expect(await outcome(t, '2001:db8::1')).toBe('started')
  await t.close()
})

test('R22: a prefix may send sixty callbacks per minute that match no login state of their browser; logins there still succeed', async () => {
  const t = await openRooms()
  const browser = t.browser()
  const callback = t.idp.authorize(await browser.startLogin(), ALICE)
  // Without a cookie, with an invented one, and with that of a login that this callback does not
  // answer.
  const strays = [t.browser(), t.browser(), t.browser()]
  strays[1]?.cookies.set('__Host-latchkey_login', Buffer.alloc(32, 7).toString('base64url'))
  await strays[2]?.startLogin()
  const outcomes = []
  for (let n = 0; n < 63; n++)
    outcomes.push(target((await strays[n % 3]?.send('/api/auth/callback?state=x&code=y')) ?? new Response()))
  expect(outcomes).toEqual([
    ...Array<string>(60).fill('/login?error=state_invalid'),
    ...Array<string>(3).fill(REFUSED),
  ])
  expect(target(await t.browser().send(callback))).toBe(REFUSED)
  expect(t.idp.calls.token).toBe(0)
  expect(target(await browser.send(callback))).toBe('/')
  // A consumed login state no longer counts, except for the browser that it has signed in.
  browser.cookies.delete('__Host-latchkey_session')
  expect(target(await browser.send(callback))).toBe(REFUSED)
  t.clock.ms += 60_000
  expect(target(await t.browser().send(callback))).toBe('/login?error=state_invalid')
  await t.close()
})

eachDialect((dialect, newUrl) => {
  test('C24: concurrent starts do not exceed the limits of a prefix and of the service', async () => {
    const limits = { login_start_per_minute: 1000, login_states_prefix: 5, login_states_total: 8 }
    const t = await openRooms({ url: await newUrl(), limits })
    const of = async (ip: string) => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(t, ip)))
      return outcomes.filter((each) => each === 'started').length
    }
    const held = async () => {
      const prefixes = (await dump(t.rooms)).login_states.map(({ client_prefix }) => client_prefix)
      return ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(
        (ip) => prefixes.filter((each) => each === ip).length,
      )
    }
    expect(await of('192.0.2.1')).toBe(5)
    expect(await held()).toEqual([5, 0, 0])
    // From here on the prefixes with the most login states lose theirs first.
    await of('192.0.2.2')
    expect((await held()).toSorted((a, b) => a - b)).toEqual([0, 4, 4])
    expect(await of('192.0.2.3')).toBeGreaterThan(0)
    expect((await held()).toSorted((a, b) => a - b)).toEqual([2, 3, 3])
    // Consumed or expired login states do not count.
    t.clock.ms += 601_000
    expect(await of('192.0.2.3')).toBe(5)
    await t.close()
  })

  test('C24: the oldest login state is dropped, and can no longer be completed', async () => {
    const limits = { login_states_total: 3 }
    const t = await openRooms({ url: await newUrl(), limits })
    const browsers = Array.from({ length: 4 }, (_, n) => t.browser({ ip: `192.0.2.${n}` }))
    const callbacks: string[] = []
    for (const browser of browsers) {
      callbacks.push(t.idp.authorize(await browser.startLogin(), ALICE))
      t.clock.ms += 1
    }
    const [first, ...others] = browsers.map((browser, n) => () => browser.send(callbacks[n] ?? ''))
    expect(target((await first?.()) ?? new Response())).toBe('/login?error=state_invalid')
    for (const finish of others) expect(target(await finish())).toBe('/')
    expect(t.idp.calls.token).toBe(3)
    await t.close()
  })

  test('R21.2a C132: failed logins of one prefix are one row per reason and minute, with a count, on all nodes', async () => {
    const t = await openRooms({ url: await newUrl() })
    const other = await t.node()
    const failing = (node: TestRooms, ip: string, query: string) =>
      node.browser({ ip }).send(`/api/auth/callback?${query}`)
    await Promise.all([
      ...Array.from({ length: 10 }, () => failing(t, '2001:db8::1', 'state=a')),
      ...Array.from({ length: 10 }, () => failing(other, '2001:db8::2', 'state=b')),
      ...Array.from({ length: 3 }, () => failing(t, '192.0.2.9', 'state=c')),
      failing(t, '2001:db8::1', 'state=a&state=b'),
    ])
    t.clock.ms += 60_000
    await failing(t, '2001:db8::1', 'state=a')
    const rows = await findAuditEvents(t.rooms, 'auth.login_failed')
    const seen = rows.map(({ created_at, metadata }) => [
      created_at - rows[0]!.created_at,
      metadata['reason'],
      metadata['count'],
    ])
    expect(seen).toHaveLength(4)
    expect(seen).toEqual(
      expect.arrayContaining([
        [0, 'no browser cookie', 20],
        [0, 'no browser cookie', 3],
        [0, 'repeated parameter', 1],
        [60_000, 'no browser cookie', 1],
      ]),
    )
    for (const row of rows) expect(row).toMatchObject({ actor_user_id: null, request_id: expect.any(String) })
    expect(rows.find(({ metadata }) => metadata['count'] === 3)?.client_ip).toBe('192.0.2.9')
    await other.close()
    await t.close()
  })

  test('C24: a browser has at most ten login states; the oldest is dropped and the others still finish', async () => {
    const t = await openRooms({ url: await newUrl() })
    const browser = t.browser()
    const callbacks = []
    for (let n = 0; n < 11; n++) {
      callbacks.push(t.idp.authorize(await browser.startLogin(`/rooms/${n}`), ALICE))
      t.clock.ms += 1
    }
    expect((await dump(t.rooms)).login_states).toHaveLength(10)
    const [oldest = '', ...others] = callbacks
    expect(target(await browser.send(oldest))).toBe('/login?error=state_invalid')
    for (const [n, callback] of others.entries())
      expect(target(await browser.send(callback))).toBe(`/rooms/${n + 1}`)
    await t.close()
  })

  if (dialect === 'postgres') return

  test('C24: one network cannot block sign-in: at the total limit its oldest login states are dropped, and those of others are kept', async () => {
    const t = await openRooms({ url: await newUrl(), limits: { login_states_total: 100 } })
    // Two from each /64 of one /56: far below the limit of a prefix.
    const flood = async () => {
      for (let n = 0; n < 256; n++)
        expect(await outcome(t, `2001:db8:0:${n.toString(16)}::1`)).toBe('started')
    }
    const people = ['2001:db8:0:100::1', '2001:db8:1::1', '2a00:1::1', '192.0.2.1'].map((ip) =>
      t.browser({ ip }),
    )
    const began = async (browser: (typeof people)[number]) =>
      t.idp.authorize(await browser.startLogin(), ALICE)
    const early = await Promise.all(people.map(began))
    await flood()
    const late = await Promise.all(people.map(began))
    await flood()
    expect((await dump(t.rooms)).login_states.length).toBeLessThanOrEqual(100)
    for (const [n, browser] of people.entries())
      for (const callback of [early[n], late[n]]) expect(target(await browser.send(callback ?? ''))).toBe('/')
    await t.close()
  })
})

test('R21.2a: failed logins of many prefixes are at most a hundred rows per minute, and beyond that one row per reason without an address', async () => {
  const t = await openRooms()
  const failing = (n: number, query: string) =>
    t.browser({ ip: `2001:db8:0:${n.toString(16)}::1` }).send(`/api/auth/callback?${query}`)
  for (let n = 0; n < 150; n++) await failing(n, 'state=a')
  await failing(0, 'state=a')
  await failing(150, 'state=a&state=b')
  const rows = await findAuditEvents(t.rooms, 'auth.login_failed')
  expect(rows).toHaveLength(102)
  const shared = rows.filter(({ client_ip }) => client_ip === null).map(({ metadata }) => metadata)
  expect(shared.map(({ reason, count }) => [reason, count])).toEqual(
    expect.arrayContaining([
      ['no browser cookie', 50],
      ['repeated parameter', 1],
    ]),
  )
  expect(
    rows.filter(({ client_ip, metadata }) => client_ip !== null && metadata['count'] === 2),
  ).toHaveLength(1)
  t.clock.ms += 60_000
  await failing(149, 'state=a')
  expect((await findAuditEvents(t.rooms, 'auth.login_failed')).at(-1)?.client_ip).toBe('2001:db8:0:95::1')
  await t.close()
})

test('C24: after ten thousand starts from one network, others can still sign in', async () => {
  const t = await openRooms({ limits: { login_start_per_minute: 100_000 } })
  let started = 0
  for (let n = 0; n < 20; n++) {
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => outcome(t, '192.0.2.66')))
    started += outcomes.filter((each) => each === 'started').length
  }
  expect(started).toBe(100)
  expect((await dump(t.rooms)).login_states).toHaveLength(100)
  expect(target(await t.browser({ ip: '192.0.2.7' }).signIn())).toBe('/')
  const rows = await findAuditEvents(t.rooms, 'auth.login_failed')
  expect(rows.map(({ metadata }) => metadata['count'])).toEqual([9900])
  await t.close()
}, 60_000)

test('R24.2: logins are counted by outcome', async () => {
  const t = await openRooms({ settings: { metricsToken: 'metrics-token-of-the-test' } })
  await t.signedInBrowser()
  await t.browser().send('/api/auth/callback')
  const metrics = await t
    .browser()
    .send('/api/metrics', { headers: { authorization: 'Bearer metrics-token-of-the-test' } })
  const lines = (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('latchkey_rooms_logins_total'))
  expect(lines).toEqual([
    'latchkey_rooms_logins_total{outcome="ok"} 1',
    'latchkey_rooms_logins_total{outcome="state_invalid"} 1',
  ])
  await t.close()
})

test('C26: no response to an unsafe method makes a browser repeat it at another address', async () => {
  const t = await openRooms({ limits: { login_start_per_minute: 1000, callback_per_minute: 1000 } })
  const routes = [
    ...apiOperations.map(
      ({ methods, path }) => [methods[0], `/api${path.replaceAll(/\{\w+\}/g, 'x')}`] as const,
    ),
    ...[
      '/',
      '/login',
      '/api/auth/login',
      '/api/auth/callback',
      '/api/auth/backchannel-logout',
      '/nowhere',
    ].map((path) => ['POST', path] as const),
  ]
  for (const [method, path] of routes)
    for (const browser of [t.browser(), await t.signedInBrowser()]) {
      if (method === 'GET') continue
      const { status, headers } = await browser.send(path, { method, body: {} })
      expect([method, path, status >= 300 && status < 400 && status !== 303]).toEqual([method, path, false])
      expect([path, headers.get('location')]).toEqual([path, null])
    }
  await t.close()
})
