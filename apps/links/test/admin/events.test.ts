import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { importClicks } from '../../src/transfer/clicks.ts'
import { FROM_BROWSER, clickLink } from '../actions.ts'
import { until } from '../test-database.ts'
import { type TestLinks, sharedTestLinks, startTestLinks } from '../testing.ts'
import { openPage } from './event-page.ts'

/** An open page that has received the events of everything written before it opened. */
async function openQuietPage(links: TestLinks) {
  const page = await openPage(links)
  // Reading counts the clicks so far. Later writes are announced later.
  await links.callAdmin('GET', '/links?limit=1')
  const { body } = await links.callAdmin('POST', '/bundles', {
    body: { name: `Quiet ${Bun.randomUUIDv7()}` },
  })
  await until('the bundle is announced', () => page.has('bundles', body.id))
  page.events.splice(0)
  return page
}

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl)
  /** SQLite has one node and no connection to lose. */
  const onPostgres = (...each: Parameters<typeof test>) =>
    dialect === 'postgres' ? test(...each) : undefined
  const post = async (path: string, body?: unknown) => (await links.callAdmin('POST', path, { body })).body
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-events-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  testOnSqlite(
    'events are a stream with its own content type that is neither cached nor buffered',
    async () => {
      const page = await openPage(links)
      expect([page.response.status, page.response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream',
      ])
      expect(page.response.headers.get('cache-control')).toBe('private, no-store')
      expect(page.response.headers.get('x-accel-buffering')).toBe('no')
      expect(page.first).toBe('retry: 2000\n\n')
      await page.close()
    },
  )

  testOnSqlite('every write of a link or a bundle over either API is announced with its id', async () => {
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
      await until('the change is announced', () => page.has(kind, kind === 'links' ? link.id : bundle.id))
      expect(page.events.every((each) => !each.more)).toBe(true)
      await page.close()
    }
  })

  test('counted clicks are announced with the ids of their links', async () => {
    const { id } = await post('/links', { url: 'https://example.com/clicked', slug: 'clicked' })
    const other = await post('/links', { url: 'https://example.com/not-clicked' })
    const page = await openQuietPage(links)
    for (let n = 0; n < 5; n++) await clickLink(links, 'clicked')
    await until('the click is announced', () => page.has('links', id))
    expect([page.has('links', other.id), page.events.some(({ totals }) => totals)]).toEqual([false, true])
    await page.close()
  })

  testOnSqlite('reads and writes that change nothing visible are not announced', async () => {
    const { id } = await post('/links', { url: 'https://example.com/quiet', slug: 'quiet' })
    const page = await openQuietPage(links)
    const key = await links.key('ann@example.com')
    await links.call('GET', `/links/${id}`, { key })
    await links.callAdmin('PUT', '/settings', { body: { theme: 'dark' } })
    await links.callAdmin('POST', '/keys', { body: { title: 'x', scope: 'read' } })
    await links.call('PATCH', `/links/${id}`, { key, body: { label: 'not hers' } })
    await links.fetch('/nothing-here', FROM_BROWSER)
    const last = await post('/bundles', { name: 'The last' })
    await until('the last bundle is announced', () => page.has('bundles', last.id))
    expect(page.events).toEqual([{ links: [], bundles: [last.id], totals: false, more: false }])
    await page.close()
  })

  testOnSqlite('L17: a page receives at most one event a second and misses no change', async () => {
    const startedMs = performance.now()
    const page = await openPage(links)
    const made: number[] = []
    while (performance.now() - startedMs < 2_500) {
      made.push((await post('/links', { url: `https://example.com/many/${made.length}` })).id)
      await new Promise(setImmediate)
    }
    await until('all links are announced', () =>
      made.every((id) => page.has('links', id) || page.events.some(({ more }) => more)),
    )
    const seconds = (performance.now() - startedMs) / 1000
    // Counts events instead of measuring gaps: on a busy machine, two events sent a second apart
    // may arrive together.
    expect(page.events.length).toBeGreaterThan(1)
    expect(page.events.length).toBeLessThanOrEqual(seconds + 1)
    await page.close()
  })

  test('clicks and links that another process stores are announced', async () => {
    const { id } = await post('/links', { url: 'https://example.com/elsewhere', slug: 'elsewhere' })
    const page = await openPage(links)
    const path = join(folder, `${dialect}.ndjson`)
    writeFileSync(path, `${JSON.stringify({ slug: 'elsewhere', clicked_at: links.now - 86_400 })}\n`)
    await importClicks({
      database: links.database,
      databaseUrl: links.url,
      privacy: 'full',
      path,
      again: false,
      now: links.now,
      ownHost: null,
      onProblem: () => undefined,
    })
    await until('the link is announced', () => page.has('links', id))
    await page.close()
  })

  testOnSqlite('event streams end when the service drains, and later ones end at once', async () => {
    const service = await startTestLinks(await newUrl())
    const page = await openPage(service)
    service.drain()
    await until('the stream ends', page.isEnded)
    const late = await service.fetch('/_/admin/api/events')
    expect(await late.text()).toBe('retry: 2000\n\n')
  })

  testOnSqlite('a caller who is not admitted cannot follow events, and HEAD opens no stream', async () => {
    const refused = await links.fetch('/_/admin/api/events', {}, '203.0.113.5')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      403,
      expect.stringContaining('application/json'),
    ])
    const head = await links.fetch('/_/admin/api/events', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await links.callAdmin('POST', '/events')).status).toBe(405)
    const key = await links.key('ann@example.com', 'read')
    // With a key, this address has the log of events (L30.2) and no stream.
    const events = await links.call('GET', '/events', { key })
    expect(events.body).toEqual({ events: [], last_seq: expect.any(Number) })
  })

  onPostgres('the other nodes announce what one node does', async () => {
    const url = await newUrl()
    const [here, there] = [await startTestLinks(url), await startTestLinks(url)]
    const page = await openPage(there)
    const { body } = await here.callAdmin('POST', '/links', {
      body: { url: 'https://example.com/node', slug: 'node' },
    })
    await until('the link of the other node is announced', () => page.has('links', body.id))
    page.events.length = 0
    await clickLink(here, 'node')
    await until('the click on the other node is announced', () => page.has('links', body.id))
    await page.close()
  })

  onPostgres(
    'a lost connection to the database is followed by the event that anything may have changed',
    async () => {
      const service = await startTestLinks(await newUrl())
      const page = await openPage(service)
      await service.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'latchkey-events'
       and datname = current_database()
       and query like '%latchkey_changes%'`,
      )
      await until('an event without ids arrives', () => page.events.some(({ more }) => more))
      await page.close()
    },
  )
})
