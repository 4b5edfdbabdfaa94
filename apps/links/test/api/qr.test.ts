import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { type TestLinks, sharedTestLinks, startTestLinks } from '../testing.ts'

beforeAll(async () => {
  const file = Bun.file(Bun.fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  await prepareZXingModule({ overrides: { wasmBinary: await file.arrayBuffer() }, fireImmediately: true })
})

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  let id: number
  let auto: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com', 'read')
    const link = await links.createLink(ann, { slug: 'primary-one' })
    id = link.id
    auto = link.slugs[0].slug
    await links.call('POST', `/links/${id}/slugs`, { key: ann, body: { slug: 'second.one' } })
  })

  async function ask(
    query: string,
    headers: Record<string, string> = {},
    { service = links, key = ben, link = id } = {},
  ) {
    const path = `/_/api/links/${link}/qr${query}`
    return service.fetch(path, { headers: { Authorization: `Bearer ${key}`, ...headers } })
  }
  async function read(
    query: string,
    headers: Record<string, string> = {},
    from?: { service: TestLinks; key: string; link: number },
  ) {
    const response = await ask(`${query}${query ? '&' : '?'}format=png&size=400`, headers, from)
    expect(response.status).toBe(200)
    const [code] = await readBarcodes(new Uint8Array(await response.arrayBuffer()), { formats: ['QRCode'] })
    return code?.text
  }

  test('L11.1 L24.9: a code encodes the primary slug, marked as a QR visit, and anyone may read it', async () => {
    expect(await read('')).toBe('http://localhost:8080/primary-one?utm_medium=qr')
  })

  test('a code encodes any requested slug of the link, in any case and also if disabled', async () => {
    expect(await read('?slug=SECOND.one')).toBe('http://localhost:8080/second.one?utm_medium=qr')
    expect(await read(`?slug=${auto}`)).toBe(`http://localhost:8080/${auto}?utm_medium=qr`)
    await links.call('POST', '/slugs/second.one/disable', { key: ann })
    expect(await read('?slug=second.one')).toBe('http://localhost:8080/second.one?utm_medium=qr')
  })

  test('L24.9: a visit through the code counts as a QR visit', async () => {
    const address = new URL((await read('')) ?? '')
    await links.fetch(address.pathname + address.search)
    await links.call('GET', `/links/${id}`, { key: ann })
    expect(await links.rows('select link_mode, channel from click')).toEqual([
      { link_mode: 'qr', channel: 'qr' },
    ])
  })

  test('L11: the slug must belong to this link', async () => {
    const other = await links.createLink(ann, { slug: 'foreign-one' })
    for (const slug of ['foreign-one', other.slugs[0].slug, 'no-such-slug'])
      await links.expectRefusal('GET', `/links/${id}/qr?slug=${slug}`, { key: ben }, [404, 'Slug not found'])
    for (const slug of ['', '_x', 'a%20b', 'x-', '%E2%84%AA', 'x'.repeat(129)])
      await links.expectRefusal('GET', `/links/${id}/qr?slug=${slug}`, { key: ben }, [
        400,
        expect.stringMatching(/slug/i),
      ])
    await links.expectRefusal('GET', '/links/999999/qr', { key: ben }, [404, 'Link not found'])
  })

  test('L11: SVG is the default, the Accept header may select PNG, and format takes precedence', async () => {
    const typeOf = async (query: string, accept?: string) =>
      (await ask(query, accept === undefined ? {} : { Accept: accept })).headers.get('content-type')
    expect(await typeOf('')).toBe('image/svg+xml')
    expect(await typeOf('', '*/*')).toBe('image/svg+xml')
    expect(await typeOf('', 'image/avif,image/webp,image/svg+xml,image/*;q=0.8')).toBe('image/svg+xml')
    for (const accept of [
      'image/png',
      'IMAGE/PNG',
      'image/svg+xml;q=0.9, image/png',
      'image/svg+xml,image/png',
    ])
      expect([accept, await typeOf('', accept)]).toEqual([accept, 'image/png'])
    for (const accept of [
      'image/png;q=0',
      'image/svg+xml, image/png;q=0.1',
      'image/png; Q=0.0',
      'image/pngs',
      'image/png;q=x',
    ])
      expect([accept, await typeOf('', accept)]).toEqual([accept, 'image/svg+xml'])
    expect(await typeOf('?format=svg', 'image/png')).toBe('image/svg+xml')
    expect(await typeOf('?format=png', 'image/svg+xml')).toBe('image/png')
  })

  test('L11.4 L24.9: a private cache may keep a code for five minutes', async () => {
    for (const format of ['svg', 'png']) {
      const { headers } = await ask(`?format=${format}`)
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['private, max-age=300', 'Accept'])
    }
  })

  test('L11 L24.9: size is in pixels, 220 by default', async () => {
    for (const [query, size] of [
      ['', 220],
      ['?size=1', 1],
      ['?size=2048', 2048],
    ] as const)
      expect(await (await ask(query)).text()).toContain(`width="${size}" height="${size}"`)
  })

  test('colours, margin and level are applied, and the code stays readable', async () => {
    expect(await read('?dark=%23102030&light=F0F0F0&margin=0&level=H')).toContain('/primary-one?')
    const svg = await (await ask('?dark=102030&light=%23FFEEDD')).text()
    expect([svg.includes('#102030'), svg.includes('#ffeedd')]).toEqual([true, true])
  })

  test('L32.4: a styled code encodes the same URL, and anyone may read it', async () => {
    for (const style of [
      'shape=round',
      'eyes=circle&dark=1b3a6b',
      'frame=Scan%20me&shape=round&eyes=rounded',
    ])
      expect([style, await read(`?${style}`)]).toEqual([
        style,
        'http://localhost:8080/primary-one?utm_medium=qr',
      ])
  })

  test('L32.4a: each shape of modules and eyes is drawn, and an unknown one is refused', async () => {
    const drawings = await Promise.all(
      ['', 'shape=round', 'eyes=rounded', 'eyes=circle'].map(async (style) =>
        (await ask(`?${style}`)).text(),
      ),
    )
    expect(new Set(drawings).size).toBe(4)
    for (const query of ['?shape=star', '?eyes=round']) expect((await ask(query)).status).toBe(400)
  })

  test('L32.4: without a style, answers have the bytes that they had before codes had styles', async () => {
    const digest = async (query: string) =>
      new Bun.CryptoHasher('sha256')
        .update(await (await ask(query)).arrayBuffer())
        .digest('hex')
        .slice(0, 16)
    for (const [query, hash] of [
      ['', '5946f64c70b7b49b'],
      ['?format=png', '93c6f3bab9d07f39'],
      ['?level=H&margin=0&size=512&dark=1b3a6b&light=ffeedd&format=png', '3204f6a3f1a3c5bf'],
      ['?level=H&margin=0&size=512&dark=1b3a6b&light=ffeedd', '3e505ad944a944ee'],
    ] as const)
      expect([query, await digest(query)]).toEqual([query, hash])
  })

  test('L32.4c: a PDF is answered with its type', async () => {
    const answer = await ask('?format=pdf')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(await answer.text()).toStartWith('%PDF-')
  })

  test('L11: every bad parameter is 400 with its name', async () => {
    const bad: [string, string][] = [
      ['size=0', 'size: must be at least 1'],
      ['size=2049', 'size: must be at most 2048'],
      ['size=abc', 'size: must be a whole number'],
      ['size=1.5', 'size: must be a whole number'],
      ['format=gif', 'format: must be one of: svg, png, pdf'],
      ['level=X', 'level: must be one of: L, M, Q, H'],
      ['level=m', 'level: must be one of: L, M, Q, H'],
      ['margin=17', 'margin: must be at most 16'],
      ['margin=-1', 'margin: must be at least 0'],
      ['dark=red', 'dark: must be six hex digits'],
      ['light=%23fff', 'light: must be six hex digits'],
      ['dark=ffffff', 'dark: must contrast with light at least 3:1'],
      ['dark=999999&light=aaaaaa', 'dark: must contrast with light at least 3:1'],
      ['shape=star', 'shape: must be one of: square, round'],
      ['eyes=', 'eyes: must be one of: square, rounded, circle'],
      ['frame=%20', 'frame: must not be empty'],
      ['frame=%E6%89%AB%E7%A0%81', 'frame: cannot draw the character 扫'],
      [`frame=${'x'.repeat(31)}`, 'frame: must be at most 30 characters'],
      ['frame=Menu&margin=0', 'margin: a scanner could not read this code; choose a wider one'],
    ]
    for (const [query, error] of bad)
      await links.expectRefusal('GET', `/links/${id}/qr?${query}`, { key: ben }, [400, error])
    const { body } = await links.call('GET', `/links/${id}/qr?format=png&size=10`, { key: ben })
    const [, smallest = ''] = /^size: must be at least (\d+) /.exec(body.error) ?? []
    expect((await ask(`?format=png&size=${smallest}`)).status).toBe(200)
    expect((await ask(`?format=png&size=${Number(smallest) - 1}`)).status).toBe(400)
  })

  test('L11.1: the origin is the configured one, or else that of the request, and only a trusted proxy may change it', async () => {
    const fixed = await startTestLinks(await newUrl(), { LINKS_BASE_URL: 'https://go.example.com' })
    const proxied = await startTestLinks(await newUrl(), { TRUSTED_PROXIES: '127.0.0.1' })
    const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'go.proxy.example' }
    const origins = []
    for (const service of [fixed, proxied]) {
      const key = await service.key('ann@example.com')
      const link = await service.createLink(key, { slug: 'here' })
      origins.push(await read('', forwarded, { service, key, link: link.id }))
    }
    expect(origins).toEqual([
      'https://go.example.com/here?utm_medium=qr',
      'https://go.proxy.example/here?utm_medium=qr',
    ])
    expect(await read('', forwarded)).toBe('http://localhost:8080/primary-one?utm_medium=qr')
  })
})
