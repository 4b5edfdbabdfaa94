import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { type Selectable, sql } from 'kysely'
import { Client } from 'pg'
import type { Tables } from '../src/db/tables.ts'
import { until } from './test-database.ts'
import { currentMessage, post } from './mcp/assistants.ts'
import { TestLinks, sharedTestLinks, startTestLinks } from './testing.ts'

type StoredClick = Selectable<Tables['click']>

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const DAY = 86_400
const AS_OF = 'Latchkey-Clicks-As-Of'

/** The headers of an edge about a visitor. */
function edge(code: string, address = '203.0.113.5'): Record<string, string> {
  return { 'CF-IPCountry': code, 'X-Forwarded-For': address }
}

const behindProxy = {
  PROXY_HEADER: 'X-Forwarded-For',
  TRUSTED_PROXIES: '10.0.0.0/8',
  LINKS_COUNTRY_HEADER: 'CF-IPCountry',
}

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, behindProxy)
  let ann: string
  let linkId: number
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    linkId = (await links.createLink(ann, { slug: 'clicked' })).id
  })

  /** Follows the link and returns the row stored for this click. */
  async function click(
    headers: Record<string, string> = {},
    query = '',
    peer = '203.0.113.5',
  ): Promise<StoredClick> {
    const before = await storedClicks()
    expect((await links.fetch(`/Clicked${query}`, { headers }, peer)).status).toBe(302)
    await links.call('GET', `/links/${linkId}`, { key: ann })
    const after = await storedClicks()
    expect(after).toHaveLength(before.length + 1)
    return after.at(-1) as StoredClick
  }
  const storedClicks = () =>
    links.rows<StoredClick>(`select * from click where link_id = ${linkId} order by id`)

  const country = async (headers: Record<string, string>, peer?: string) =>
    (await click(headers, '', peer)).country
  const visitorVia = async (forwarded: string | undefined, peer: string) => {
    const headers = {
      'User-Agent': FIREFOX,
      ...(forwarded !== undefined && { 'X-Forwarded-For': forwarded }),
    }
    return (await click(headers, '', peer)).visitor_fp
  }

  test('L13.1: a click is stored with every field of the contract, and no other', async () => {
    const {
      id,
      visitor_fp: visitor,
      ...stored
    } = await click(
      { 'User-Agent': FIREFOX, Referer: 'https://www.News.example/Story?id=1', Host: 'go.example.com' },
      '?utm_source=News&utm_medium=Banner&utm_campaign=Spring%20Sale&utm_term=Shoes&utm_content=Top&other=1',
    )
    expect(stored).toEqual({
      link_id: linkId,
      slug: 'clicked',
      clicked_at: links.now,
      referrer: 'https://www.News.example/Story?id=1',
      referrer_host: 'news.example',
      country: null,
      device_type: 'desktop',
      os: 'linux',
      browser: 'Firefox',
      link_mode: 'link',
      channel: 'campaign',
      utm_source: 'news',
      utm_medium: 'banner',
      utm_campaign: 'spring sale',
      utm_term: 'shoes',
      utm_content: 'top',
      user_agent: FIREFOX,
      is_bot: 0,
      is_self_referrer: 0,
      variant: null,
      legacy_path: null,
    })
    expect(id).toBeGreaterThan(0)
    expect(visitor).toMatch(/^[\w-]{43}$/)
  })

  testOnSqlite('a click without any header is stored too, as that of a bot without a device', async () => {
    expect(await click()).toMatchObject({
      referrer: null,
      referrer_host: null,
      device_type: null,
      os: null,
      browser: null,
      channel: 'direct',
      user_agent: null,
      is_bot: 1,
    })
  })

  testOnSqlite('L13.1: bots are marked, not dropped, and count in public numbers', async () => {
    const { body: before } = await links.call('GET', `/links/${linkId}`, { key: ann })
    for (const agent of ['Googlebot/2.1 (+http://www.google.com/bot.html)', 'curl/8.5.0', 'WhatsApp/2.23 A'])
      expect(await click({ 'User-Agent': agent })).toMatchObject({ user_agent: agent, is_bot: 1 })
    const { body: after } = await links.call('GET', `/links/${linkId}`, { key: ann })
    expect(after.total_clicks).toBe(before.total_clicks + 3)
  })

  test('texts are cut to their limits in whole characters, and blank ones are absent', async () => {
    const long = await click(
      { 'User-Agent': `Mozilla/5.0 ${'x'.repeat(2000)}`, Referer: `https://example.org/${'r'.repeat(3000)}` },
      `?utm_source=${'S'.repeat(300)}&utm_medium=${encodeURIComponent('🎈'.repeat(300))}&utm_campaign=%20`,
    )
    expect([long.user_agent?.length, long.referrer?.length]).toEqual([1000, 2048])
    expect([long.utm_source, long.utm_medium, long.utm_campaign]).toEqual([
      's'.repeat(200),
      '🎈'.repeat(200),
      null,
    ])
  })

  testOnSqlite('a QR click has the utm_medium qr in any case', async () => {
    for (const medium of ['qr', 'QR', 'Qr'])
      expect(await click({}, `?utm_medium=${medium}`)).toMatchObject({
        link_mode: 'qr',
        channel: 'qr',
        utm_medium: 'qr',
      })
    expect(await click({}, '?utm_medium=qrx')).toMatchObject({ link_mode: 'link' })
  })

  testOnSqlite('L13.4 L24.10: marks in the query determine the channel, then the referrer', async () => {
    const cases: [string, string | undefined, string][] = [
      ['?utm_medium=Email', 'https://www.google.com/', 'email'],
      ['?utm_medium=social', undefined, 'social'],
      ['?utm_source=x', 'https://t.co/', 'campaign'],
      ['', 'https://mail.google.com/', 'email'],
      ['', 'https://www.google.co.uk/search', 'search'],
      ['', 'https://l.facebook.com/l.php', 'social'],
      ['', 'android-app://com.linkedin.android/', 'social'],
      ['', 'https://blog.example.org/post', 'referral'],
      ['', 'not a url', 'direct'],
      ['', undefined, 'direct'],
    ]
    for (const [query, referrer, channel] of cases) {
      const stored = await click(referrer === undefined ? {} : { Referer: referrer }, query)
      expect([query, referrer, stored.channel]).toEqual([query, referrer, channel])
    }
  })

  testOnSqlite(
    'L13.3a: a click from a page of this instance is marked, except from admin pages',
    async () => {
      const cases: [string, number][] = [
        ['https://go.example.com/', 1],
        ['https://www.go.example.com/other-slug', 1],
        ['https://go.example.com/?q=1', 0],
        ['https://go.example.com/_/admin/links', 0],
        ['https://example.com/', 0],
      ]
      for (const [referrer, flag] of cases) {
        const stored = await click({ Host: 'go.example.com', Referer: referrer })
        expect([referrer, stored.is_self_referrer]).toEqual([referrer, flag])
      }
    },
  )

  testOnSqlite(
    'behind a proxy that requests another host, the own host is the one that the visitor requested',
    async () => {
      const requestHeaders = { Host: 'links.internal:8080', Referer: 'https://go.example.com/other-slug' }
      const flagOf = async (headers: Record<string, string>, peer: string) =>
        (await click({ ...requestHeaders, ...headers }, '', peer)).is_self_referrer
      expect(await flagOf({ 'X-Forwarded-Host': 'go.example.com' }, '10.0.0.1')).toBe(1)
      expect(await flagOf({ 'X-Forwarded-Host': 'example.com' }, '10.0.0.1')).toBe(0)
      expect(await flagOf({}, '10.0.0.1')).toBe(0)
      expect(await flagOf({ 'X-Forwarded-Host': 'go.example.com' }, '203.0.113.5')).toBe(0)
    },
  )

  testOnSqlite('with a base URL, both its host and the requested host are own hosts', async () => {
    const other = await startTestLinks(await newUrl(), { LINKS_BASE_URL: 'https://www.Go.example.com' })
    await other.createLink(await other.key('ann@example.com'), { slug: 'x' })
    const cases: [string, number][] = [
      ['https://go.example.com/other-slug', 1],
      ['https://GO.Example.com/other-slug', 1],
      ['http://links.internal/other-slug', 1],
      ['https://blog.example.org/go.example.com', 0],
      ['https://not-go.example.com/', 0],
    ]
    for (const [referrer] of cases)
      await other.fetch('/x', { headers: { Host: 'links.internal:8080', Referer: referrer } })
    await other.databaseState()
    const clicks = await other.rows<StoredClick>('select * from click order by id')
    expect(clicks.map((stored) => [stored.referrer, stored.is_self_referrer])).toEqual(cases)
  })

  testOnSqlite(
    'L24.10: the country comes from the edge header of a trusted proxy, or else from the address',
    async () => {
      expect(await country(edge('SE'), '10.0.0.1')).toBe('SE')
      expect(await country(edge('se'), '10.0.0.1')).toBe('SE')
      for (const none of ['XX', 'T1', '', 'EU', 'Sweden', '12']) {
        expect([none, await country(edge(none), '10.0.0.1')]).toEqual([none, null])
        expect([none, await country(edge(none, '8.8.8.8'), '10.0.0.1')]).toEqual([none, 'US'])
      }
      expect(await country({}, '8.8.8.8')).toBe('US')
      expect(await country(edge('SE'), '8.8.8.8')).toBe('US')
      expect(await country(edge('SE', '10.0.0.1'), '203.0.113.5')).toBeNull()
    },
  )

  testOnSqlite('only a trusted proxy may name the address of the visitor', async () => {
    const direct = await visitorVia(undefined, '198.51.100.7')
    expect(await visitorVia('198.51.100.7', '10.0.0.1')).toBe(direct)
    expect(await visitorVia('1.2.3.4, 198.51.100.7', '10.0.0.1')).toBe(direct)
    expect(await visitorVia('198.51.100.7, 10.9.9.9', '10.0.0.1')).toBe(direct)
    expect(await visitorVia('203.0.113.77', '198.51.100.7')).toBe(direct)
    expect(await visitorVia('203.0.113.77', '10.0.0.1')).not.toBe(direct)
    expect(await visitorVia('198.51.100.7', '203.0.113.77')).not.toBe(direct)
  })

  test('a visitor has one hash within a UTC day, another on the next, and another with another client or address', async () => {
    const visitor = async (agent = FIREFOX, peer = '198.51.100.7') =>
      (await click({ 'User-Agent': agent }, '', peer)).visitor_fp
    links.advance(DAY - (links.now % DAY))
    const first = await visitor()
    links.advance(DAY - 1)
    expect(await visitor()).toBe(first)
    const others = [await visitor('Other/1.0'), await visitor(FIREFOX, '198.51.100.8')]
    links.advance(1)
    others.push(await visitor())
    expect(new Set([first, ...others]).size).toBe(4)
    for (const other of others) expect(other).toMatch(/^[\w-]{43}$/)
  })

  testOnSqlite('a visitor without any property has no hash', async () => {
    expect((await click({}, '', '')).visitor_fp).toBeNull()
    expect((await click({ 'User-Agent': FIREFOX }, '', '')).visitor_fp).not.toBeNull()
  })

  test('two instances hash a visitor differently', async () => {
    const names = []
    for (let n = 0; n < 2; n++) {
      const other = await startTestLinks(await newUrl())
      await other.createLink(await other.key('ann@example.com'), { slug: 'x' })
      await other.fetch('/x', { headers: { 'User-Agent': FIREFOX } }, '198.51.100.7')
      await other.databaseState()
      const [row] = await other.rows<{ visitor_fp: string }>('select visitor_fp from click')
      names.push(row?.visitor_fp)
    }
    expect(new Set(names).size).toBe(2)
  })

  testOnSqlite('unknown slugs, HEAD and prefetch are not stored', async () => {
    const before = await links.databaseState()
    await links.createLink(ann, { slug: 'off', url: 'https://example.com/off' })
    await links.call('POST', '/slugs/off/disable', { key: ann })
    const started = await links.databaseState()
    for (const path of ['/off', '/none', '/clicked/x', '/_clicked']) await links.fetch(path)
    await links.fetch('/clicked', { method: 'HEAD' })
    await links.fetch('/clicked', { headers: { 'Sec-Purpose': 'prefetch' } })
    expect(await links.databaseState()).toEqual(started)
    expect(started['click']).toEqual(before['click'])
  })

  test('L13.1a: a number read after a redirect includes it, also for a thousand in a row', async () => {
    const { id } = await links.createLink(ann, { slug: 'counted' })
    for (let round = 1; round <= 4; round++) {
      await Promise.all(Array.from({ length: 250 }, () => links.fetch('/counted')))
      expect((await links.call('GET', `/links/${id}`, { key: ann })).body.total_clicks).toBe(round * 250)
    }
    expect(await links.rows(`select sum(clicks) as clicks from click_hour where link_id = ${id}`)).toEqual([
      { clicks: 1000 },
    ])
    expect(await links.rows(`select count(*) as clicks from click where link_id = ${id}`)).toEqual([
      { clicks: 1000 },
    ])
  })

  /** Prevents every later click from being stored, and nothing else. */
  const refusal = {
    sqlite: [
      `create trigger refused before insert on click begin select raise(abort, 'refused'); end`,
      'drop trigger refused',
    ],
    postgres: [
      'alter table click add constraint refused check (false) not valid',
      'alter table click drop constraint refused',
    ],
  } as const
  const run = (service: TestLinks, statement: string) =>
    service.database.write((tx) => sql.raw(statement).execute(tx))

  test('L6.8b: nothing is removed without force while clicks cannot be counted, and numbers are still readable', async () => {
    const service = await startTestLinks(await newUrl())
    const key = await service.key('ann@example.com')
    const { id } = await service.createLink(key, { slug: 'waiting' })
    const [refuse, accept] = refusal[dialect]
    await run(service, refuse)
    expect((await service.fetch('/waiting')).status).toBe(302)
    const removals = [`/links/${id}`, '/slugs/waiting', `/links/${id}/slugs/waiting`]
    for (const path of removals) {
      const { status, headers } = await service.call('DELETE', path, { key })
      expect([path, status, headers.get('retry-after')]).toEqual([path, 503, '5'])
    }
    expect((await service.call('GET', `/links/${id}`, { key })).body.total_clicks).toBe(0)
    await run(service, accept)
    const countClicks = async () => (await service.call('GET', `/links/${id}`, { key })).body.total_clicks
    await until('clicks are counted again', async () => (await countClicks()) === 1)
    for (const path of removals) {
      const { status, body } = await service.call('DELETE', path, { key })
      expect([status, body.error]).toEqual([400, expect.stringContaining('with clicks, disable it instead')])
    }
    await run(service, refuse)
    await service.fetch('/waiting')
    expect((await service.call('DELETE', `/links/${id}?force=true`, { key })).status).toBe(200)
    await run(service, accept)
  })

  // SQLite has one writer, whose wait is limited.
  if (dialect === 'postgres')
    test('L13.1b: while counting hangs, numbers state their time, changes apply, and the node is ready', async () => {
      const service = new TestLinks()
      await service.start(await newUrl(), {}, { flushTimeoutMs: 100 })
      afterAll(() => service.close())
      const key = await service.key('ann@example.com')
      const { id } = await service.createLink(key, { slug: 'locked' })
      const other = await service.createLink(key)
      expect((await service.fetch('/locked')).status).toBe(302)
      const readLinkStats = () => service.call('GET', `/links/${id}?range=24h`, { key })
      await until('the first click is counted', async () => (await readLinkStats()).body.total_clicks === 1)
      const lock = new Client({ connectionString: service.url })
      await lock.connect()
      await lock.query('begin; select 1 from click_hour_open for update')
      service.advance(60)
      const asOf = new Date(service.now * 1000).toUTCString()
      for (let visit = 0; visit < 2; visit++) expect((await service.fetch('/locked')).status).toBe(302)
      service.advance(5)

      for (const [method, path, body] of [
        ['GET', `/links/${id}`],
        ['GET', '/links'],
        ['GET', `/links/${id}/analytics`],
        ['GET', '/bundles'],
        ['PUT', `/links/${id}`, { label: 'changed' }],
        ['POST', '/slugs/locked/disable'],
      ] as const) {
        const { status, headers } = await service.call(method, path, { key, body })
        expect([path, status, headers.get(AS_OF)]).toEqual([path, 200, asOf])
      }
      expect((await service.callAdmin('GET', '/dashboard')).headers.get(AS_OF)).toBe(asOf)
      const call = { name: 'get_link', arguments: { link_id: id } }
      const assistant = await post(service, currentMessage('tools/call', call), {
        'Mcp-Method': 'tools/call',
        'Mcp-Name': call.name,
      })
      expect([assistant.status, assistant.headers.get(AS_OF)]).toEqual([200, asOf])
      expect((await readLinkStats()).body).toMatchObject({ total_clicks: 1, label: 'changed' })
      expect((await service.fetch('/_/ready')).status).toBe(200)
      expect((await service.call('DELETE', `/links/${other.id}`, { key })).status).toBe(200)
      expect((await service.call('DELETE', `/links/${id}`, { key })).status).toBe(503)

      await lock.end()
      await until('all is counted', async () => (await readLinkStats()).headers.get(AS_OF) === null)
      expect((await readLinkStats()).body.total_clicks).toBe(3)
    })

  test('L13.1c: no address is on disk, in the log or in an answer, before or after counting', async () => {
    const service = await startTestLinks(await newUrl(), behindProxy)
    const key = await service.key('ann@example.com')
    await service.createLink(key, { slug: 'private' })
    const addresses = ['198.51.100.177', '2001:db8:dead:beef::77', '::ffff:198.51.100.178']
    for (const address of addresses) {
      await service.fetch('/private', { headers: { 'User-Agent': FIREFOX } }, address)
      await service.fetch('/private', { headers: { 'X-Forwarded-For': address } }, '10.0.0.1')
      await service.call('GET', '/links', { headers: { 'X-Forwarded-For': address } })
    }
    const traces = ['198.51.100.17', '2001:db8:dead', 'dead:beef', '10.0.0.1']
    await expectNoTrace(service, traces)
    expect((await service.call('GET', '/links', { key })).body[0].total_clicks).toBe(6)
    await expectNoTrace(service, traces)
    expect(JSON.stringify(service.log)).not.toMatch(/198\.51|2001:db8|10\.0\.0\.1/)
  })

  async function expectNoTrace(service: TestLinks, traces: readonly string[]): Promise<void> {
    const haystacks = bytesOf(service)
    if (dialect === 'postgres') haystacks.push(Buffer.from(JSON.stringify(await service.databaseState())))
    // Proves that the search finds text that exists.
    expect(haystacks.some((haystack) => haystack.includes('Firefox/130.0'))).toBe(true)
    for (const trace of traces)
      for (const haystack of haystacks)
        for (const encoded of [
          trace,
          Buffer.from(trace).toString('hex'),
          Buffer.from(trace).toString('base64').slice(0, -4),
        ])
          expect([trace, haystack.includes(encoded)]).toEqual([trace, false])
  }
})

/**
 * Every file of the node: the journal, the database on SQLite, and the write-ahead logs of both.
 */
function bytesOf({ folder, url }: TestLinks): Buffer[] {
  const files = readdirSync(folder).map((name) => join(folder, name))
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined
  if (path !== undefined)
    for (const name of readdirSync(dirname(path)))
      if (name.startsWith(basename(path))) files.push(join(dirname(path), name))
  return files.filter((file) => existsSync(file)).map((file) => readFileSync(file))
}
