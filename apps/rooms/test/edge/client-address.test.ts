// The client address of a request (R3.4): one resolver for limits, lists and records.
import { describe, expect, test } from 'bun:test'
import { listAuditEvents } from '../audit-log.ts'
import { roomsPerTest } from '../per-test.ts'
import { deliver } from '../sessions/deliver.ts'
import { browserOf, insertPerson } from '../sessions/people.ts'
import { listen, sendRaw } from './raw.ts'

const { rooms, alsoClose } = roomsPerTest()

const BEHIND_PROXIES = { proxyHeader: 'X-Forwarded-For', trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] }
const MANY = { guest_create_per_minute: 1000, guest_create_per_hour: 1000, http_anonymous_per_minute: 1000 }

const HOPS: [lines: string[], client: string][] = [
  [['203.0.113.7'], '203.0.113.7'],
  [['203.0.113.7, 10.1.1.1'], '203.0.113.7'],
  [['1.2.3.4, 203.0.113.7, 10.1.1.1, 10.2.2.2'], '203.0.113.7'],
  [['6.6.6.6', '203.0.113.7', '10.1.1.1'], '203.0.113.7'],
  [['6.6.6.6, 10.9.9.9', '10.1.1.1, 203.0.113.7'], '203.0.113.7'],
  [['1.2.3.4, evil'], '127.0.0.1'],
  [['1.2.3.4, unknown, 10.1.1.1'], '127.0.0.1'],
  [['evil, 203.0.113.7'], '203.0.113.7'],
  [[`${'1.2.3.4, '.repeat(199)}203.0.113.7`], '203.0.113.7'],
  [['[2001:db8:1:2::5]:443'], '2001:db8:1:2::5'],
  [['2001:DB8:1:2:0:0:0:5'], '2001:db8:1:2::5'],
  [['203.0.113.7:50123'], '203.0.113.7'],
  [['::ffff:203.0.113.7'], '203.0.113.7'],
  [['10.1.1.1, 10.2.2.2'], '127.0.0.1'],
  [[''], '127.0.0.1'],
  [[', ,'], '127.0.0.1'],
  [['_hidden'], '127.0.0.1'],
  [['"203.0.113.7"'], '127.0.0.1'],
  [['203.0.113.7;'], '127.0.0.1'],
]

