import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { apiOperations } from '../../src/http/operations.ts'
import { sharedTestLinks, startTestLinks } from '../testing.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']

/** A path of the table with a possible value for each parameter. */
function example(path: string): string {
  return path.replaceAll('{slug}', 'some-slug').replaceAll(/\{\w+\}/g, '1')
}

const paths = [...Map.groupBy(apiOperations, (operation) => operation.path)].map(([path, operations]) => ({
  path: example(path),
  methods: operations.flatMap((operation) => operation.methods) as string[],
}))

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })

  testOnSqlite('L3.1: every path without a key is 401, whether it exists or not', async () => {
    for (const path of [...paths.map((each) => each.path), '', '/', '/nothing', '/links/'])
      for (const method of METHODS) {
        const { headers } = await links.expectRefusal(method, path, {}, [401, 'Unauthorized'])
        expect(headers.get('www-authenticate')).toBe('Bearer')
        expect(headers.get('cache-control')).toBe('private, no-store')
      }
  })

  testOnSqlite('L3.1: only the exact prefix `Bearer ` and the complete key are recognised', async () => {
    expect((await links.call('GET', '/links', { headers: { Authorization: `Bearer ${ann}` } })).status).toBe(
      200,
    )
    const presented = [
      `bearer ${ann}`,
      `BEARER ${ann}`,
      `Bearer  ${ann}`,
      `Bearer\t${ann}`,
      `Bearer${ann}`,
      `Bearer ${ann} x`,
      `Bearer ${ann},${ann}`,
      `Bearer "${ann}"`,
      `Token ${ann}`,
      `Basic ${btoa(`${ann}:`)}`,
      ann,
      'Bearer',
      'Bearer sk_',
      `Bearer ${ann.slice(0, -1)}`,
      `Bearer ${ann}0`,
      `Bearer ${ann.toUpperCase()}`,
      `Bearer sk_${'0'.repeat(48)}`,
      `Bearer sk_${"' or 1=1 --".padEnd(48, '0')}`,
    ]
    for (const authorization of presented)
      await links.expectRefusal('GET', '/links', { headers: { Authorization: authorization } }, [
        401,
        'Unauthorized',
      ])
  })

  testOnSqlite('a key outside the Authorization header is ignored', async () => {
    const elsewhere = { Cookie: `key=${ann}; Authorization=Bearer ${ann}`, 'X-Api-Key': ann }
    for (const path of [`/links?key=${ann}`, `/links?access_token=${ann}`])
      await links.expectRefusal('GET', path, { headers: elsewhere }, [401, 'Unauthorized'])
  })

  testOnSqlite('L4.1: a revoked key fails on its next request', async () => {
    const key = await links.key('admin@localhost')
    expect((await links.call('GET', '/links', { key })).status).toBe(200)
    const [{ id }] = (await links.callAdmin('GET', '/keys')).body
    expect((await links.callAdmin('DELETE', `/keys/${id}`)).body).toEqual({ ok: true })
    await links.expectRefusal('GET', '/links', { key }, [401, 'Unauthorized'])
  })

  testOnSqlite('L3.3: an unknown path is 404 for every method', async () => {
    const unknown = [
      '',
      '/',
      '/nothing',
      '/links/1/nothing',
      '/links/1/slugs/a/b/c',
      '/v1/links',
      '/Links',
      '/links//',
      '//links',
    ]
    for (const path of unknown)
      for (const method of METHODS) await links.expectRefusal(method, path, { key: ann }, [404, 'Not Found'])
  })

  testOnSqlite('L3.5: a trailing slash matches nothing', async () => {
    for (const { path, methods } of paths)
      for (const method of methods)
        await links.expectRefusal(method, `${path}/`, { key: ann }, [404, 'Not Found'])
  })

  testOnSqlite(
    'L24.19: an existing path answers another method with 405 and the methods it has',
    async () => {
      for (const { path, methods } of paths)
        for (const method of METHODS.filter((each) => !methods.includes(each))) {
          const { headers } = await links.expectRefusal(method, path, { key: ann }, [
            405,
            'Method Not Allowed',
          ])
          const allowed = headers.get('allow')?.split(', ')
          expect(new Set(allowed)).toEqual(
            new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])]),
          )
        }
    },
  )

  testOnSqlite('the document and its page have a list of methods as well', async () => {
    for (const path of ['/openapi.json', '/docs'])
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const { headers } = await links.expectRefusal(method, path, { key: ann }, [405, 'Method Not Allowed'])
        expect(headers.get('allow')).toBe('GET, HEAD')
      }
  })

  testOnSqlite('L3.3: an id that is not a positive whole number matches no path', async () => {
    for (const id of [
      '0',
      '-1',
      'abc',
      '1.5',
      '1e3',
      '+1',
      '0x1',
      '%20',
      '%00',
      '1%2F2',
      '１',
      'NaN',
      '9'.repeat(40),
    ]) {
      await links.expectRefusal('GET', `/links/${id}`, { key: ann }, [404, 'Not Found'])
      await links.expectRefusal('DELETE', `/links/${id}?force=true`, { key: ann }, [404, 'Not Found'])
      await links.expectRefusal('POST', `/links/${id}/slugs`, { key: ann, body: { slug: 'x' } }, [
        404,
        'Not Found',
      ])
    }
    await links.expectRefusal('GET', '/links/999999999999999', { key: ann }, [404, 'Link not found'])
  })

  testOnSqlite('L4.2: a key requires the scope of the route, and create does not imply read', async () => {
    const readOnly = await links.key('ann@example.com', 'read')
    const createOnly = await links.key('ann@example.com', 'create')
    for (const operation of apiOperations)
      for (const method of operation.methods) {
        // Webhooks read events for the key that writes them.
        const write = operation.path.startsWith('/webhooks') ? 'create,read' : 'create'
        expect([operation.id, operation.scope]).toEqual([operation.id, method === 'GET' ? 'read' : write])
        const key = operation.scope === 'read' ? createOnly : readOnly
        await links.expectRefusal(method, example(operation.path), { key }, [403, 'Forbidden'])
      }
  })

  testOnSqlite('L3.5: HEAD is answered like GET, without a body', async () => {
    const { id } = await links.createLink(ann, { slug: 'head' })
    const { body: bundle } = await links.call('POST', '/bundles', { key: ann, body: { name: 'Head' } })
    for (const operation of apiOperations.filter((each) => each.methods.includes('GET'))) {
      const { id: own } = operation.path.startsWith('/bundles') ? bundle : { id }
      const path = operation.path.replace('{id}', String(own)).replace('{slug}', 'head')
      const [get, head] = [
        await links.call('GET', path, { key: ann }),
        await links.call('HEAD', path, { key: ann }),
      ]
      expect([path, head.status, head.body]).toEqual([path, get.status, ''])
      for (const name of ['content-type', 'cache-control', 'x-total-count', 'vary'])
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)])
    }
    expect((await links.call('HEAD', '/links/999999', { key: ann })).status).toBe(404)
    expect((await links.call('HEAD', '/links')).status).toBe(401)
    expect((await links.call('HEAD', '/slugs', { key: ann })).status).toBe(405)
  })

  testOnSqlite('L3.6: every answer has a unique request id and is not cacheable', async () => {
    const { id } = await links.createLink(ann)
    const seen = new Set<string | null>()
    const requestPaths = [
      '/links',
      `/links/${id}`,
      '/links/999999',
      '/nothing',
      '/links?limit=0',
      '/openapi.json',
      '/docs',
    ]
    for (const path of [...requestPaths, ...requestPaths]) {
      const { headers } = await links.call('GET', path, { key: ann, headers: { 'X-Request-Id': 'mine' } })
      seen.add(headers.get('x-request-id'))
      if (!/openapi|docs/.test(path)) expect(headers.get('cache-control')).toBe('private, no-store')
    }
    expect(seen.size).toBe(2 * requestPaths.length)
    expect(seen.has('mine')).toBe(false)
  })

  testOnSqlite('L3.5: no answer has CORS headers, preflight or not', async () => {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }
    for (const [method, key] of [
      ['OPTIONS', undefined],
      ['OPTIONS', ann],
      ['GET', ann],
      ['POST', ann],
    ] as const) {
      const reply = await links.call(method, '/links', { ...(key && { key }), headers })
      expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  testOnSqlite('L3.4: a route without a body ignores any body', async () => {
    const { id } = await links.createLink(ann)
    for (const body of ['{"url":', '\0', 'x'.repeat(70_000)]) {
      const init = {
        method: 'POST',
        headers: { Authorization: `Bearer ${ann}`, 'Content-Type': 'text/plain' },
        body,
      }
      expect((await links.fetch(`/_/api/links/${id}/enable`, init)).status).toBe(200)
    }
  })

  testOnSqlite('no log line and no answer ever contains a key', async () => {
    await links.call('GET', '/links', { key: ann })
    await links.call('GET', '/links', { key: `sk_${'f'.repeat(48)}` })
    expect(JSON.stringify(links.log)).not.toContain(ann)
    expect(JSON.stringify(links.log)).not.toContain('f'.repeat(48))
  })

  test('L3.3: an internal fault is 500 without details and is logged with the id of the request', async () => {
    const broken = await startTestLinks(await newUrl())
    const key = await broken.key('ann@example.com')
    // The next request fails inside on its only read of this table.
    await broken.database.write((tx) => tx.schema.dropTable('preference').execute())
    const { status, headers, body } = await broken.call('POST', '/links', {
      key,
      body: { url: 'https://e.com' },
    })
    expect([status, body]).toEqual([500, { error: 'Internal Server Error' }])
    expect(await broken.rows('select id from link')).toEqual([])
    const logged = broken.log.find(
      (line) => line['requestId'] === headers.get('x-request-id') && line['error'],
    )
    expect(logged).toMatchObject({ level: 'error' })
    expect(JSON.stringify(logged)).toContain(dialect === 'sqlite' ? 'no such table' : 'does not exist')
  })
})
