import { expect, test } from 'bun:test'
import { signedInGuest, signedInUser } from '../actions.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { deliver } from '../sessions/deliver.ts'

const TOKEN = 'a-metrics-token-of-the-operator'

async function readMetrics(rooms: TestRooms): Promise<Map<string, number>> {
  const response = await rooms
    .browser({ ip: '192.0.2.200' })
    .send('/api/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/plain')
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

test('C132 (R24.2): metrics count logins by outcome, key set fetches, logout tokens by result, live sessions and jobs', async () => {
  const rooms = await openRooms({ settings: { metricsToken: TOKEN } })
  const alice = await signedInUser(rooms, { sub: 'alice', name: 'Alice', sid: 's1' })
  await signedInUser(rooms, { sub: 'bob', name: 'Bob' })
  await signedInGuest(rooms)
  await rooms.browser().send('/api/auth/callback?state=x&code=y')
  const refused = rooms.browser({ ip: '192.0.2.201' })
  const callback = new URL(rooms.idp.authorize(await refused.startLogin()))
  callback.searchParams.delete('code')
  callback.searchParams.set('error', 'access_denied')
  await refused.send(callback.href)
  expect((await deliver(rooms, 'x')).status).toBe(400)
  const before = await readMetrics(rooms)
  const logoutToken = rooms.idp.logoutToken((claims) => ({ ...claims, sid: 's1' }))
  expect((await deliver(rooms, logoutToken)).status).toBe(200)
  expect((await alice.browser.send('/api/session')).status).toBe(401)
  await rooms.rooms.jobs.runDue()
  const after = await readMetrics(rooms)
  const of = (name: string) => after.get(`latchkey_rooms_${name}`)
  expect(of('logins_total{outcome="ok"}')).toBe(2)
  expect(of('logins_total{outcome="state_invalid"}')).toBe(1)
  expect(of('logins_total{outcome="cancelled"}')).toBe(1)
  expect(of('jwks_fetches_total')).toBe(rooms.idp.calls.jwks)
  const tokens = [...after].filter(([name]) => name.startsWith('latchkey_rooms_logout_tokens_total'))
  expect(tokens.map(([, count]) => count)).toEqual([1, 1])
  expect(before.get('latchkey_rooms_live_sessions')).toBe(3)
  expect(of('live_sessions')).toBe(2)
  expect(of('job_runs_total{job="guests",result="ok"}')).toBe(1)
  expect(of('job_seconds{job="guests"}')).toBeGreaterThanOrEqual(0)
  expect(of('requests_total{route="/session",status="201"}')).toBe(1)
  expect([...after.keys()].some((name) => name.startsWith('latchkey_rooms_provider_seconds'))).toBe(true)
  await rooms.close()
})

test('R24.2: no label contains users, rooms, addresses or client input', async () => {
  const rooms = await openRooms({ settings: { metricsToken: TOKEN } })
  const alice = await signedInUser(rooms, { sub: 'alice', name: 'Alice', email: 'alice@example.com' })
  await alice.browser.send(`/api/admin/users/${alice.id}/sessions`)
  await alice.browser.send(`/api/made-up-${alice.id}`)
  await alice.browser.send(`/api/rooms/${alice.id}`)
  const names = [...(await readMetrics(rooms)).keys()].join('\n')
  for (const secret of [alice.id, 'alice', 'Alice', 'made-up', '203.0.113', '192.0.2'])
    expect(names).not.toContain(secret)
  expect(names).toContain('route="unmatched"')
  await rooms.close()
})

test('R24.2: pages, their files, health checks and the API reference are counted by route and status too, under a fixed set of names', async () => {
  const rooms = await openRooms({ settings: { metricsToken: TOKEN } })
  const browser = rooms.browser()
  const id = crypto.randomUUID()
  const calls: [address: string, options?: Parameters<Browser['send']>[1]][] = [
    ['/'],
    ['/login?error=cancelled'],
    [`/rooms/${id}`],
    ['/invite/a-token'],
    ['/made-up'],
    ['/', { method: 'POST' }],
    ['/assets/made-up.js'],
    ['/robots.txt'],
    ['/api/health'],
    ['/api/ready'],
    ['/api/docs'],
    ['/api/openapi.json'],
    ['/api/openapi.json', { method: 'PUT' }],
    ['/api/made-up'],
    ['/', { headers: { host: 'evil.example' } }],
  ]
  for (const [address, options] of calls) await browser.send(address, options)
  await readMetrics(rooms)
  const requests = [...(await readMetrics(rooms))].filter(([name]) => name.includes('requests_total'))
  const requestCounts = requests.map(([name, count]) => {
    const { route, status } = /route="(?<route>[^"]*)",status="(?<status>\d+)"/.exec(name)?.groups ?? {}
    return `${route} ${status} ${count}`
  })
  expect(requestCounts.toSorted()).toEqual(
    [
      '/ 200 1',
      '/ 405 1',
      '/ 421 1',
      '/login 200 1',
      '/rooms/{id} 200 1',
      '/invite/{token} 200 1',
      '/assets/{file} 404 1',
      // The four pages come with this answer.
      '/config 200 4',
      '/robots.txt 200 1',
      '/api/health 200 1',
      '/api/ready 200 1',
      '/api/metrics 200 1',
      '/api/docs 200 1',
      '/api/openapi.json 200 1',
      '/api/openapi.json 405 1',
      'unmatched 404 2',
    ].toSorted(),
  )
  await rooms.close()
})

test('R24.2: while the database is unreachable metrics stay available, and live sessions have their last known value', async () => {
  const rooms = await openRooms({ settings: { metricsToken: TOKEN } })
  await signedInGuest(rooms)
  const before = await readMetrics(rooms)
  await rooms.close()
  const after = await readMetrics(rooms)
  for (const name of [
    'latchkey_rooms_live_sessions',
    'latchkey_rooms_requests_total{route="/session",status="201"}',
  ])
    expect([name, before.get(name), after.get(name)]).toEqual([name, 1, 1])
})

test('R24.2: the request id of a response is in the log, also for requests that end before they reach a route', async () => {
  const rooms = await openRooms()
  for (const [address, options] of [
    ['/api/session', {}],
    ['/api/session', { headers: { host: 'evil.example' } }],
    ['/', { method: 'POST' }],
    ['/api/metrics', {}],
  ] as const) {
    const answer = await rooms.browser().send(address, options)
    const id = answer.headers.get('x-request-id') ?? 'none'
    const lines = rooms.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.find(({ requestId }) => requestId === id)).toMatchObject({ status: answer.status })
  }
  await rooms.close()
})
