import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { importClicks } from '../../src/transfer/clicks.ts'
import { type TestLinks, sharedTestLinks, startTestLinks } from '../testing.ts'

const visit = { headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' } }

interface Changes {
  links: number[]
  bundles: number[]
  totals: boolean
  more: boolean
}

/** An open page: follows the events of a service and remembers what it was told. */
async function openPage(links: TestLinks) {
  // Past `links.fetch`, which looks into every answer of an API and would read this one to its end.
  const response = await links.fetchHandler(new Request('http://localhost:8080/_/admin/api/events'), {
    requestIP: () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 }),
    timeout: () => undefined,
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const events: Changes[] = []
  let ended = false
  const first = await reader.read()
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      for (const line of decoder.decode(value).split('\n'))
        if (line.startsWith('data: ')) events.push(JSON.parse(line.slice('data: '.length)) as Changes)
    }
    ended = true
  })()
  const has = (kind: 'links' | 'bundles', id: number) => events.some((each) => each[kind].includes(id))
  return {
    response,
    first: decoder.decode(first.value),
    told: events,
    has,
    isEnded: () => ended,
    async close() {
      await reader.cancel()
      await reading
    },
  }
}

/** An open page that was told all that was written before it was opened. */
async function openQuietPage(links: TestLinks) {
  const page = await openPage(links)
  // Reading counts what was clicked, and what is written later is told later.
  await links.callAdmin('GET', '/links?limit=1')
  const { body } = await links.callAdmin('POST', '/bundles', {
    body: { name: `Quiet ${Bun.randomUUIDv7()}` },
  })
  await until(() => page.has('bundles', body.id))
  page.told.splice(0)
  return page
}

/** Asks again until it is so, for at most twenty seconds. */
async function until(what: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!what() && performance.now() < deadline) await Bun.sleep(5)
  expect(what()).toBe(true)
}

