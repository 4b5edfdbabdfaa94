import { expect, test } from 'bun:test'
import { guest, someone } from '../admin/people.ts'
import { ORIGIN, type TestRooms, openRooms } from '../rooms.ts'

const TOKEN = 'a-metrics-token-of-the-operator'

async function figures(rooms: TestRooms): Promise<Map<string, number>> {
  const response = await rooms
    .browser({ ip: '192.0.2.200' })
    .send('/api/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/plain')
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

test('L132 (R24.2): metrics count logins by outcome, key set fetches, logout tokens by result, live sessions and jobs', async () => {
  const rooms = await openRooms({ settings: { metricsToken: TOKEN } })
  const alice = await someone(rooms, { sub: 'alice', name: 'Alice', sid: 's1' })
  await someone(rooms, { sub: 'bob', name: 'Bob' })
  await guest(rooms)
  await rooms.browser().send('/api/auth/callback?state=x&code=y')
  const refused = rooms.browser({ ip: '192.0.2.201' })
  const callback = new URL(rooms.idp.authorize(await refused.startLogin()))
  callback.searchParams.delete('code')
  callback.searchParams.set('error', 'access_denied')
  await refused.send(callback.href)
  const deliver = (token: string) =>
    rooms.rooms.fetch(
      new Request(`${ORIGIN}/api/auth/backchannel-logout`, {
        method: 'POST',
        headers: { host: 'rooms.example.com', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token }),
      }),
      { requestIP: () => ({ address: '192.0.2.202', family: 'IPv4', port: 1 }) },
    )
  expect((await deliver('x')).status).toBe(400)
  const before = await figures(rooms)
  expect((await deliver(rooms.idp.logoutToken((claims) => ({ ...claims, sid: 's1' })))).status).toBe(200)
  expect((await alice.browser.send('/api/session')).status).toBe(401)
  await rooms.rooms.jobs.runDue()
  const after = await figures(rooms)
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

test('R24.2: no label names people, rooms, addresses or anything that a caller sent', async () => {
  const rooms = await openRooms({ settings: { metricsToken: TOKEN } })
  const alice = await someone(rooms, { sub: 'alice', name: 'Alice', email: 'alice@example.com' })
  await alice.browser.send(`/api/admin/users/${alice.id}/sessions`)
  await alice.browser.send(`/api/made-up-${alice.id}`)
  await alice.browser.send(`/api/rooms/${alice.id}`)
  const names = [...(await figures(rooms)).keys()].join('\n')
  for (const secret of [alice.id, 'alice', 'Alice', 'made-up', '203.0.113', '192.0.2'])
    expect(names).not.toContain(secret)
  expect(names).toContain('route="unmatched"')
  await rooms.close()
})
