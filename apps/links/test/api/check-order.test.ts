import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { apiOperations } from '../../src/http/operations.ts'
import { sharedTestLinks, startTestLinks } from '../testing.ts'

/** L3.2: 401 → 429 → 404 → 405 → 403 scope → 404 parameter → body → query → fields → 404 → 403 owner → rules. */
onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  let readOnly: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
    readOnly = await links.key('ann@example.com', 'read')
  })

  const huge = JSON.stringify({ url: 'x'.repeat(70_000) })
  /** A body as it is; `call` would encode it as JSON with the right type. */
  async function send(
    method: string,
    path: string,
    body: string,
    { key = ann, type = 'application/json' } = {},
  ) {
    const before = await links.databaseState()
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type }
    const response = await links.fetch(`/_/api${path}`, { method, headers, body })
    expect(await links.databaseState()).toEqual(before)
    return [response.status, ((await response.json()) as { error: string }).error]
  }

  test('a revoked key is 401, however many requests it had used', async () => {
    const limited = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '2/hour' })
    const key = await limited.key('admin@localhost')
    for (const status of [200, 200, 429])
      expect((await limited.call('GET', '/links', { key })).status).toBe(status)
    const [{ id }] = (await limited.callAdmin('GET', '/keys')).body
    await limited.callAdmin('DELETE', `/keys/${id}`)
    await limited.expectRefusal('GET', '/links', { key }, [401, 'Unauthorized'])
  })

  test('a key over its limit is 429, also for a path that does not exist', async () => {
    const limited = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '1/hour' })
    const key = await limited.key('ann@example.com')
    await limited.call('GET', '/links', { key })
    await limited.expectRefusal('GET', '/nothing', { key }, [429, 'Too many requests'])
    await limited.expectRefusal('PROPFIND', '/links', { key }, [429, 'Too many requests'])
  })

  test('an unknown path is 404, also for a method that no route has', async () => {
    await links.expectRefusal('PROPFIND', '/nothing', { key: ann }, [404, 'Not Found'])
  })

  test('a wrong method is 405, also for a key that may use no method of the path', async () => {
    await links.expectRefusal('DELETE', '/slugs', { key: readOnly }, [405, 'Method Not Allowed'])
  })

  test('L3.2: a missing scope is 403, also for an invalid path parameter', async () => {
    await links.expectRefusal('DELETE', '/links/abc', { key: readOnly }, [403, 'Forbidden'])
    await links.expectRefusal('POST', '/slugs/_x/disable', { key: readOnly }, [403, 'Forbidden'])
  })

  test('an invalid path parameter is 404, also with a body that is too large or not JSON', async () => {
    expect(await send('PUT', '/links/0', huge)).toEqual([404, 'Not Found'])
    expect(await send('PUT', '/links/0', '{', { type: 'text/plain' })).toEqual([404, 'Not Found'])
  })

  test('a body that is too large is 413, also of another content type', async () => {
    expect(await send('POST', '/links', huge, { type: 'text/plain' })).toEqual([
      413,
      'Request body too large',
    ])
  })

  test('another content type is 400 for that reason, also if the body is not JSON', async () => {
    expect(await send('POST', '/links', '{', { type: 'text/plain' })).toEqual([
      400,
      'Content-Type must be application/json',
    ])
  })

  test('no operation has both a body and a query, and those two checks never meet', () => {
    expect(apiOperations.filter((operation) => operation.body && operation.query)).toEqual([])
  })

  test('a body that is not JSON is 400, also for a link that does not exist', async () => {
    expect(await send('PUT', '/links/999999', '{')).toEqual([400, 'Invalid JSON body'])
  })

  test('a bad query is 400, also for a link that does not exist', async () => {
    await links.expectRefusal('DELETE', '/links/999999?force=x', { key: ben }, [
      400,
      'force: must be one of: true, false',
    ])
    await links.expectRefusal('GET', '/links/999999?range=x', { key: ben }, [
      400,
      expect.stringMatching(/^range: /),
    ])
    await links.expectRefusal('GET', '/slugs/none?range=x', { key: ben }, [
      400,
      expect.stringMatching(/^range: /),
    ])
  })

  test('an unknown field is named before any other problem of the body', async () => {
    await links.expectRefusal('PUT', '/links/999999', { key: ben, body: { url: 5, extra: 1 } }, [
      400,
      'Unknown field "extra"',
    ])
  })

  test('a bad field is 400, also for a link that does not exist', async () => {
    await links.expectRefusal('PUT', '/links/999999', { key: ben, body: { url: 'x' } }, [
      400,
      'url must be a valid URL',
    ])
    await links.expectRefusal('POST', '/links/999999/slugs', { key: ben, body: { slug: '_' } }, [
      400,
      'Slug must not start with underscore',
    ])
  })

  test('a missing resource is 404, also for a caller who would not own it', async () => {
    const { id } = await links.createLink(ann)
    await links.expectRefusal('DELETE', `/links/${id}/slugs/none`, { key: ben }, [
      404,
      'Slug not found on this link',
    ])
    await links.expectRefusal('POST', '/slugs/none/primary', { key: ben }, [404, 'Slug not found'])
  })

  test('a missing resource is 404, also if a rule forbids the change', async () => {
    await links.createLink(ann, { slug: 'order-taken' })
    const body = { link_id: 999_999, slug: 'order-taken' }
    await links.expectRefusal('POST', '/slugs', { key: ann, body }, [404, 'Link not found'])
    await links.expectRefusal('POST', '/links/999999/slugs', { key: ann, body: { slug: 'order-taken' } }, [
      404,
      'Link not found',
    ])
  })

  test('a write by a person who is not the owner is 403, also if a rule forbids it to all', async () => {
    const { id, slugs } = await links.createLink(ann, { slug: 'order-rules' })
    await links.fetch('/order-rules')
    await links.call('POST', '/slugs/order-rules/disable', { key: ann })
    const [auto] = slugs
    const owner = 'Only the link owner can'
    const refusals: [string, string, unknown, string][] = [
      ['DELETE', `/links/${id}`, undefined, `${owner} delete this link`],
      ['PUT', `/links/${id}`, { slug: 'order-taken' }, `${owner} update this link`],
      ['PUT', `/links/${id}`, { slug: 'order-rules' }, `${owner} update this link`],
      ['POST', `/links/${id}/slugs/${auto.slug}/disable`, undefined, `${owner} disable slugs on this link`],
      ['DELETE', `/slugs/${auto.slug}`, undefined, `${owner} remove slugs on this link`],
      ['DELETE', '/slugs/order-rules', undefined, `${owner} remove slugs on this link`],
      ['POST', '/slugs/order-rules/primary', undefined, `${owner} change the primary slug`],
    ]
    for (const [method, path, body, sentence] of refusals)
      await links.expectRefusal(method, path, { key: ben, body }, [403, sentence])
  })

  test('an automatic slug is refused as such, also if it has clicks', async () => {
    const { slugs } = await links.createLink(ann)
    await links.fetch(`/${slugs[0].slug}`)
    await links.call('GET', '/links', { key: ann })
    await links.expectRefusal('DELETE', `/slugs/${slugs[0].slug}`, { key: ann }, [
      400,
      expect.stringMatching(/^Cannot remove the system/),
    ])
  })
})