eachDialect((dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  /** SQLite has one node, and no connection to lose. */
  const onPostgres = (...each: Parameters<typeof test>) =>
    dialect === 'postgres' ? test(...each) : undefined
  const post = async (path: string, body?: unknown) => (await links.callAdmin('POST', path, { body })).body
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-events-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('events are a stream of their own type that nothing stores or gathers', async () => {
    const page = await openPage(links)
    expect([page.response.status, page.response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ])
    expect(page.response.headers.get('cache-control')).toBe('private, no-store')
    expect(page.response.headers.get('x-accel-buffering')).toBe('no')
    expect(page.first).toBe('retry: 2000\n\n')
    await page.close()
  })

  test('every write of a link or a bundle is told with its id, over either API', async () => {
    const link = await post('/links', { url: 'https://example.com/told', slug: 'told' })
    const bundle = await post('/bundles', { name: 'Told' })
    const key = await links.key('admin@localhost')
    const writes: [string, string, unknown, 'links' | 'bundles'][] = [
      ['PATCH', `/links/${link.id}`, { label: 'A label' }, 'links'],
      ['POST', `/links/${link.id}/slugs`, { slug: 'told-too' }, 'links'],
      ['POST', '/slugs/told-too/disable', undefined, 'links'],
      ['POST', '/slugs/told/primary', undefined, 'links'],
      ['DELETE', '/slugs/told-too', undefined, 'links'],
      ['POST', `/links/${link.id}/disable`, undefined, 'links'],
      ['PATCH', `/bundles/${bundle.id}`, { name: 'Renamed' }, 'bundles'],
      ['POST', `/bundles/${bundle.id}/links`, { link_id: link.id }, 'bundles'],
      ['DELETE', `/bundles/${bundle.id}/links/${link.id}`, undefined, 'bundles'],
      ['POST', `/bundles/${bundle.id}/archive`, undefined, 'bundles'],
      ['DELETE', `/bundles/${bundle.id}`, undefined, 'bundles'],
      ['DELETE', `/links/${link.id}`, undefined, 'links'],
    ]
    for (const [method, path, body, kind] of writes) {
      const page = await openPage(links)
      const { status } = await links.call(method, path, { key, body })
      expect([method, path, status < 300]).toEqual([method, path, true])
      await until(() => page.has(kind, kind === 'links' ? link.id : bundle.id))
      expect(page.told.every((each) => !each.more)).toBe(true)
      await page.close()
    }
  })

  test('clicks are told once they are counted, with the links that were clicked', async () => {
    const { id } = await post('/links', { url: 'https://example.com/clicked', slug: 'clicked' })
    const other = await post('/links', { url: 'https://example.com/not-clicked' })
    const page = await openQuietPage(links)
    for (let n = 0; n < 5; n++) await links.fetch('/clicked', visit)
    await until(() => page.has('links', id))
    expect([page.has('links', other.id), page.told.some(({ totals }) => totals)]).toEqual([false, true])
    await page.close()
  })

  test('reads and writes that change nothing shown are not told', async () => {
    const { id } = await post('/links', { url: 'https://example.com/quiet', slug: 'quiet' })
    const page = await openQuietPage(links)
    const key = await links.key('ann@example.com')
    await links.call('GET', `/links/${id}`, { key })
    await links.callAdmin('PUT', '/settings', { body: { theme: 'dark' } })
    await links.callAdmin('POST', '/keys', { body: { title: 'x', scope: 'read' } })
    await links.call('PATCH', `/links/${id}`, { key, body: { label: 'not hers' } })
    await links.fetch('/nothing-here', visit)
    const last = await post('/bundles', { name: 'The last' })
    await until(() => page.has('bundles', last.id))
    expect(page.told).toEqual([{ links: [], bundles: [last.id], totals: false, more: false }])
    await page.close()
  })

  test('L17 a page is told at most once a second, and misses nothing', async () => {
    const startedMs = performance.now()
    const page = await openPage(links)
    const made: number[] = []
    while (performance.now() - startedMs < 2_500) {
      made.push((await post('/links', { url: `https://example.com/many/${made.length}` })).id)
      await new Promise(setImmediate)
    }
    await until(() => made.every((id) => page.has('links', id) || page.told.some(({ more }) => more)))
    const seconds = (performance.now() - startedMs) / 1000
    // Counted: two that were sent a second apart may arrive together where the machine does other things as well.
    expect(page.told.length).toBeGreaterThan(1)
    expect(page.told.length).toBeLessThanOrEqual(seconds + 1)
    await page.close()
  })

  test('clicks and links that another process stores are noticed', async () => {
    const { id } = await post('/links', { url: 'https://example.com/elsewhere', slug: 'elsewhere' })
    const page = await openPage(links)
    const path = join(folder, `${dialect}.ndjson`)
    writeFileSync(path, `${JSON.stringify({ slug: 'elsewhere', clicked_at: links.now - 86_400 })}\n`)
    await importClicks({
      database: links.database,
      databaseUrl: links.url,
      path,
      again: false,
      now: links.now,
      ownHost: null,
      onProblem: () => undefined,
    })
    await until(() => page.has('links', id))
    await page.close()
  })

  test('events end when the service drains, and later ones end at once', async () => {
    const service = await startTestLinks(await newUrl())
    const page = await openPage(service)
    service.drain()
    await until(page.isEnded)
    const late = await service.fetch('/_/admin/api/events')
    expect(await late.text()).toBe('retry: 2000\n\n')
  })

  test('nobody who is not admitted follows anything, and HEAD follows nothing', async () => {
    const refused = await links.fetch('/_/admin/api/events', {}, '203.0.113.5')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      403,
      expect.stringContaining('application/json'),
    ])
    const head = await links.fetch('/_/admin/api/events', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await links.callAdmin('POST', '/events')).status).toBe(405)
    const key = await links.key('ann@example.com', 'read')
    expect((await links.call('GET', '/events', { key })).status).toBe(404)
  })

  onPostgres('what one node does is told by the others', async () => {
    const url = await newUrl()
    const [here, there] = [await startTestLinks(url), await startTestLinks(url)]
    const page = await openPage(there)
    const { body } = await here.callAdmin('POST', '/links', {
      body: { url: 'https://example.com/node', slug: 'node' },
    })
    await until(() => page.has('links', body.id))
    page.told.length = 0
    await here.fetch('/node', visit)
    await until(() => page.has('links', body.id))
    await page.close()
  })

  onPostgres(
    'a lost connection to the database is made good by telling that anything may have changed',
    async () => {
      const service = await startTestLinks(await newUrl())
      const page = await openPage(service)
      await service.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'latchkey-events'
       and datname = current_database()
       and query like '%latchkey_changes%'`,
      )
      await until(() => page.told.some(({ more }) => more))
      await page.close()
    },
  )
})
