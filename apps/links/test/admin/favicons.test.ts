import { expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { until } from '../test-database.ts'
import { sharedTestLinks } from '../testing.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const DAY = 86_400

onSqlite((newUrl) => {
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
  const request = (hosts: string, service = links) =>
    service.fetch(`/_/admin/api/favicons?hosts=${encodeURIComponent(hosts)}`)
  const iconsOf = async (hosts: string, service = links) => {
    const response = await request(hosts, service)
    expect(response.status).toBe(200)
    const { icons } = (await response.json()) as { icons: Record<string, string> }
    return [icons, response.headers.get('cache-control')]
  }
  const ICON = `data:image/png;base64,${PNG.toString('base64')}`
  const [KEEP, KEEP_NOTHING] = ['private, max-age=86400', 'private, no-store']

  test('L39.3: stored icons are served by host in one answer, which may be kept for a day', async () => {
    await store('127.0.0.5', links.now)
    await store('127.0.0.5:8443', links.now)
    expect(await iconsOf('127.0.0.5,127.0.0.5:8443,127.0.0.5')).toEqual([
      { '127.0.0.5': ICON, '127.0.0.5:8443': ICON },
      KEEP,
    ])
  })

  test('L39.3: an unknown icon is missing and fetched later; that there is none is stored', async () => {
    await createLink('127.0.0.6')
    await store('127.0.0.16', links.now)
    expect(await iconsOf('127.0.0.6,127.0.0.16')).toEqual([{ '127.0.0.16': ICON }, KEEP_NOTHING])
    await until('the absence is stored', async () => (await fetchedAt('127.0.0.6')) !== undefined)
    expect(await iconsOf('127.0.0.6,127.0.0.16')).toEqual([{ '127.0.0.16': ICON }, KEEP])
  })

  test('L39.2: an icon is served while it is refreshed after 30 days, and not fetched before', async () => {
    await createLink('127.0.0.7')
    await createLink('127.0.0.8')
    const [young, old] = [links.now - 30 * DAY, links.now - 30 * DAY - 1]
    await store('127.0.0.7', young)
    await store('127.0.0.8', old)
    const both = [{ '127.0.0.7': ICON, '127.0.0.8': ICON }, KEEP]
    expect(await iconsOf('127.0.0.7,127.0.0.8')).toEqual(both)
    await until('the older one is refreshed', async () => (await fetchedAt('127.0.0.8')) === links.now)
    expect(await iconsOf('127.0.0.7,127.0.0.8')).toEqual(both)
    expect(await fetchedAt('127.0.0.7')).toBe(young)
  })

  test('L39.3: only hosts of stored links are fetched, and only for people who are admitted', async () => {
    await createLink('127.0.0.9')
    await createLink('127.0.0.10')
    // The host that is fetched last shows that the one before it was left out.
    await iconsOf('127.0.0.11,127.0.0.10')
    await until('the linked host is fetched', async () => (await fetchedAt('127.0.0.10')) !== undefined)
    expect(await fetchedAt('127.0.0.11')).toBeUndefined()
    const path = '/_/admin/api/favicons?hosts=127.0.0.9'
    expect((await links.fetch(path, {}, '203.0.113.5')).status).toBe(403)
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }
    expect((await links.fetch(path, { headers })).status).toBe(403)
    expect(await fetchedAt('127.0.0.9')).toBeUndefined()
  })

  test('L39.3: up to a hundred hosts can be requested at once', async () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, n) => `h${n}.example`).join(',')
    expect((await request(hosts(100))).status).toBe(200)
    for (const refused of [hosts(101), 'x'.repeat(30_000)]) expect((await request(refused)).status).toBe(400)
    expect(await iconsOf(',')).toEqual([{}, KEEP_NOTHING])
  })

  test('L39.4: with the setting off nothing is fetched or shown, and titles switch it off by default', async () => {
    await createLink('127.0.0.5', off)
    await store('127.0.0.5', off.now, off)
    expect(await iconsOf('127.0.0.5', off)).toEqual([{}, KEEP_NOTHING])
  })
})
