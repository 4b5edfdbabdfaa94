import { expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { type TestLinks, startTestLinks } from '../testing.ts'

async function ask(links: TestLinks, authorization: string | undefined, peer = '203.0.113.5', headers = {}) {
  const init = { headers: { ...(authorization && { Authorization: authorization }), ...headers } }
  return (await links.fetch('/_/api/links', init, peer)).status
}

onSqlite((newUrl) => {
  test('L3.7, L3.7a: a key has as many requests as the setting allows, and every answer states how many are left', async () => {
    const links = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '3/min' })
    const key = await links.key('ann@example.com')
    const left = []
    for (const path of ['/links', '/nothing', '/links/999999']) {
      const { headers } = await links.call('GET', path, { key })
      expect(headers.get('ratelimit-limit')).toBe('3')
      left.push(Number(headers.get('ratelimit-remaining')))
      const reset = Number(headers.get('ratelimit-reset'))
      expect(reset).toBeGreaterThan((left.length - 1) * 20)
      expect(reset).toBeLessThanOrEqual(left.length * 20)
    }
    expect(left).toEqual([2, 1, 0])
    const { headers } = await links.expectRefusal('POST', '/links', { key, body: { url: 'https://e.com' } }, [
      429,
      'Too many requests',
    ])
    const wait = headers.get('retry-after')
    expect(wait).toMatch(/^\d+$/)
    expect(Number(wait)).toBeGreaterThan(0)
    expect(Number(wait)).toBeLessThanOrEqual(20)
    expect(headers.get('ratelimit-remaining')).toBe('0')
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  test('each key has its own limit, also another key of the same person', async () => {
    const links = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '1/hour' })
    const [first, second] = [await links.key('ann@example.com'), await links.key('ann@example.com')]
    expect(await ask(links, `Bearer ${first}`)).toBe(200)
    expect(await ask(links, `Bearer ${first}`, '198.51.100.9')).toBe(429)
    expect(await ask(links, `Bearer ${second}`)).toBe(200)
  })

  test('L3.7c: a flood without a key or with invented ones is limited by address and takes nothing from valid keys', async () => {
    const links = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '3/min' })
    const key = await links.key('ann@example.com')
    const madeUp = [undefined, 'Bearer x', `Bearer sk_${'0'.repeat(48)}`, 'bearer', undefined, 'Bearer y']
    const statuses = []
    for (const authorization of madeUp) statuses.push(await ask(links, authorization))
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429])
    expect(await ask(links, undefined, '198.51.100.7')).toBe(401)
    for (const status of [200, 200, 200, 429]) expect(await ask(links, `Bearer ${key}`)).toBe(status)
  })

  test('L3.7c: addresses of one IPv6 /64 count as one', async () => {
    const links = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '2/min' })
    const statuses = []
    for (const last of ['1', '2', 'ffff:1'])
      statuses.push(await ask(links, undefined, `2001:db8:0:1::${last}`))
    expect(statuses).toEqual([401, 401, 429])
    expect(await ask(links, undefined, '2001:db8:0:2::1')).toBe(401)
  })

  test('an invented forwarding header does not change the address', async () => {
    const links = await startTestLinks(await newUrl(), {
      LINKS_RATE_LIMIT: '2/min',
      PROXY_HEADER: 'X-Forwarded-For',
      TRUSTED_PROXIES: '10.0.0.0/8',
    })
    const from = (address: string, peer: string) =>
      ask(links, undefined, peer, { 'X-Forwarded-For': address })
    const forged = []
    for (let n = 1; n <= 3; n++) forged.push(await from(`192.0.2.${n}`, '203.0.113.5'))
    expect(forged).toEqual([401, 401, 429])
    const proxied = []
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1', '9.9.9.9, 192.0.2.1'])
      proxied.push(await from(address, '10.0.0.1'))
    expect(proxied).toEqual([401, 401, 401, 429])
  })

  test('L3.7b: the document, its page and short URLs do not count', async () => {
    const links = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '2/min' })
    const key = await links.key('ann@example.com')
    for (let n = 0; n < 5; n++)
      for (const path of ['/_/api/openapi.json', '/_/api/docs', '/no-such-link', '/_/health']) {
        const { headers, status } = await links.fetch(path, { headers: { Authorization: `Bearer ${key}` } })
        expect([path, status < 429, headers.has('ratelimit-limit')]).toEqual([path, true, false])
      }
    for (const status of [200, 200, 429]) expect(await ask(links, `Bearer ${key}`)).toBe(status)
  })

  test('off means no limit and no headers about one', async () => {
    const links = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: 'off' })
    const key = await links.key('ann@example.com')
    for (let n = 0; n < 50; n++) expect(await ask(links, `Bearer ${key}`)).toBe(200)
    expect((await links.call('GET', '/links', { key })).headers.has('ratelimit-limit')).toBe(false)
  })
})
