import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { get } from 'node:http'
import { newSqliteUrls } from './test-database.ts'
import { type TestLinks, sharedTestLinks } from './testing.ts'

const newUrl = newSqliteUrls()

const ANN = { 'X-Forwarded-Email': 'ann@example.com' }
const HEADER_ACCESS = { LINKS_ACCESS: 'header', LINKS_ACCESS_HEADER: 'X-Forwarded-Email' }
const BEHIND_PROXY = { PROXY_HEADER: 'X-Forwarded-For', LINKS_COUNTRY_HEADER: 'CF-IPCountry' }

/** The status of a request from a socket with this address. */
function statusFrom(
  localAddress: string,
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, localAddress, headers, agent: false }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })
}

/** A server with these settings, on 127.0.0.1 unless `LINKS_HOST` names another address. */
function serveOnLoopback(settings: Record<string, string>) {
  const links = sharedTestLinks(newUrl, { LINKS_HOST: '127.0.0.1', ...settings })
  let server: ReturnType<typeof Bun.serve>
  beforeAll(() => {
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: links.fetchHandler })
  })
  afterAll(() => server.stop(true))
  const ask = (address: string, path: string, headers?: Record<string, string>) =>
    statusFrom(address, server.port ?? 0, path, headers)
  return { links, ask }
}

async function statisticsOf(links: TestLinks, slug: string) {
  const key = await links.key('ann@example.com', 'read')
  const { id } = (await links.call('GET', `/slugs/${slug}`, { key })).body
  return (await links.call('GET', `/links/${id}/analytics`, { key })).body
}

describe('a server on 127.0.0.1 that trusts 127.0.0.1', () => {
  const { links, ask } = serveOnLoopback({
    ...HEADER_ACCESS,
    ...BEHIND_PROXY,
    TRUSTED_PROXIES: '127.0.0.1',
  })

  test('accepts an identity from 127.0.0.1 and not from 127.0.0.2', async () => {
    expect(await ask('127.0.0.1', '/_/admin/api/keys', ANN)).toBe(200)
    expect(await ask('127.0.0.2', '/_/admin/api/keys', ANN)).toBe(401)
    // An admitted caller is redirected to the admin pages.
    expect(await ask('127.0.0.1', '/', ANN)).toBe(302)
    expect(await ask('127.0.0.2', '/', ANN)).toBe(200)
  })

  test('accepts a visitor’s address and country from 127.0.0.1 and not from 127.0.0.2', async () => {
    const key = await links.key('ann@example.com')
    for (const slug of ['believed', 'not-believed']) await links.createLink(key, { slug })
    for (const address of ['203.0.113.5', '203.0.113.6']) {
      const headers = { 'X-Forwarded-For': address, 'CF-IPCountry': 'SE' }
      expect(await ask('127.0.0.1', '/believed', headers)).toBe(302)
      expect(await ask('127.0.0.2', '/not-believed', headers)).toBe(302)
    }
    expect(await statisticsOf(links, 'believed')).toMatchObject({
      unique_visitors: 2,
      countries: [{ name: 'SE', count: 2 }],
    })
    expect(await statisticsOf(links, 'not-believed')).toMatchObject({ unique_visitors: 1, countries: [] })
  })
})

describe('a server on 127.0.0.1 that trusts 127.0.0.2', () => {
  const { links, ask } = serveOnLoopback({
    ...HEADER_ACCESS,
    ...BEHIND_PROXY,
    TRUSTED_PROXIES: '127.0.0.2',
  })

  test('trusts its proxy on every route, and 127.0.0.1 on none', async () => {
    expect(await ask('127.0.0.2', '/_/admin/api/keys', ANN)).toBe(200)
    expect(await ask('127.0.0.1', '/_/admin/api/keys', ANN)).toBe(401)
    await links.createLink(await links.key('ann@example.com'), { slug: 'counted' })
    for (const address of ['203.0.113.5', '203.0.113.6', '203.0.113.7']) {
      expect(await ask('127.0.0.2', '/counted', { 'X-Forwarded-For': address })).toBe(302)
      expect(await ask('127.0.0.1', '/counted', { 'X-Forwarded-For': address })).toBe(302)
    }
    expect(await statisticsOf(links, 'counted')).toMatchObject({ unique_visitors: 4 })
  })
})

describe('a server on 127.0.0.1 that trusts no proxy', () => {
  const { links, ask } = serveOnLoopback({})

  test('treats all visitors as this machine, whatever headers they send', async () => {
    await links.createLink(await links.key('ann@example.com'), { slug: 'counted' })
    for (const address of ['203.0.113.5', '203.0.113.6'])
      expect(await ask('127.0.0.2', '/counted', { ...ANN, 'X-Forwarded-For': address })).toBe(302)
    expect(await statisticsOf(links, 'counted')).toMatchObject({ unique_visitors: 1, countries: [] })
  })
})

// Headers that a loopback socket may send where packets for 127.0.0.1 can come from elsewhere
// (`route_localnet`).
describe.each([
  ['127.0.0.1', '10.99.0.2'],
  ['::1', 'fd00:99::2'],
])('a server on %s that is requested by %s', (LINKS_HOST, peer) => {
  const local = sharedTestLinks(newUrl, { LINKS_HOST })
  const trusting = sharedTestLinks(newUrl, { LINKS_HOST, ...HEADER_ACCESS, TRUSTED_PROXIES: peer })

  test('L24.15: refuses the admin side, metrics and assistants under any host name', async () => {
    const before = await local.databaseState()
    const headers = { Host: 'localhost', 'Content-Type': 'application/json' }
    const body = JSON.stringify({ title: 'x', scope: 'read' })
    const refused: [path: string, status: number, init?: RequestInit][] = [
      ['/_/admin/dashboard', 403],
      ['/_/admin/api/settings', 403],
      ['/_/admin/api/keys', 403, { method: 'POST', body }],
      ['/_/metrics', 404],
      ['/_/mcp', 403],
      ['/_/mcp', 403, { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }],
    ]
    for (const [path, status, init] of refused) {
      const answer = await local.fetch(path, { headers, ...init }, peer)
      expect([path, answer.status]).toEqual([path, status])
    }
    // `/` redirects admitted callers to the admin side.
    expect((await local.fetch('/', { headers }, peer)).headers.get('location')).toBeNull()
    expect(await local.databaseState()).toEqual(before)
  })

  test('trusts it if it is a trusted proxy, and no other in its place', async () => {
    const ask = async (from: string) =>
      (await trusting.fetch('/_/admin/api/settings', { headers: ANN }, from)).status
    expect([await ask(peer), await ask(LINKS_HOST)]).toEqual([200, 401])
  })
})
