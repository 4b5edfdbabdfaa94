import { describe, expect, test } from 'bun:test'
import { FakeService, failureOf } from '../../testing/fake-service.ts'
import { LinksClient } from '../src/index.ts'

const clientOf = (service: FakeService) => new LinksClient({ baseUrl: `${service.url}/`, apiKey: 'sk_test' })

describe('a call', () => {
  test('carries the key and the X-Client header, and sends fields as JSON', async () => {
    const service = new FakeService({ status: 201, body: { id: 1 } })
    await clientOf(service).links.create({ url: 'https://example.com/', label: null, slug: undefined })
    const [request] = service.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/_/api/links',
      body: { url: 'https://example.com/', label: null },
    })
    expect(Object.keys(request?.body as object)).not.toContain('slug')
    expect(request?.headers.get('authorization')).toBe('Bearer sk_test')
    expect(request?.headers.get('x-client')).toBe('sdk')
    expect(request?.headers.get('content-type')).toBe('application/json')
  })

  test('without a body has no content type, and omits unset parameters', async () => {
    const service = new FakeService({})
    await clientOf(service).links.get(7, { range: undefined })
    expect(service.requests[0]?.path).toBe('/_/api/links/7')
    expect(service.requests[0]?.headers.get('content-type')).toBeNull()
  })

  test('escapes values in paths and queries', async () => {
    const service = new FakeService({}, { body: [] })
    await clientOf(service).slugs.getLink('a/b?c#d é', { range: '7d' })
    await clientOf(service).links.list({ search: '100% & more', limit: 5 })
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/_/api/slugs/a%2Fb%3Fc%23d%20%C3%A9?range=7d',
      '/_/api/links?search=100%25+%26+more&limit=5',
    ])
  })

  test('never reaches another route through a dot segment or an invalid slug', async () => {
    const service = new FakeService()
    for (const slug of ['..', '.', '', 'half-\ud83d'])
      expect(() => clientOf(service).links.disableSlug(5, slug)).toThrow(TypeError)
    expect(service.requests).toEqual([])
  })

  test('is not sent with a NaN or infinite number, which would clear the field', async () => {
    const service = new FakeService({})
    for (const expires_at of [NaN, Infinity, Date.parse('soon')]) {
      const error = await failureOf(clientOf(service).links.update(1, { expires_at }))
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toContain('expires_at')
    }
    expect(service.requests).toEqual([])
  })

  test('for a QR code returns a Blob with its type', async () => {
    const service = new FakeService({ headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>' })
    const code = await clientOf(service).links.qr(1, { format: 'svg' })
    expect([code.type, await code.text()]).toEqual(['image/svg+xml', '<svg/>'])
  })
})

describe('a client', () => {
  test('trims the key, and refuses an unsendable key without quoting it', async () => {
    const service = new FakeService({ body: [] })
    await new LinksClient({ baseUrl: service.url, apiKey: ' sk_test\n' }).bundles.list()
    expect(service.requests[0]?.headers.get('authorization')).toBe('Bearer sk_test')
    // Callers without types may pass unset values.
    const unset = undefined as unknown as string
    for (const apiKey of [unset, '', ' \n', 'sk_se\ncret', 'sk_sécret', 'sk_secretł', 'sk_secret\0'])
      expect(() => new LinksClient({ baseUrl: service.url, apiKey })).toThrow(
        new TypeError('apiKey must be visible ASCII characters'),
      )
  })

  test('refuses an invalid address', () => {
    for (const baseUrl of ['', 'example.com', 'ftp://example.com', 'javascript:alert(1)'])
      expect(() => new LinksClient({ baseUrl, apiKey: 'sk_test' })).toThrow(TypeError)
  })

  test('refuses an address with a user or password, without quoting it', () => {
    for (const user of ['ann', 'ann:secret', ':secret'])
      expect(() => new LinksClient({ baseUrl: `https://${user}@example.com`, apiKey: 'sk_test' })).toThrow(
        new TypeError('baseUrl must hold no user and no password'),
      )
  })

  test('trims the address', async () => {
    const service = new FakeService({ body: [] })
    await new LinksClient({ baseUrl: ` ${service.url}/ \n`, apiKey: 'sk_test' }).bundles.list()
    expect(service.requests[0]?.path).toBe('/_/api/bundles')
  })

  test('does not reveal the key when it is printed', () => {
    const client = new LinksClient({ baseUrl: 'https://example.com', apiKey: 'sk_secret' })
    expect(JSON.stringify(client) + Bun.inspect(client, { depth: 9 })).not.toContain('sk_secret')
  })

  test('uses the fetch of its options', async () => {
    const urls: string[] = []
    const client = new LinksClient({
      baseUrl: 'https://go.example.com',
      apiKey: 'sk_test',
      fetch: (url) => {
        urls.push(url)
        return Promise.resolve(Response.json([]))
      },
    })
    await client.bundles.list()
    expect(urls).toEqual(['https://go.example.com/_/api/bundles'])
  })
})
