import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Client } from 'pg'
import { FROM_BROWSER } from '../actions.ts'
import { TestLinks } from '../testing.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'
import { type Options, Server, createKey, withKey } from './server.ts'
import { closeAfterEach, testFolder, until } from '../test-database.ts'
import type { Wire } from '@latchkey/http/testing-wire'

const folder = testFolder()
let server: OwnPostgres | undefined
const { closeLater } = closeAfterEach()

beforeAll(async () => {
  server = await startOwnPostgres()
})
beforeEach(() => server?.start())
afterAll(() => server?.close())

async function metric(node: TestLinks, name: string): Promise<number> {
  const text = await (await node.fetch('/_/metrics')).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  )
}

async function statusOf(node: TestLinks, path: string): Promise<number> {
  return (await node.fetch(path)).status
}

const CADDYFILE = join(import.meta.dir, '../../../../deploy/compose/Caddyfile')
const UNAVAILABLE = {
  error: 'The database cannot be used at the moment; nothing was changed. Try again later.',
}

// Without a PostgreSQL installation, `npm test` reports these tests as skipped.
describe('PostgreSQL fails', () => {
  test('L12.5 L26.3f L26.4: known slugs redirect, those with a limit and all other requests are 503, clicks of the outage count once, and passwords are no wrong tries', async () => {
    if (!server) return
    const node = closeLater(new TestLinks())
    await node.start(server.url)
    const key = await node.key('ann@example.com')
    const link = await node.createLink(key, { slug: 'known' })
    await node.createLink(key, { slug: 'unseen' })
    const { id } = await node.createLink(key, { slug: 'limited' })
    await node.call('PUT', `/links/${id}/behaviour`, { key, body: { max_clicks: 2 } })
    expect((await node.fetch('/limited', FROM_BROWSER)).status).toBe(302)
    const { id: locked } = await node.createLink(key, { slug: 'locked' })
    await node.call('PUT', `/links/${locked}/behaviour`, { key, body: { password: 'right' } })
    const enter = async () => {
      const body = new URLSearchParams({ password: 'right' })
      return (await node.fetch('/locked', { method: 'POST', body }, '203.0.113.9')).status
    }
    expect(await enter()).toBe(303)
    expect(await statusOf(node, '/known')).toBe(302)

    await server.kill()
    for (let visit = 0; visit < 50; visit++) {
      const response = await node.fetch('/known')
      expect([response.status, response.headers.get('location')]).toEqual([302, link.url])
    }
    // No place of a limit is given out that another node may have given out.
    const limited = await node.fetch('/limited', FROM_BROWSER)
    expect([limited.status, limited.headers.get('location')]).toEqual([503, null])
    for (let n = 0; n < 6; n++) expect(await enter()).toBe(503)
    const refused = await node.fetch('/unseen')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.headers.get('content-type')).toStartWith('text/html')
    // A flood must not fill the disk: one line at once, then one a second with the count.
    const stranger = { headers: { Authorization: `Bearer sk_${'0'.repeat(48)}` } }
    const linesOf = (message: string) => node.log.filter((line) => line['message'] === message)
    const startedMs = performance.now()
    for (let n = 0; n < 300; n++) {
      expect(await statusOf(node, `/none-${n}`)).toBe(503)
      expect((await node.fetch('/', {}, '203.0.113.5')).status).toBe(503)
      expect((await node.fetch('/_/api/links', stranger)).status).toBe(503)
    }
    const seconds = Math.ceil((performance.now() - startedMs) / 1000)
    for (const message of ['redirect: the database cannot be used', 'database: cannot be used']) {
      expect(linesOf(message).length).toBeWithin(1, seconds + 3)
      expect(linesOf(message)[0]).toMatchObject({ level: 'error', requests: expect.any(Number) })
    }
    expect(linesOf('the database cannot be used')).toEqual([])
    for (const [method, path, body] of [
      ['POST', '/links', { url: 'https://example.com/' }],
      ['PUT', `/links/${link.id}`, { label: 'new' }],
      ['GET', `/links/${link.id}`, undefined],
      ['GET', '/links', undefined],
    ] as const) {
      const reply = await node.call(method, path, body === undefined ? { key } : { key, body })
      expect([reply.status, reply.body]).toEqual([503, UNAVAILABLE])
    }
    expect(await statusOf(node, '/_/health')).toBe(503)
    // The proxy of the Compose files recognises an answering node by this status: short URLs stay
    // available.
    expect(await Bun.file(CADDYFILE).text()).not.toContain('health_uri /_/')
    expect(await Bun.file(CADDYFILE).text()).toContain('health_uri /robots.txt')
    expect(await statusOf(node, '/robots.txt')).toBe(200)
    expect(await statusOf(node, '/_/ready')).toBe(503)
    for (const path of ['/_/admin/dashboard', '/_/admin/links']) {
      const page = await node.fetch(path)
      expect([path, page.status, page.headers.get('retry-after')]).toEqual([path, 503, '5'])
      expect(page.headers.get('content-type')).toStartWith('text/html')
      expect(page.headers.get('referrer-policy')).toBe('same-origin')
    }
    await until('the metrics say so', async () => (await metric(node, 'latchkey_links_clicks_failing')) === 1)
    expect(await metric(node, 'latchkey_links_clicks_lost_total')).toBe(0)
    expect(await metric(node, 'latchkey_links_clicks_waiting')).toBeGreaterThanOrEqual(50)
    expect(await metric(node, 'latchkey_links_database_failing')).toBe(1)

    await server.start()
    await until('the API is back', async () => (await node.call('GET', '/links', { key })).status === 200)
    expect(await enter()).toBe(303)
    const read = async () => (await node.call('GET', `/links/${link.id}`, { key })).body
    await until('clicks are counted again', async () => (await read()).total_clicks === 51)
    expect(await read()).toMatchObject({ total_clicks: 51, label: null })
    expect(await node.rows(`select count(*) as clicks from click where slug = 'known'`)).toEqual([
      { clicks: 51 },
    ])
    expect(await node.rows(`select sum(clicks) as clicks from click_hour where slug = 'known'`)).toEqual([
      { clicks: 51 },
    ])
    await until('the node is ready', async () => (await statusOf(node, '/_/ready')) === 200)
    expect(await statusOf(node, '/_/health')).toBe(200)
    expect(await statusOf(node, '/unseen')).toBe(302)
    expect(await metric(node, 'latchkey_links_clicks_failing')).toBe(0)
    expect(await metric(node, 'latchkey_links_database_failing')).toBe(0)
  })

  test('a frozen server delays no request without limit, and later requests use other connections', async () => {
    if (!server) return
    const node = closeLater(new TestLinks())
    await node.start(server.url, {}, { flushTimeoutMs: 1_000 })
    const key = await node.key('ann@example.com')
    const link = await node.createLink(key, { slug: 'frozen' })
    expect(await statusOf(node, '/frozen')).toBe(302)
    server.freeze()
    const startedMs = performance.now()
    const [ofAdmin, ...answers] = await Promise.all([
      node.callAdmin('GET', '/links'),
      node.call('GET', `/links/${link.id}`, { key }),
      node.call('PUT', `/links/${link.id}`, { key, body: { label: 'never' } }),
      node.call('POST', '/links', { key, body: { url: 'https://example.com/never' } }),
    ])
    expect(performance.now() - startedMs).toBeLessThan(15_000)
    for (const { status, body } of answers) expect([status, body]).toEqual([503, UNAVAILABLE])
    expect([ofAdmin.status, ofAdmin.body]).toEqual([503, { ...UNAVAILABLE, code: 'storage_unavailable' }])
    expect(await statusOf(node, '/frozen')).toBe(302)
    server.thaw()
    await until('the API is back', async () => (await node.call('GET', '/links', { key })).status === 200)
    const { body: after } = await node.call('GET', `/links/${link.id}`, { key })
    expect([after.label, await node.rows(`select id from link where url like '%never'`)]).toEqual([null, []])
  })

  test('under repeated load no node ends, every redirect is one click, and every answered write is stored', async () => {
    if (!server) return
    const { url } = server
    const start = async () =>
      closeLater(await Server.start(testFolder(), { environment: { LINKS_DATABASE_URL: url } }))
    const both = await Promise.all([start(), start()])
    const [first] = both
    const headers = withKey(await createKey(first))
    const make = async (slug: string) => {
      const body = { url: `https://example.com/${slug}`, slug }
      const { text } = await first.request('POST', '/_/api/links', { headers, body })
      return (JSON.parse(text) as { id: number }).id
    }
    await make('busy')
    for (const node of both) expect((await node.request('GET', '/busy')).status).toBe(302)

    let [running, redirected] = [true, 2]
    const unexpected: string[] = []
    const ask = async (wire: Wire, ...request: Parameters<Wire['request']>) => {
      const status = await wire.request(...request).then(
        (answer) => answer.status,
        () => 'no answer',
      )
      if (status !== 200 && status !== 302 && status !== 503) unexpected.push(`${request[0]}: ${status}`)
      return status
    }
    const visit = async (wire: Wire) => {
      while (running && !wire.hasEnded) {
        const status = await ask(wire, 'GET', '/busy')
        if (status === 302) redirected++
        else unexpected.push(`GET /busy: ${status}`)
      }
    }
    /**
     * The last answered label, and the unanswered ones after it, which may or may not be stored.
     */
    const write = async (wire: Wire, id: number) => {
      const labels = ['']
      while (running && !wire.hasEnded) {
        labels.push(`label ${labels.length}`)
        const body = { label: labels.at(-1) }
        const status = await ask(wire, 'PUT', `/_/api/links/${id}`, { headers, body })
        if (status === 200) labels.splice(0, labels.length - 1)
      }
      return { id, labels }
    }
    const read = async (wire: Wire) => {
      while (running && !wire.hasEnded) await ask(wire, 'GET', '/_/api/slugs/busy', { headers })
    }
    const work: Promise<unknown>[] = []
    const writes: ReturnType<typeof write>[] = []
    for (const [index, node] of both.entries()) {
      writes.push(write(await node.connect(), await make(`written-${index}`)))
      work.push(visit(await node.connect()), visit(await node.connect()), read(await node.connect()))
    }
    const all = Promise.all([...work, ...writes])
    for (let time = 0; time < 4; time++) {
      await Promise.race([all, Bun.sleep(200 + time * 130)])
      await server.kill()
      await Promise.race([all, Bun.sleep(200)])
      await server.start()
    }
    await Promise.race([all, Bun.sleep(500)])
    running = false
    let answered = false
    void all.then(() => (answered = true))
    await until('nobody waits for an answer any more', () => answered, 15_000)

    expect(both.map((node) => node.stderr)).toEqual(['', ''])
    expect(unexpected).toEqual([])
    for (const node of both) {
      await until('all is counted', async () => {
        await node.request('GET', '/_/api/slugs/busy', { headers })
        return (await node.metric('latchkey_links_click_batches_waiting')) === 0
      })
      expect(await node.metric('latchkey_links_clicks_lost_total')).toBe(0)
    }
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(`select
      (select clicks from counted_slug where slug = 'busy')::int as sum,
      (select sum(clicks) from click_hour where slug = 'busy')::int as hours,
      (select count(*) from click where slug = 'busy')::int as raw`)
    expect(rows).toEqual([{ sum: redirected, hours: redirected, raw: redirected }])
    for (const { id, labels } of await Promise.all(writes)) {
      const labelRows = await client.query<{ label: string }>('select label from link where id = $1', [id])
      expect(labels).toContain(labelRows.rows[0]?.label ?? '')
    }
    await client.end()
    for (const node of both) expect(await node.stop()).toMatchObject({ code: 0 })
  }, 60_000)

  test('a node that stops during the outage keeps its clicks and counts them at its next start', async () => {
    if (!server) return
    const options = { environment: { LINKS_DATABASE_URL: server.url } }
    const before = closeLater(await Server.start(folder, options))
    const headers = withKey(await createKey(before))
    const body = { url: 'https://example.com/patient', slug: 'patient' }
    expect((await before.request('POST', '/_/api/links', { headers, body })).status).toBe(201)
    expect((await before.request('GET', '/patient')).status).toBe(302)
    await server.kill()
    for (let visit = 0; visit < 20; visit++)
      expect((await before.request('GET', '/patient')).status).toBe(302)
    const stopped = await before.stop()
    expect(stopped).toEqual({ code: 0, ms: expect.any(Number) })
    expect(stopped.ms).toBeLessThan(10_000)

    await server.start()
    await expectCounted('patient', 21, options)
  })

  test('a node that stops while the database is frozen ends in time with 0, and its next start counts the clicks once', async () => {
    if (!server) return
    const options = { environment: { LINKS_DATABASE_URL: server.url } }
    const before = closeLater(await Server.start(folder, options))
    const headers = withKey(await createKey(before))
    const body = { url: 'https://example.com/silent', slug: 'silent' }
    expect((await before.request('POST', '/_/api/links', { headers, body })).status).toBe(201)
    expect((await before.request('GET', '/silent')).status).toBe(302)
    await until('it is counted', async () => (await totalOf(before, headers, 'silent')) === 1)
    server.freeze()
    for (let visit = 0; visit < 20; visit++) expect((await before.request('GET', '/silent')).status).toBe(302)
    const waiting = closeLater(await before.connect())
    void waiting.request('GET', '/_/api/slugs/silent', { headers }).catch(() => undefined)
    // A request waits for the database once a later request on another connection is answered.
    expect((await before.request('GET', '/silent')).status).toBe(302)
    const stopped = await before.stop()
    expect(stopped).toEqual({ code: 0, ms: expect.any(Number) })
    expect(stopped.ms).toBeLessThan(10_000)

    server.thaw()
    await expectCounted('silent', 22, options)
  })

  async function totalOf(node: Server, headers: Record<string, string>, slug: string): Promise<number> {
    const { text } = await node.request('GET', `/_/api/slugs/${slug}`, { headers })
    return (JSON.parse(text) as { total_clicks: number }).total_clicks
  }

  async function expectCounted(slug: string, clicks: number, options: Options): Promise<void> {
    const after = closeLater(await Server.start(folder, options))
    const headers = withKey(await createKey(after))
    await until('the clicks are counted', async () => (await totalOf(after, headers, slug)) === clicks)
    expect((await after.stop()).code).toBe(0)
  }
})
