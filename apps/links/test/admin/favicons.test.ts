import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { until } from '../test-database.ts'
import { sharedTestLinks } from '../testing.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const DAY = 86_400

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl, { LINKS_FAVICON_FETCH: 'on' })
  const off = sharedTestLinks(newUrl)

  /** A link to a host that is not resolved: its address is private, so no fetch succeeds. */
  const createLink = async (host: string, service = links) =>
    (await service.callAdmin('POST', '/links', { body: { url: `http://${host}/page` } })).body.id as number
  const store = (host: string, fetchedAt: number, service = links) =>
    service.database.write((tx) =>
      tx
        .insertInto('favicon')
        .values({ host, type: 'image/png', bytes: PNG, fetched_at: fetchedAt })
        .execute(),
    )
  const fetchedAt = async (host: string) =>
    (await links.rows<{ fetched_at: number }>(`select fetched_at from favicon where host = '${host}'`))[0]
      ?.fetched_at
  const favicon = (id: number | string, service = links) =>
    service.fetch(`/_/admin/api/links/${id}/favicon?host=any`)

  test('L39.3: a stored icon is served with its type, can run nothing, and may be kept for a week', async () => {
    const id = await createLink('127.0.0.5')
    await store('127.0.0.5', links.now)
    const response = await favicon(id)
    expect([response.status, Buffer.from(await response.bytes())]).toEqual([200, PNG])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=604800, immutable',
      'content-security-policy': `default-src 'none'; sandbox; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  test('L39.3: an unknown icon is 204 at once and fetched later; that there is none is stored', async () => {
    const id = await createLink('127.0.0.6')
    const first = await favicon(id)
    expect([first.status, await first.text(), first.headers.get('cache-control')]).toEqual([
      204,
      '',
      'private, no-store',
    ])
    await until('the absence is stored', async () => (await fetchedAt('127.0.0.6')) !== undefined)
    const second = await favicon(id)
    expect([second.status, second.headers.get('cache-control')]).toEqual([204, 'private, max-age=86400'])
  })

  test('L39.2: an icon is served while it is refreshed after 30 days, and not fetched before', async () => {
    const id = await createLink('127.0.0.7')
    const [young, old] = [links.now - 30 * DAY, links.now - 30 * DAY - 1]
    await store('127.0.0.7', young)
    await favicon(id)
    const other = await createLink('127.0.0.8')
    await store('127.0.0.8', old)
    expect((await favicon(other)).status).toBe(200)
    await until('the older one is refreshed', async () => (await fetchedAt('127.0.0.8')) === links.now)
    expect((await favicon(other)).status).toBe(200)
    expect(await fetchedAt('127.0.0.7')).toBe(young)
  })

  test('L39.3: only hosts of stored links can be requested, and only by people who are admitted', async () => {
    await store('not-linked.example', links.now)
    const missing = await favicon(999_999)
    expect([missing.status, await missing.json()]).toEqual([
      404,
      { error: 'Link not found', code: 'link_not_found' },
    ])
    expect(missing.headers.get('cache-control')).toBe('private, no-store')
    for (const id of ['not-linked.example', '0', '1%2F', '../favicon'])
      expect([id, (await favicon(id)).status]).toEqual([id, 404])
    const id = await createLink('127.0.0.9')
    const stranger = await links.fetch(`/_/admin/api/links/${id}/favicon`, {}, '203.0.113.5')
    expect(stranger.status).toBe(403)
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }
    expect((await links.fetch(`/_/admin/api/links/${id}/favicon`, { headers })).status).toBe(403)
    expect(await fetchedAt('127.0.0.9')).toBeUndefined()
  })

  test('L39.4: with the setting off nothing is fetched or shown, and titles switch it off by default', async () => {
    const id = await createLink('127.0.0.5', off)
    await store('127.0.0.5', off.now, off)
    expect((await favicon(id, off)).status).toBe(204)
  })
})