describe('C127: behind trusted proxies', () => {
  test('R3.4a: sessions and records get the same client address, found from the right of the header', async () => {
    const service = await rooms({ settings: BEHIND_PROXIES, limits: MANY })
    const server = listen(service)
    alsoClose(server.stop)
    for (const [lines, client] of HOPS) {
      const head = lines.map((line) => `X-Forwarded-For: ${line}\r\n`).join('')
      const body = JSON.stringify({ nickname: 'Visitor' })
      const created = await sendRaw(
        server.port,
        `POST /api/session HTTP/1.1\r\nHost: rooms.example.com\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${head}\r\n${body}`,
      )
      expect([lines, created.status]).toEqual([lines, 201])
      const { session } = JSON.parse(created.body) as { session: { id: string } }
      const { read } = service.rooms.database
      const stored = await read
        .selectFrom('sessions')
        .select('client_ip')
        .where('id', '=', session.id)
        .executeTakeFirstOrThrow()
      const recorded = (await listAuditEvents(service)).at(-1)
      expect([lines, stored.client_ip, recorded?.['action'], recorded?.['ip']]).toEqual([
        lines,
        client,
        'guest.create',
        client,
      ])
      service.clock.ms += 1_000
    }
  })

  test('R3.4d: limits of the provider’s address count the same client', async () => {
    const service = await rooms({ settings: BEHIND_PROXIES, limits: { backchannel_per_minute: 1 } })
    const from = (value: string) =>
      deliver(service, 'junk', { ip: '10.0.0.1', headers: { 'x-forwarded-for': value } })
    expect((await from('1.1.1.1, 203.0.113.7')).status).toBe(400)
    expect((await from('2.2.2.2, 203.0.113.7')).status).toBe(429)
    expect((await from('203.0.113.8')).status).toBe(400)
    expect((await listAuditEvents(service)).map(({ ip }) => ip)).toEqual(['203.0.113.7', '203.0.113.8'])
  })

  test('a folded or broken header line never reaches the service', async () => {
    const service = await rooms({ settings: BEHIND_PROXIES })
    const server = listen(service)
    alsoClose(server.stop)
    for (const head of ['X-Forwarded-For: 1.2.3.4\r\n 203.0.113.7\r\n', 'X-Forwarded-For : 1.2.3.4\r\n'])
      expect(
        (
          await sendRaw(
            server.port,
            `GET /api/session HTTP/1.1\r\nHost: rooms.example.com\r\nConnection: close\r\n${head}\r\n`,
          )
        ).status,
      ).toBe(400)
  })

  test('R3.4b: any other header is used only if it has exactly one value', async () => {
    const settings = { ...BEHIND_PROXIES, proxyHeader: 'CF-Connecting-IP' }
    const service = await rooms({ settings })
    const addresses: [value: string, client: string][] = [
      ['203.0.113.7', '203.0.113.7'],
      ['2001:db8::5', '2001:db8::5'],
      ['203.0.113.7, 203.0.113.8', '10.0.0.1'],
      ['203.0.113.7,', '10.0.0.1'],
      ['evil', '10.0.0.1'],
    ]
    for (const [value, client] of addresses) {
      const headers = { 'cf-connecting-ip': value, 'x-forwarded-for': '6.6.6.6' }
      await deliver(service, 'junk', { ip: '10.0.0.1', headers })
      expect([value, (await listAuditEvents(service)).at(-1)?.['ip']]).toEqual([value, client])
      service.clock.ms += 60_000
    }
  })

  test('rotating forged values evades no limit and costs other clients nothing', async () => {
    const service = await rooms({ settings: BEHIND_PROXIES, limits: { http_anonymous_per_minute: 5 } })
    const statuses = async (client: string) => {
      const list = []
      for (let i = 0; i < 7; i++) {
        const headers = { 'x-forwarded-for': `9.9.9.${i}, evil-${i}, ${client}` }
        list.push((await service.browser({ ip: '10.0.0.1' }).send('/api/config', { headers })).status)
      }
      return list
    }
    expect(await statuses('203.0.113.7')).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(await statuses('203.0.113.8')).toEqual([200, 200, 200, 200, 200, 429, 429])
  })

  test('R3.4c: the addresses of one /64 count as one client', async () => {
    const service = await rooms({ limits: { http_anonymous_per_minute: 2 } })
    const from = async (ip: string) => (await service.browser({ ip }).send('/api/config')).status
    expect([await from('2001:db8:1:2::1'), await from('2001:db8:1:2:ffff::1')]).toEqual([200, 200])
    expect([await from('2001:db8:1:2::3'), await from('2001:db8:1:3::1')]).toEqual([429, 200])
  })
})

describe('C126: from a peer that is not a trusted proxy', () => {
  test('the header has no effect, and its presence is counted', async () => {
    const service = await rooms({ settings: { ...BEHIND_PROXIES, trustedProxies: ['10.0.0.0/8'] } })
    const headers = { 'x-forwarded-for': '1.2.3.4' }
    await deliver(service, 'junk', { ip: '198.51.100.9', headers })
    expect((await listAuditEvents(service)).map(({ ip }) => ip)).toEqual(['198.51.100.9'])
    const metrics = await service.rooms.metrics.registry.metrics()
    expect(metrics).toContain('latchkey_rooms_ignored_proxy_headers_total 1')
  })

  test('the header evades no limit', async () => {
    const service = await rooms({
      settings: { ...BEHIND_PROXIES, trustedProxies: ['10.0.0.0/8'] },
      limits: { http_anonymous_per_minute: 2 },
    })
    const statuses = []
    for (let i = 0; i < 4; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}` }
      statuses.push((await service.browser({ ip: '198.51.100.9' }).send('/api/config', { headers })).status)
    }
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  test('without PROXY_HEADER no forwarded header is read, regardless of its sender', async () => {
    const service = await rooms()
    const headers = { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4', 'x-real-ip': '1.2.3.4' }
    await deliver(service, 'junk', { ip: '127.0.0.1', headers })
    expect((await listAuditEvents(service)).map(({ ip }) => ip)).toEqual(['127.0.0.1'])
    expect(await service.rooms.metrics.registry.metrics()).toContain('ignored_proxy_headers_total 0')
  })
})

test('C99: a session continues when its address changes, and the list keeps its first address', async () => {
  const service = await rooms()
  const ada = await insertPerson(service)
  const home = await browserOf(service, ada, { ip: '192.0.2.1' })
  const train = service.browser({ ip: '2001:db8::7' })
  for (const [name, value] of home.cookies) train.cookies.set(name, value)
  expect((await train.send('/api/session')).status).toBe(200)
  const { sessions } = await train.json<{ sessions: { addressPrefix: string }[] }>('/api/sessions')
  expect(sessions.map(({ addressPrefix }) => addressPrefix)).toEqual(['192.0.2.1'])
  expect((await home.send('/api/session')).status).toBe(200)
})
