import { beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { VERSION } from '../src/api/version.ts'
import { until } from './test-database.ts'
import { type TestLinks, sharedTestLinks, startTestLinks } from './testing.ts'

const STRANGER = '203.0.113.5'
const TOKEN = 'f'.repeat(48)

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, {
    LINKS_METRICS_TOKEN: TOKEN,
    LINKS_BASE_URL: 'https://go.example.com',
  })
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })

  testOnSqlite('L1.4 L20.1: the health is public: status, version and the time in milliseconds', async () => {
    const response = await links.fetch('/_/health', {}, STRANGER)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    const body = (await response.json()) as { timestamp: number }
    expect(body).toEqual({ status: 'ok', version: VERSION, timestamp: expect.any(Number) } as never)
    expect(Math.abs(body.timestamp - Date.now())).toBeLessThan(5000)
    expect((await links.fetch('/_/health', { method: 'HEAD' }, STRANGER)).status).toBe(200)
  })

  test('L20.1: a working node is ready', async () => {
    const response = await links.fetch('/_/ready', {}, STRANGER)
    expect([response.status, await response.json()]).toEqual([200, { status: 'ready' }])
  })

  test('L20.1: if the database cannot be read, the health is 503 with another status, and so is readiness', async () => {
    const broken = await startTestLinks(await newUrl())
    await broken.database.write((tx) => tx.schema.dropTable('instance').execute())
    for (const path of ['/_/health', '/_/ready']) {
      const response = await broken.fetch(path)
      const { status } = (await response.json()) as { status: string }
      expect([path, response.status, ['ok', 'ready'].includes(status)]).toEqual([path, 503, false])
    }
  })

  testOnSqlite(
    'a page that fails is an error page with the headers of its side, logged with its id',
    async () => {
      const broken = await startTestLinks(await newUrl())
      await broken.database.write(async (tx) => {
        await tx.schema.dropTable('instance').execute()
        await tx.schema.dropTable('preference').execute()
      })
      for (const [path, peer] of [
        ['/', STRANGER],
        ['/_/admin/dashboard', '127.0.0.1'],
      ] as const) {
        const { status, headers } = await broken.fetch(path, {}, peer)
        expect([path, status, headers.get('content-type')]).toEqual([path, 500, 'text/html; charset=utf-8'])
        expect(headers.get('cache-control')).toBe('private, no-store')
        expect(headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
        if (path !== '/') expect(headers.get('referrer-policy')).toBe('same-origin')
        const lines = broken.log.filter(({ requestId }) => requestId === headers.get('x-request-id'))
        expect(lines).toMatchObject([{ level: 'error', message: 'request: failed' }])
      }
    },
  )

  testOnSqlite(
    'L20.1: metrics are for this machine without a proxy and for holders of the token; all others get 404',
    async () => {
      const ask = async (peer: string, headers: Record<string, string> = {}) =>
        (await links.fetch('/_/metrics', { headers }, peer)).status
      expect(await ask('127.0.0.1')).toBe(200)
      expect(await ask('127.0.0.1', { Authorization: 'Bearer of-another-service' })).toBe(200)
      expect(await ask(STRANGER, { Authorization: `Bearer ${TOKEN}` })).toBe(200)
      const refused: [string, Record<string, string>][] = [
        [STRANGER, {}],
        [STRANGER, { Authorization: `Bearer ${TOKEN}x` }],
        [STRANGER, { Authorization: `Bearer ${ann}` }],
        [STRANGER, { Authorization: `bearer ${TOKEN}` }],
        [STRANGER, { 'X-Forwarded-For': '127.0.0.1' }],
        ['127.0.0.1', { 'X-Forwarded-For': '127.0.0.1' }],
        ['127.0.0.1', { Forwarded: 'for=127.0.0.1' }],
        ['127.0.0.1', { Authorization: 'Bearer wrong', 'X-Forwarded-For': '127.0.0.1' }],
      ]
      for (const [peer, headers] of refused)
        expect([peer, headers, await ask(peer, headers)]).toEqual([peer, headers, 404])
      const nothing = await links.fetch('/_/metrics', {}, STRANGER)
      expect(await nothing.text()).toBe(await (await links.fetch('/none', {}, STRANGER)).text())
    },
  )

  testOnSqlite('metrics are not for a page of another site whose name resolves to this machine', async () => {
    const ask = async (host: string, headers: Record<string, string> = {}, peer = '127.0.0.1') =>
      (await links.fetch('/_/metrics', { headers: { Host: host, ...headers } }, peer)).status
    const own = ['localhost', 'LOCALHOST:9100', '127.0.0.1:8080', '127.0.1.1', '[::1]:8080', 'go.example.com']
    for (const host of own) expect([host, await ask(host)]).toEqual([host, 200])
    const foreign = ['rebound.example', 'rebound.example:8080', 'localhost.example', '127.0.0.1.example']
    for (const host of [...foreign, 'evil.go.example.com', 'localhost@rebound.example', '10.0.0.1', ''])
      expect([host, await ask(host)]).toEqual([host, 404])
    expect(await ask('rebound.example', { Authorization: `Bearer ${TOKEN}` }, STRANGER)).toBe(200)
    expect(await ask('rebound.example', { Authorization: 'Bearer of-another-service' })).toBe(404)
    expect(await ask('go.example.com', {}, STRANGER)).toBe(404)
  })

  testOnSqlite('L20.1: metrics name routes and outcomes, never an address, a slug or a person', async () => {
    const { id } = await links.createLink(ann, { slug: 'secret-slug', url: 'https://secret.example/path' })
    await links.fetch('/secret-slug')
    await links.fetch('/unknown-slug')
    await links.fetch('/secret-slug', { method: 'HEAD' })
    await links.call('GET', `/links/${id}`, { key: ann })
    await links.call('GET', '/slugs/secret-slug', { key: ann })
    await links.call('GET', '/nothing/secret', { key: ann })
    for (const path of [
      '/',
      '/_/health',
      '/_/secret',
      '/_/admin/secret',
      '/_/links/77',
      '/favicon.svg',
      '/_/api/docs',
    ])
      await links.fetch(path)
    const text = await (await links.fetch('/_/metrics')).text()
    for (const secret of ['secret', 'unknown-slug', 'ann@', 'example', ann.slice(3, 12), '127.0.0.1'])
      expect([secret, text.includes(secret)]).toEqual([secret, false])
    expect(text).toMatch(/route="\/links\/\{id\}",status="200"\} [1-9]/)
    expect(text).toMatch(/route="unmatched",status="404"\} [1-9]/)
    for (const [route, status] of [
      ['/', 302],
      ['/_/health', 200],
      ['/_/admin/{page}', 404],
      ['/_/links/{id}', 301],
      ['/favicon.svg', 200],
      ['/_/api/docs', 200],
    ])
      expect(text).toContain(`route="${route}",status="${status}"} `)
    expect(text).not.toContain('links/77')
    expect(text).toMatch(/redirects_total\{outcome="redirected"\} 1\n/)
    expect(text).toMatch(/redirects_total\{outcome="uncounted"\} 1\n/)
    expect(text).toMatch(/redirects_total\{outcome="not_found"\} [1-9]/)
    expect(text).toMatch(/clicks_committed_total 1\n/)
    expect(text).toMatch(/clicks_lost_total 0\n/)
  })

  describe('metrics of a node', () => {
    const metrics = async (of: TestLinks): Promise<Record<string, number>> => {
      const text = await (await of.fetch('/_/metrics')).text()
      const lines = text.split('\n').filter((line) => line.startsWith('latchkey_links_'))
      return Object.fromEntries(
        lines.map((line) => {
          const space = line.lastIndexOf(' ')
          return [line.slice('latchkey_links_'.length, space), Number(line.slice(space + 1))]
        }),
      )
    }

    testOnSqlite(
      'count the slugs that redirects cache and the database look-ups that this saves',
      async () => {
        const node = await startTestLinks(await newUrl())
        await node.createLink(await node.key('ann@example.com'), { slug: 'followed' })
        const before = await metrics(node)
        for (let visit = 0; visit < 5; visit++) await node.fetch('/followed')
        await node.fetch('/Followed', { method: 'HEAD' })
        const after = await metrics(node)
        // SQLite is read at each redirect.
        if (dialect === 'sqlite')
          return expect(Object.keys(after).filter((name) => name.startsWith('cache_'))).toEqual([])
        // While the database cannot announce changes, every look-up reads it.
        expect(node.log.filter(({ level }) => level === 'warn')).toEqual([])
        const growthOf = (name: string) => (after[name] ?? Number.NaN) - (before[name] ?? Number.NaN)
        expect([before['cache_entries'], growthOf('cache_entries')]).toEqual([0, 1])
        expect([growthOf('cache_misses_total'), growthOf('cache_hits_total')]).toEqual([1, 5])
      },
    )

    test('contain the size of the database and of the local files, and that the database answers', async () => {
      const node = await startTestLinks(await newUrl())
      await node.createLink(await node.key('ann@example.com'), { slug: 'followed' })
      await node.fetch('/followed')
      const sizes = await metrics(node)
      expect(sizes['database_failing']).toBe(0)
      expect(sizes['database_bytes']).toBeGreaterThan(50_000)
      for (const file of ['journal', 'journal_log', ...(dialect === 'sqlite' ? ['database_log'] : [])])
        expect([file, (sizes[`file_bytes{file="${file}"}`] ?? 0) > 0]).toEqual([file, true])
      const pools = Object.keys(sizes).filter((name) => name.includes('pool='))
      expect(pools).toHaveLength(dialect === 'postgres' ? 9 : 0)
      if (dialect === 'sqlite') return
      expect(sizes['database_connections{pool="requests",state="idle"}']).toBeGreaterThan(0)
      // Reading the size is not a use of the database that matters to operators.
      expect(sizes['database_connections{pool="requests",state="busy"}']).toBe(0)
      expect(sizes['database_connection_waiters{pool="requests"}']).toBe(0)
    })

    test('contain the number of clicks that wait, and zero once a number has been read', async () => {
      const node = await startTestLinks(await newUrl())
      const key = await node.key('ann@example.com')
      const { id } = await node.createLink(key, { slug: 'followed' })
      await node.database.write((tx) => sql`alter table click rename to elsewhere`.execute(tx))
      for (let visit = 0; visit < 3; visit++)
        await Promise.all([node.fetch('/followed'), node.fetch('/followed')])
      expect((await metrics(node))['clicks_waiting']).toBe(6)
      await node.database.write((tx) => sql`alter table elsewhere rename to click`.execute(tx))
      const countClicks = async () => (await node.call('GET', `/links/${id}`, { key })).body.total_clicks
      await until('clicks are counted again', async () => (await countClicks()) === 6)
      expect((await metrics(node))['clicks_waiting']).toBe(0)
    })
  })

  testOnSqlite(
    'L20.2: every API request leaves one log line with its id and nothing that was sent',
    async () => {
      const { headers } = await links.call('POST', '/links?note=private-note', {
        key: ann,
        body: { url: 'https://private.example/x', slug: 'private-slug', label: 'private label' },
        headers: { Cookie: 'session=private-cookie', 'User-Agent': 'private-agent' },
      })
      const lines = links.log.filter((line) => line['requestId'] === headers.get('x-request-id'))
      expect(lines).toEqual([
        {
          time: expect.any(String),
          level: 'info',
          message: 'request',
          route: '/links',
          method: 'POST',
          status: 201,
          requestId: headers.get('x-request-id'),
          ms: expect.any(Number),
        },
      ])
      expect(JSON.stringify(links.log)).not.toMatch(/private|127\.0\.0\.1|203\.0\.113/)
    },
  )
})
