import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { TestLinks } from '../testing.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'
import { Server, makeKey, withKey } from './server.ts'
import { testFolder, until } from './stored.ts'

const folder = testFolder()
let server: OwnPostgres | undefined
const nodes: TestLinks[] = []

beforeAll(async () => {
  server = await startOwnPostgres()
})
afterAll(async () => {
  await server?.start()
  for (const node of nodes) await node.close()
  await server?.close()
})

async function openNode(url: string): Promise<TestLinks> {
  const node = new TestLinks()
  await node.start(url)
  nodes.push(node)
  return node
}

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

const UNAVAILABLE = {
  error: 'The database cannot be used at the moment; nothing was changed. Try again later.',
}

// Where no PostgreSQL is installed, `npm test` says that it was left out.
describe('PostgreSQL goes away', () => {
  test('known slugs redirect, everything else says 503, and what happened meanwhile is counted once', async () => {
    if (!server) return
    const node = await openNode(server.url)
    const key = await node.key('ann@example.com')
    const link = await node.link(key, { slug: 'known' })
    await node.link(key, { slug: 'unseen' })
    expect(await statusOf(node, '/known')).toBe(302)

    await server.kill()
    for (let visit = 0; visit < 50; visit++) {
      const response = await node.fetch('/known')
      expect([response.status, response.headers.get('location')]).toEqual([302, link.url])
    }
    const refused = await node.fetch('/unseen')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.headers.get('content-type')).toStartWith('text/html')
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
    expect(await statusOf(node, '/_/ready')).toBe(503)
    await until('the metrics say so', async () => (await metric(node, 'latchkey_links_clicks_failing')) === 1)
    expect(await metric(node, 'latchkey_links_clicks_lost_total')).toBe(0)

    await server.start()
    await until('the API is back', async () => (await node.call('GET', '/links', { key })).status === 200)
    const read = await node.call('GET', `/links/${link.id}`, { key })
    expect(read.body).toMatchObject({ total_clicks: 51, label: null })
    expect(await node.rows('select count(*) as clicks from click')).toEqual([{ clicks: 51 }])
    expect(await node.rows('select sum(clicks) as clicks from click_hour')).toEqual([{ clicks: 51 }])
    await until('the node is ready', async () => (await statusOf(node, '/_/ready')) === 200)
    expect(await statusOf(node, '/_/health')).toBe(200)
    expect(await statusOf(node, '/unseen')).toBe(302)
    expect(await metric(node, 'latchkey_links_clicks_failing')).toBe(0)
  }, 30_000)

  test('again and again, while two nodes redirect and count: every redirect is a click, once', async () => {
    if (!server) return
    const both = await Promise.all([openNode(server.url), openNode(server.url)])
    const [first] = both
    const key = await first.key('ben@example.com')
    const made = await first.link(key, { slug: 'busy' })
    for (const node of both) expect(await statusOf(node, '/busy')).toBe(302)

    let [running, redirected] = [true, 2]
    const others: string[] = []
    const visit = async (node: TestLinks) => {
      while (running) {
        const status = await statusOf(node, '/busy')
        if (status === 302) redirected++
        else others.push(`${status}`)
        // Reading has clicks counted, so that a kill meets counting in all its states.
        if (redirected % 25 === 0) await node.call('GET', `/links/${made.id}`, { key })
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const visitors = both.flatMap((node) => [visit(node), visit(node)])
    for (let time = 0; time < 4; time++) {
      const startedMs = performance.now()
      await until('load has gone on for a while', () => performance.now() - startedMs > 250 + time * 100)
      await server.kill()
      await until('it is noticed', () => performance.now() - startedMs > 700 + time * 100)
      await server.start()
    }
    running = false
    await Promise.all(visitors)

    expect(others).toEqual([])
    for (const node of both)
      await until('the node has counted all', async () => {
        const reply = await node.call('GET', `/links/${made.id}`, { key })
        return reply.status === 200 && (await metric(node, 'latchkey_links_click_batches_waiting')) === 0
      })
    const [stored] = await first.rows<Record<string, number>>(`select
      (select clicks from slug where slug = 'busy') as sum,
      (select sum(clicks) from click_hour where slug = 'busy') as hours,
      (select count(*) from click where slug = 'busy') as raw`)
    expect(stored).toEqual({ sum: redirected, hours: redirected, raw: redirected })
    expect(redirected).toBeGreaterThan(100)
  }, 60_000)

  test('a node that stops during the outage keeps its clicks, and counts them at its next start', async () => {
    if (!server) return
    const options = { environment: { LINKS_DATABASE_URL: server.url } }
    const before = await Server.start(folder, options)
    const headers = withKey(await makeKey(before))
    const body = { url: 'https://example.com/patient', slug: 'patient' }
    expect((await before.ask('POST', '/_/api/links', { headers, body })).status).toBe(201)
    expect((await before.ask('GET', '/patient')).status).toBe(302)
    await server.kill()
    for (let visit = 0; visit < 20; visit++) expect((await before.ask('GET', '/patient')).status).toBe(302)
    const stopped = await before.stop()
    expect(stopped).toEqual({ code: 0, ms: expect.any(Number) })
    expect(stopped.ms).toBeLessThan(10_000)

    await server.start()
    const after = await Server.start(folder, options)
    await until('the clicks are counted', async () => {
      const { text } = await after.ask('GET', '/_/api/slugs/patient', { headers })
      return (JSON.parse(text) as { total_clicks: number }).total_clicks === 21
    })
    expect((await after.stop()).code).toBe(0)
  }, 30_000)
})
