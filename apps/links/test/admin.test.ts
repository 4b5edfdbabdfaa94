import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { until } from './test-database.ts'
import { type Reply, type TestLinks, sharedTestLinks, startTestLinks } from './testing.ts'

const settings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
}

const defaults = {
  slug_default_length: 4,
  theme: null,
  lang: null,
  time_zone: null,
  default_range: '30d',
  filter_bots: true,
  filter_self_referrers: true,
  list_views: [],
  root_redirect_url: null,
  not_found_url: null,
}

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, settings)
  const as = (who: string) => ({ 'X-Forwarded-Email': `${who}@example.com` })
  const call = (who: string, method: string, path: string, body?: unknown) =>
    links.callAdmin(method, path, { headers: as(who), body })
  const refuses = async (method: string, path: string, body: unknown, expected: [number, string]) => {
    const before = await links.databaseState()
    const reply = await call('ann', method, path, body)
    expect([body, reply.status, reply.body]).toEqual([
      body,
      expected[0],
      { error: expected[1], code: expect.any(String) },
    ])
    expect(await links.databaseState()).toEqual(before)
    return reply
  }
  const newKey = (who: string, title = 'Laptop', scope = 'create,read') =>
    call(who, 'POST', '/keys', { title, scope })

  testOnSqlite(
    'L4.1 L10: a new key is shown once, in full, and works at once as the person who created it',
    async () => {
      const { status, body } = await newKey('ann', '  My laptop  ')
      expect([status, body]).toEqual([
        201,
        {
          key: {
            id: expect.any(Number),
            title: 'My laptop',
            key_prefix: body.raw_key.slice(0, 7),
            scope: 'create,read',
            created_at: links.now,
            last_used_at: null,
          },
          raw_key: expect.stringMatching(/^sk_[0-9a-f]{48}$/),
        },
      ])
      expect((await links.createLink(body.raw_key)).created_by).toBe('ann@example.com')
      expect(JSON.stringify((await call('ann', 'GET', '/keys')).body)).not.toContain(
        body.raw_key.slice(0, 12),
      )
    },
  )

  test('L4.1: a person has at most LINKS_KEYS_PER_PERSON keys, also when two are created at once', async () => {
    const service = await startTestLinks(await newUrl(), { ...settings, LINKS_KEYS_PER_PERSON: '3' })
    const make = async (who: string) =>
      service.callAdmin('POST', '/keys', { headers: as(who), body: { title: 'x', scope: 'read' } })
    const keys = await atOnce(service, () => make('ann'))
    const refused = keys.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(5)
    for (const { status, body } of refused)
      expect([status, body]).toEqual([
        400,
        { error: 'You have reached the limit of API keys; revoke one first', code: 'too_many_keys' },
      ])
    expect(await service.rows('select identity from api_key')).toHaveLength(3)
    expect((await make('ben')).status).toBe(201)
    const first = keys.find(({ status }) => status === 201)?.body.key.id
    await service.callAdmin('DELETE', `/keys/${first}`, { headers: as('ann') })
    expect((await make('ann')).status).toBe(201)
    expect((await make('ann')).status).toBe(400)
  })

  /**
   * Runs eight calls at once. On PostgreSQL, a lock holds their writes until all of them wait for
   * it.
   */
  async function atOnce(service: TestLinks, make: () => Promise<Reply>): Promise<Reply[]> {
    const all = () => Promise.all(Array.from({ length: 8 }, make))
    if (dialect === 'sqlite') return all()
    const calls: Promise<Reply[]>[] = []
    await service.database.write(async (tx) => {
      await sql`lock table api_key in share mode`.execute(tx)
      calls.push(all())
      await until('all of them wait', async () => (await waiting(service)) === 8)
    })
    return (await Promise.all(calls)).flat()
  }

  async function waiting(service: TestLinks): Promise<number> {
    const [row] = await service.rows<{ count: number }>(
      `select count(*) as count from pg_locks where not granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
    return row?.count ?? 0
  }

  testOnSqlite('L4.1: the database contains the hash of a raw key but never the key', async () => {
    const service = await startTestLinks(await newUrl(), settings)
    const { body } = await service.callAdmin('POST', '/keys', {
      headers: as('ann'),
      body: { title: 'x', scope: 'read' },
    })
    await service.call('GET', '/links', { key: body.raw_key })
    const secret = body.raw_key.slice(7)
    const rows = JSON.stringify(await service.databaseState())
    expect([rows.includes(body.key.key_prefix), rows.includes(secret)]).toEqual([true, false])
    if (dialect === 'postgres') return
    const path = service.url.slice('sqlite:'.length)
    for (const file of [path, `${path}-wal`]) expect(readFileSync(file).includes(secret)).toBe(false)
  })

  testOnSqlite('L4.2 L10: a key has exactly one of three scopes, and a title', async () => {
    for (const scope of ['create', 'read', 'create,read'])
      expect((await newKey('ann', 'x', scope)).body.key.scope).toBe(scope)
    const words = 'Scope must be one of: create, read, create,read'
    for (const scope of ['read,create', 'admin', '', 'CREATE', 'create, read', ['read'], null, undefined])
      await refuses('POST', '/keys', { title: 'x', scope }, [400, words])
    for (const title of ['', '   ', null, undefined])
      await refuses('POST', '/keys', { title, scope: 'read' }, [400, 'Title is required'])
    await refuses('POST', '/keys', { title: 'x'.repeat(121), scope: 'read' }, [
      400,
      'title: must be at most 120 characters',
    ])
    await refuses('POST', '/keys', { title: 5, scope: 'read' }, [400, 'title: must be a string'])
    await refuses('POST', '/keys', { title: 'x', scope: 'read', identity: 'ben@example.com' }, [
      400,
      'Unknown field "identity"',
    ])
    expect((await newKey('ann', ` ${'🎈'.repeat(120)} `)).status).toBe(201)
  })

  test('L10 L17: people see and revoke only their own keys, newest first', async () => {
    const first = (await newKey('carl', 'first')).body
    const second = (await newKey('carl', 'second')).body
    links.advance(1)
    const third = (await newKey('carl', 'third')).body
    const foreign = (await newKey('dora')).body
    const listed = (await call('carl', 'GET', '/keys')).body
    expect(listed).toEqual([third.key, second.key, first.key])
    await refuses('DELETE', `/keys/${foreign.key.id}`, undefined, [404, 'Key not found'])
    await refuses('DELETE', '/keys/999999', undefined, [404, 'Key not found'])
    await refuses('DELETE', '/keys/abc', undefined, [404, 'Not Found'])
    expect((await links.call('GET', '/links', { key: foreign.raw_key })).status).toBe(200)
    const gone = await call('carl', 'DELETE', `/keys/${second.key.id}`)
    expect([gone.status, gone.body]).toEqual([200, { ok: true }])
    expect((await links.call('GET', '/links', { key: second.raw_key })).status).toBe(401)
    expect((await links.call('GET', '/links', { key: first.raw_key })).status).toBe(200)
    expect((await call('carl', 'GET', '/keys')).body).toHaveLength(2)
  })

  test('L4.1 L24.14: the last use of a key is stored at most once a minute', async () => {
    const { raw_key: key, key: made } = (await newKey('erik')).body
    const lastUse = async () => (await call('erik', 'GET', '/keys')).body[0].last_used_at
    const use = async () => {
      for (let n = 0; n < 5; n++) await links.call('GET', '/links?limit=1', { key })
    }
    expect(await lastUse()).toBeNull()
    await use()
    const first = links.now
    await eventually(async () => expect(await lastUse()).toBe(first))
    links.advance(59)
    await use()
    expect(await lastUse()).toBe(first)
    links.advance(1)
    await use()
    await eventually(async () => expect(await lastUse()).toBe(first + 60))
    expect((await call('erik', 'GET', '/keys')).body).toHaveLength(1)
    expect(made.last_used_at).toBeNull()
  })

  testOnSqlite(
    'L10: settings start with their defaults, change in part, and are returned as a whole',
    async () => {
      expect((await call('finn', 'GET', '/settings')).body).toEqual(defaults)
      const first = await call('finn', 'PUT', '/settings', { theme: 'dark', slug_default_length: 6 })
      expect([first.status, first.body]).toEqual([
        200,
        { ...defaults, theme: 'dark', slug_default_length: 6 },
      ])
      const second = { lang: 'sv', default_range: '1y', filter_bots: false, filter_self_referrers: false }
      const { body } = await call('finn', 'PUT', '/settings', second)
      expect(body).toEqual({ ...first.body, ...second })
      expect((await call('finn', 'GET', '/settings')).body).toEqual(body)
      expect((await call('finn', 'PUT', '/settings', {})).body).toEqual(body)
    },
  )

  testOnSqlite('L10: null restores the default of a setting', async () => {
    const set = { theme: 'light', lang: 'id', time_zone: 'Asia/Jakarta', default_range: '24h' }
    expect((await call('gina', 'PUT', '/settings', set)).body).toEqual({ ...defaults, ...set })
    const unset = { theme: null, lang: null, time_zone: null, default_range: null }
    const { body } = await call('gina', 'PUT', '/settings', unset)
    expect(body).toEqual(defaults)
  })

  testOnSqlite(
    'L10: settings belong to a person, except for the root redirect, which all people share',
    async () => {
      const url = 'https://example.com/root'
      await call('hans', 'PUT', '/settings', { theme: 'dark', root_redirect_url: url })
      expect((await call('ida', 'GET', '/settings')).body).toEqual({ ...defaults, root_redirect_url: url })
      await call('ida', 'PUT', '/settings', { root_redirect_url: null })
      expect((await call('hans', 'GET', '/settings')).body).toEqual({ ...defaults, theme: 'dark' })
    },
  )

  testOnSqlite('L10 L24.12: one bad value in a settings body leaves every setting unchanged', async () => {
    const bad: [string, unknown, string][] = [
      ['slug_default_length', 2, 'slug_default_length: must be at least 3'],
      ['slug_default_length', 129, 'slug_default_length: must be at most 128'],
      ['slug_default_length', 4.5, 'slug_default_length: must be an integer'],
      ['slug_default_length', '4', 'slug_default_length: must be a number'],
      ['slug_default_length', null, 'slug_default_length: must be a number'],
      ['theme', 'blue', 'theme: must be one of: light, dark'],
      ['theme', '', 'theme: must be one of: light, dark'],
      ['lang', 'de', 'lang: must be one of: en, sv, id'],
      ['lang', 'EN', 'lang: must be one of: en, sv, id'],
      ['time_zone', 'Europe/Atlantis', 'time_zone: must be the name of an IANA time zone'],
      ['time_zone', '', 'time_zone: must be the name of an IANA time zone'],
      ['time_zone', '+02:00', 'time_zone: must be the name of an IANA time zone'],
      ['time_zone', 'Europe/Stockholm\0', 'time_zone: must be the name of an IANA time zone'],
      ['time_zone', 2, 'time_zone: must be a string'],
      ['default_range', '5d', 'default_range: must be one of: 24h, 7d, 30d, 90d, 1y, all'],
      ['filter_bots', 'true', 'filter_bots must be a boolean'],
      ['filter_bots', 1, 'filter_bots must be a boolean'],
      ['filter_bots', null, 'filter_bots must be a boolean'],
      ['filter_self_referrers', 0, 'filter_self_referrers must be a boolean'],
      ['colour', 'red', 'Unknown field "colour"'],
      ['__proto__', 'x', 'Unknown field "__proto__"'],
    ]
    const good = { filter_bots: false, root_redirect_url: 'https://example.com/bad' }
    for (const [name, value, error] of bad) {
      const body = JSON.parse(
        `{${JSON.stringify(good).slice(1, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`,
      )
      await refuses('PUT', '/settings', body, [400, error])
    }
  })

  testOnSqlite(
    'L10: a time zone is stored in the spelling of the IANA database, and keeps the name that was chosen',
    async () => {
      for (const [name, stored] of [
        ['europe/stockholm', 'Europe/Stockholm'],
        ['utc', 'UTC'],
        ['Asia/Calcutta', 'Asia/Calcutta'],
      ] as const) {
        await call('olle', 'PUT', '/settings', { time_zone: name })
        expect((await call('olle', 'GET', '/settings')).body).toEqual({ ...defaults, time_zone: stored })
      }
    },
  )

  testOnSqlite(
    'L10 L24.18: the root redirect is an absolute http or https URL and nothing else',
    async () => {
      const error = 'root_redirect_url must be a valid http or https URL'
      const bad = [
        'javascript:alert(1)',
        'JAVASCRIPT:alert(1)',
        'data:text/html,x',
        '//evil.example',
        '/path',
        'example.com',
        'ftp://example.com',
        'http://',
        'https://example.com/a\r\nSet-Cookie: x=1',
        'https://exa\tmple.com',
      ]
      for (const url of bad)
        await refuses('PUT', '/settings', { theme: 'dark', root_redirect_url: url }, [400, error])
      await refuses('PUT', '/settings', { root_redirect_url: 5 }, [
        400,
        'root_redirect_url: must be a string',
      ])
      await refuses('PUT', '/settings', { root_redirect_url: `https://example.com/${'x'.repeat(2048)}` }, [
        400,
        'root_redirect_url: must be at most 2048 characters',
      ])
      const { body } = await call('ann', 'PUT', '/settings', { root_redirect_url: ' https://example.com/x ' })
      expect(body.root_redirect_url).toBe('https://example.com/x')
      await call('ann', 'PUT', '/settings', { root_redirect_url: ' ' })
    },
  )

  testOnSqlite('L17: the admin API checks paths, methods and bodies like the public API', async () => {
    await refuses('GET', '/nothing', undefined, [404, 'Not Found'])
    await refuses('GET', '/keys/', undefined, [404, 'Not Found'])
    const wrong = await refuses('DELETE', '/settings', undefined, [405, 'Method Not Allowed'])
    expect(wrong.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'PUT'])
    await refuses('PUT', '/settings', [], [400, 'request: must be a JSON object'])
    const raw = async (body: string, type = 'application/json') => {
      const headers = { ...as('ann'), 'Content-Type': type }
      const response = await links.fetch('/_/admin/api/keys', { method: 'POST', headers, body })
      return [response.status, ((await response.json()) as { error: string }).error]
    }
    expect(await raw('{')).toEqual([400, 'Invalid JSON body'])
    expect(await raw('{}', 'text/plain')).toEqual([400, 'Content-Type must be application/json'])
    expect(await raw(' '.repeat(65_537))).toEqual([413, 'Request body too large'])
  })

  testOnSqlite('the admin API has no rate limit, requires no key and ignores one', async () => {
    const service = await startTestLinks(await newUrl(), { ...settings, LINKS_RATE_LIMIT: '1/hour' })
    for (let n = 0; n < 5; n++) {
      const { status, headers } = await service.callAdmin('GET', '/settings', { headers: as('ann') })
      expect([status, headers.has('ratelimit-limit')]).toEqual([200, false])
    }
    const key = await service.key('ann@example.com')
    const reply = await service.callAdmin('GET', '/settings', { key, headers: as('ann') })
    expect([reply.status, reply.body]).toEqual([
      401,
      { error: 'API keys are not accepted here', code: 'api_keys_refused' },
    ])
  })

  test('two settings pages that save at once keep each other’s changes', async () => {
    await Promise.all([
      ...Array.from({ length: 10 }, () => call('jon', 'PUT', '/settings', { theme: 'dark' })),
      ...Array.from({ length: 10 }, () => call('jon', 'PUT', '/settings', { lang: 'sv' })),
    ])
    expect((await call('jon', 'GET', '/settings')).body).toEqual({ ...defaults, theme: 'dark', lang: 'sv' })
  })
})

/** Retries for at most ten seconds, for work that runs beside a request. */
async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;)
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
}
