import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from './testing.ts'

interface RawResponse {
  status: number
  head: string
  body: string
}

/**
 * Sends these bytes over their own socket and reads the answer. The status is -1 if the server
 * hangs up without one.
 */
function sendRaw(port: number, ...parts: (string | Uint8Array)[]): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
    })
    socket.setTimeout(20_000, () => reject(new Error(`No end of the answer: ${response.slice(0, 200)}`)))
    socket.on('data', (bytes) => {
      response += bytes.toString('latin1')
    })
    // A server that refuses a body may reset the connection during the upload.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      socket.destroy()
      const end = response.indexOf('\r\n\r\n')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? -1)
      resolve({ status, head: response.slice(0, end), body: response.slice(end + 4) })
    })
  })
}

function expectOneOf(allowed: readonly number[], status: number, about: string): void {
  expect([about, status, allowed.includes(status)]).toEqual([about, status, true])
}

/** A real server with a real socket, for requests that `fetch` does not send. */
onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let server: ReturnType<typeof Bun.serve>
  let port: number
  let ann: string
  beforeAll(async () => {
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      maxRequestBodySize: 1024 ** 4,
      fetch: links.fetchHandler,
    })
    port = server.port ?? 0
    ann = await links.key('ann@example.com')
    await links.createLink(ann, { slug: 'target', url: 'https://example.com' })
    // A page of one link then has a next page, whose address depends on that of the request.
    await links.createLink(ann)
  })
  afterAll(() => server.stop(true))

  const ask = (line: string, headers = '', body = '') =>
    sendRaw(port, `${line} HTTP/1.1\r\nHost: go.example.com\r\nConnection: close\r\n${headers}\r\n${body}`)
  const withKey = () => `Authorization: Bearer ${ann}\r\n`
  const json = 'Content-Type: application/json\r\n'

  test('HEAD returns the head of GET without its body, on every kind of route', async () => {
    const paths = [
      '/',
      '/target',
      '/none',
      '/_/health',
      '/_/api/openapi.json',
      '/_/api/docs',
      '/_/api/links',
      '/_/api/none',
      '/robots.txt',
    ]
    for (const path of paths) {
      const [get, head] = [await ask(`GET ${path}`, withKey()), await ask(`HEAD ${path}`, withKey())]
      expect([path, head.status, head.body]).toEqual([path, get.status, ''])
      const type = (reply: RawResponse) => /content-type: (.*)/i.exec(reply.head)?.[1]
      expect([path, type(head)]).toEqual([path, type(get)])
    }
  })

  test('unsupported methods are 405 with Allow, on short URLs and below the API', async () => {
    for (const method of ['PROPFIND', 'LINK', 'TRACE', 'OPTIONS', 'PURGE', 'PUT'])
      for (const path of ['/target', '/none', '/_/api/slugs']) {
        const reply = await ask(`${method} ${path}`, withKey())
        expect([method, path, reply.status]).toEqual([method, path, 405])
        expect(reply.head).toMatch(path === '/_/api/slugs' ? /allow: POST/i : /allow: GET, HEAD/i)
        expect(reply.head).not.toMatch(/access-control/i)
      }
  })

  test('lines that are not HTTP are refused or dropped, and the server continues', async () => {
    const lines = [
      'BREW /target',
      'get /target',
      'GET',
      'GET target',
      'GET *',
      'OPTIONS *',
      'CONNECT evil.example:443',
      '\0\0\0',
      'GET /target\0x',
      'GET /a\tb',
      'GET /\u00e9',
      'GET /\xff\xfe',
      `GET /${'x'.repeat(100_000)}`,
    ]
    for (const line of lines) {
      const { status } = await ask(line)
      expect([line.slice(0, 30), status < 500 || status === 505]).toEqual([line.slice(0, 30), true])
    }
    expect((await ask('GET /target')).status).toBe(302)
  })

  test('an address in another spelling is the same address or none, and never bypasses the prefix', async () => {
    const cases: [string, number[]][] = [
      ['http://evil.example/target', [302]],
      ['http://evil.example/_/api/links', [401]],
      ['/./target', [302]],
      ['/a/../target', [302]],
      ['/%2e%2e/_/api/links', [401, 404]],
      ['/x/../_/api/links', [401]],
      ['//_/api/links', [404]],
      ['/_//api/links', [404]],
      ['/_%2fapi/links', [404]],
      ['/%5f/api/links', [404]],
      ['/_/admin/../api/links', [401]],
      ['/target?x=1#frag', [302]],
      ['/target#frag', [302, 404]],
      ['/target/', [302]],
      ['/target//', [404]],
      ['/target;x', [404]],
      ['/target%00', [404]],
      ['/target%0d%0aSet-Cookie:%20a=b', [404]],
      ['/target%3fx', [404]],
    ]
    for (const [path, statuses] of cases) {
      const reply = await ask(`GET ${path}`)
      expectOneOf(statuses, reply.status, path)
      expect(reply.head).not.toMatch(/set-cookie/i)
      if (reply.status === 302) expect(reply.head).toMatch(/location: https:\/\/example.com\/\r?$/im)
    }
  })

  test('a request with no host, as old health checks send it, or with an invalid one is served', async () => {
    const hosts = [
      '',
      ' ',
      'a b',
      '[::1',
      'go.example.com:99999',
      '"',
      'evil.example/..',
      '?',
      '\xff',
      'x'.repeat(5000),
    ]
    const heads = [
      'HTTP/1.0\r\n',
      ...hosts.map((host) => `HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`),
    ]
    const expected = {
      '/': 200,
      '/target': 302,
      '/none': 404,
      '/_/health': 200,
      '/_/api/links?limit=1': 200,
      '/_/api/links?limit=0': 400,
      '/_/api/none': 404,
    }
    for (const head of heads)
      for (const [path, status] of Object.entries(expected)) {
        const reply = await sendRaw(port, `GET ${path} ${head}${withKey()}\r\n`)
        expect([head.slice(0, 30), path, reply.status]).toEqual([head.slice(0, 30), path, status])
        expect(reply.head).not.toContain('location: //')
      }
  })

  test('a request without a clear host is not admitted to the admin side', async () => {
    for (const head of ['HTTP/1.0\r\n', 'HTTP/1.1\r\nHost:\r\nConnection: close\r\n'])
      for (const path of ['/_/admin/dashboard', '/_/admin/api/keys'])
        expect((await sendRaw(port, `GET ${path} ${head}\r\n`)).status).toBe(403)
  })

  test('header bytes that are not text are stored in some form, and the visitor is redirected', async () => {
    const { total_clicks: before } = (await links.call('GET', '/slugs/target', { key: ann })).body
    const hostile = ['\xff\xfe\xc0\x80', '\x01\x02', '<script>', '\xf0\x9f\x8e\x88', 'x'.repeat(6000)]
    for (const bytes of hostile) {
      const reply = await ask(
        'GET /target?utm_source=%ff%00',
        `User-Agent: ${bytes}\r\nReferer: ${bytes}\r\n`,
      )
      expectOneOf([302, 400], reply.status, bytes.slice(0, 10))
    }
    const { total_clicks: after } = (await links.call('GET', '/slugs/target', { key: ann })).body
    expect(after).toBeGreaterThan(before + 2)
  })

  test('two keys in one request count as none', async () => {
    expect((await ask('GET /_/api/links', withKey() + withKey())).status).toBe(401)
  })

  test('L3.5: an address of more than 16 KiB is 431 without a body, on every kind of route', async () => {
    for (const path of ['/known', '/_/api/links', '/_/admin/api/links']) {
      const response = await fetch(new URL(`${path}?search=${'a'.repeat(16_384)}`, server.url))
      expect([path, response.status, await response.text()]).toEqual([path, 431, ''])
    }
  })

  test('ten megabytes are refused as soon as they are announced', async () => {
    const reply = await ask(
      'POST /_/api/links',
      `${withKey()}${json}Content-Length: 10485760\r\n`,
      'x'.repeat(1000),
    )
    expect([reply.status, JSON.parse(reply.body)]).toEqual([413, { error: 'Request body too large' }])
  })

  test('ten megabytes in chunks are refused as soon as they exceed the limit', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    const head = `POST /_/api/links HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${withKey()}${json}Transfer-Encoding: chunked\r\n\r\n`
    const reply = await sendRaw(port, head, ...Array.from({ length: 160 }, () => chunk), '0\r\n\r\n')
    expect(reply.status).toBe(413)
  })

  test('a body in many small chunks is one body', async () => {
    const text = '{"url":"https://example.com/chunks"}'
    const chunks = Array.from(text, (letter) => `1\r\n${letter}\r\n`).join('')
    const reply = await ask(
      'POST /_/api/links',
      `${withKey()}${json}Transfer-Encoding: chunked\r\n`,
      `${chunks}0\r\n\r\n`,
    )
    expect(reply.status).toBe(201)
  })

  test('a body with a contradictory or invalid length is never read as a request', async () => {
    const smuggled = 'DELETE /_/api/links/1?force=true HTTP/1.1\r\nHost: x\r\n\r\n'
    const before = await links.databaseState()
    for (const lengths of [
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'Content-Length: 5\r\nContent-Length: 0\r\n',
      'Content-Length: x\r\n',
      'Content-Length: -5\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
    ]) {
      const reply = await ask('POST /_/api/links', withKey() + json + lengths, `0\r\n\r\n${smuggled}`)
      expect([lengths, reply.status < 500]).toEqual([lengths, true])
      expect(reply.body).not.toContain('deleted')
    }
    expect(await links.databaseState()).toEqual(before)
  })

  test('a client that hangs up in the middle of its body affects no other client', async () => {
    const logged = links.log.length
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /_/api/links HTTP/1.1\r\nHost: x\r\n${withKey()}${json}Content-Length: 500\r\n\r\n{"url"`,
    )
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.destroy()
    expect((await ask('GET /_/api/links', withKey())).status).toBe(200)
    expect(links.log.slice(logged).filter((line) => line['level'] === 'error')).toEqual([])
  })
})
